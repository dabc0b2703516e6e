/* model_8b.h -- a dense model of 8 billion parameters, as plugins see it. */
#ifndef T_MODEL_8B_H
#define T_MODEL_8B_H
#include "stepcost/plugin.h"

static const sc_layers layers_8b = {.size = sizeof layers_8b,
				    .n_layers = 32,
				    .attention = SC_ATTN_FULL,
				    .n_heads = 32,
				    .n_kv_heads = 8,
				    .head_dim = 128,
				    .ffn = SC_FFN_GATED,
				    .ffn_dim = 14336,
				    .attn_format = SC_BF16,
				    .ffn_format = SC_BF16,
				    .attn_bits = 16,
				    .ffn_bits = 16};
static const sc_layers *const group_8b[] = {&layers_8b};
static const sc_model model_8b = {.size = sizeof model_8b,
				  .hidden = 4096,
				  .vocab = 128256,
				  .compute_format = SC_BF16,
				  .head_format = SC_BF16,
				  .kv_format = SC_BF16,
				  .n_groups = 1,
				  .group = group_8b,
				  .name = "llama-3.1-8b",
				  .head_bits = 16,
				  .kv_bits = 16};
#endif
