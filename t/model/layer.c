/* A layer's matrices, and what follows from them: parameters, the share of a
 * rank, KV, formats, the view. */
#include "model/layer.h"
#include "tap.h"
#include "stepcost/format.h"

/* Hidden 64, 4 heads and 2 KV heads of 16, an FFN of 128. */
static struct model_keys keys(void)
{
	return (struct model_keys){
	    .hidden_size = 64,
	    .num_attention_heads = 4,
	    .num_key_value_heads = 2,
	    .head_dim = 16,
	    .intermediate_size = 128,
	    .gated_mlp = 1,
	    .kv_proj = 1,
	    .v_proj = 1,
	    .kv_cache = 1,
	    .norms_per_layer = 2,
	};
}

static struct model_keys sparse_keys(void)
{
	struct model_keys k = keys();
	k.num_experts = 8;
	k.num_experts_per_tok = 2;
	k.moe_intermediate_size = 32;
	return k;
}

enum { ATTENTION = 64 * 64 * 2 + 2 * 64 * 32, DENSE = 3 * 64 * 128 };
enum { ONE_EXPERT = 3 * 64 * 32, ROUTER = 64 * 8 };

static void parameters(void)
{
	struct model_keys k = keys();
	struct layer l = {&k, MIX_FULL, FFN_DENSE};
	near(layer_params(&l), ATTENTION + DENSE + 128, 0, "dense");
	k.attention_bias = BIAS_ALL;
	k.qk_norm = 1;
	near(layer_params(&l), ATTENTION + DENSE + 128 + 64 + 64 + 64 + 32, 0,
	     "biases and norms of heads");
	k.gated_mlp = 0;
	k.attention_bias = BIAS_NONE;
	k.qk_norm_all_heads = 1;
	near(layer_params(&l), ATTENTION + DENSE / 3 * 2 + 128 + 64 + 32, 0,
	     "no gate, norms over all heads");
	k = sparse_keys();
	l.ffn = FFN_SPARSE;
	near(layer_params(&l), ATTENTION + 8 * ONE_EXPERT + ROUTER + 128, 0,
	     "experts");
	near(layer_active_params(&l), ATTENTION + 2 * ONE_EXPERT + ROUTER + 128,
	     0, "of which a token passes through 2");
	l.mixer = MIX_NONE;
	near(layer_params(&l), 8 * ONE_EXPERT + ROUTER + 128, 0,
	     "no attention");
}

/* Sides of matrices on rank 0, in bf16. */
static void ranks(void)
{
	struct model_keys k = keys();
	struct layer l = {&k, MIX_FULL, FFN_DENSE};
	near(layer_rank_bytes(&l, 1, 1), 2 * layer_params(&l), 0, "one rank");
	near(layer_rank_bytes(&l, 2, 1), 2. * (ATTENTION / 2 + DENSE / 2 + 128),
	     0, "two");
	near(layer_rank_bytes(&l, 4, 1),
	     2. * (64 * 64 * 2 / 4 + 64 * 32 + DENSE / 4 + 128), 0,
	     "a KV head is not split");
	near(layer_rank_bytes(&l, 2, 2), layer_rank_bytes(&l, 2, 1), 0,
	     "attention-DP repeats what is not experts");
	k = sparse_keys();
	l.ffn = FFN_SPARSE;
	near(layer_rank_bytes(&l, 2, 4),
	     2. * (ATTENTION / 2 + 8 * ONE_EXPERT / 8 + ROUTER + 128), 0,
	     "experts are split over tp x dp");
	k.n_shared_experts = 1;
	k.shared_expert_intermediate_size = 32;
	near(layer_rank_bytes(&l, 2, 4),
	     2. * (ATTENTION / 2 + 2 * ONE_EXPERT + ROUTER + 128), 0,
	     "a shared expert is whole beside attention-DP");
	near(layer_rank_bytes(&l, 2, 1),
	     2. * (ATTENTION / 2 + 4.5 * ONE_EXPERT + ROUTER + 128), 0,
	     "and split without");
}

static void kv(void)
{
	struct model_keys k = keys();
	struct layer l = {&k, MIX_FULL, FFN_DENSE};
	near(layer_kv_bytes(&l, 1, 16), 2 * 2 * 16 * 2, 0, "two heads");
	near(layer_kv_bytes(&l, 8, 16), 2 * 16 * 2, 0, "at least one");
	near(layer_kv_bytes(&l, 1, 8), 2 * 2 * 16, 0, "in FP8");
	k.v_head_dim = 8;
	near(layer_kv_bytes(&l, 1, 16), 2 * (16 + 8) * 2, 0, "short values");
	k.kv_cache = 0;
	near(layer_kv_bytes(&l, 1, 16), 0, 0, "another layer's");
	k.kv_cache = 1;
	k.index_n_heads = 4;
	k.index_head_dim = 128;
	near(layer_kv_bytes(&l, 8, 16), (16 + 8) * 2 + 256, 0,
	     "an indexer beside plain heads");
	k.index_kv_dtype = INDEX_KV_FP8;
	near(layer_kv_bytes(&l, 8, 16), (16 + 8) * 2 + 128, 0, "in FP8");
	k.index_n_heads = 0;
	k.kv_lora_rank = 512;
	k.qk_rope_head_dim = 64;
	near(layer_kv_bytes(&l, 8, 16), 2 * 576, 0, "latent");
	near(layer_kv_bytes(&l, 8, 8), 576, 0, "latent, FP8");
	k.index_topk = 2048;
	k.index_n_heads = 64;
	k.index_head_dim = 128;
	near(layer_kv_bytes(&l, 1, 16), 2 * 576 + 132, 0, "with an indexer");
	near(layer_kv_bytes(&l, 1, 8), 656 + 132, 0, "sparse, FP8");
	l.mixer = MIX_LINEAR;
	near(layer_kv_bytes(&l, 1, 16), 0, 0, "linear attention keeps none");
}

static void formats(void)
{
	struct model_keys k = sparse_keys();
	k.quantization = 1;
	k.quantized_bits = 8.25;
	struct layer_format f = layer_format(&k, LAYER_ATTENTION);
	ok(f.format == SC_FP8 && f.bits == 8.25, "quantized");
	ok(layer_format(&k, LAYER_SMALL).format == SC_BF16, "but small parts");
	ok(layer_compute_format(&k) == SC_FP8, "computed in FP8");
	k.activation_bits = 16;
	ok(layer_compute_format(&k) == SC_BF16, "unless activations are wide");
	k.quantized_layers = QUANTIZED_EXPERTS;
	ok(layer_format(&k, LAYER_FFN).format == SC_BF16 &&
	       layer_format(&k, LAYER_EXPERT).format == SC_FP8,
	   "experts alone");
	k.ffn_quantization = 4;
	f = layer_format(&k, LAYER_FFN);
	ok(f.format == SC_FP4 && f.bits == sc_format_row(SC_FP4)->stored,
	   "a part's own, with the bits of its format");
	k.bytes_per_param = 0.5;
	f = layer_format(&k, LAYER_SMALL);
	ok(f.format == SC_FP4 && f.bits == 4, "bytes_per_param is for all");
}

static void views(void)
{
	struct model_keys k = sparse_keys();
	k.sliding_window = 99;
	k.qk_norm = 1;
	k.activation_bits = 8;
	struct layer l = {&k, MIX_SLIDING, FFN_SPARSE};
	sc_layers v = layer_view(&l);
	ok(v.size == sizeof v && v.n_layers == 1 &&
	       v.attention == SC_ATTN_WINDOW && v.window == 99 &&
	       v.n_heads == 4 && v.n_kv_heads == 2 && v.head_dim == 16,
	   "attention");
	ok(v.ffn == SC_FFN_MOE && v.ffn_dim == 32 && v.n_experts == 8 &&
	       v.experts_per_token == 2 && v.expert_bits == 16,
	   "experts");
	ok(v.flags == SC_LAYER_QK_NORM && v.activation_bits == 8,
	   "flags and activations");
	is(layer_mixer_name(&l), "window", "in words");
	l = (struct layer){&k, MIX_FULL, FFN_DENSE};
	k.kv_lora_rank = 8;
	k.index_topk = 4;
	ok(layer_view(&l).attention == SC_ATTN_MLA &&
	       layer_view(&l).flags == (SC_LAYER_QK_NORM | SC_LAYER_SPARSE),
	   "sparse latent attention");
	is(layer_mixer_name(&l), "sparse MLA", "in words");
	k = keys();
	k.attention_gate = GATE_FULL;
	ok(layer_view(&l).flags == SC_LAYER_OUTPUT_GATE, "a gate");
	k = keys();
	k.kv_proj = 0;
	ok(layer_view(&l).flags == SC_LAYER_OTHER, "the cache of another");
}

static void special_views(void)
{
	struct model_keys k = keys();
	struct layer l = {&k, MIX_LINEAR, FFN_DENSE};
	k.linear_attention = LINEAR_MAMBA2;
	k.linear_num_key_heads = 2, k.linear_key_head_dim = 128;
	k.linear_num_value_heads = 6, k.linear_value_head_dim = 64;
	k.linear_conv_kernel_dim = 4, k.linear_chunk_size = 256;
	k.state_dtype = STATE_FP32;
	k.index_topk = 5;
	sc_layers v = layer_view(&l);
	ok(v.linear_kind == SC_LINEAR_MAMBA2 && v.linear_k_heads == 2 &&
	       v.linear_k_dim == 128 && v.linear_v_heads == 6 &&
	       v.linear_v_dim == 64 && v.linear_conv == 4 &&
	       v.linear_chunk == 256 && v.state_bits == 32,
	   "a state space");
	ok(v.flags == 0 && v.index_topk == 0, "chooses nothing");
	k.linear_attention = LINEAR_KDA_FULL;
	v = layer_view(&l);
	ok(v.linear_kind == SC_LINEAR_KDA && v.flags == SC_LAYER_OUTPUT_GATE,
	   "delta attention with a gate of one matrix");
	l.mixer = MIX_FULL;
	k.index_n_heads = 3, k.index_head_dim = 32;
	v = layer_view(&l);
	ok(v.flags == (SC_LAYER_SPARSE | SC_LAYER_INDEXER) &&
	       v.index_heads == 3 && v.index_dim == 32 && v.index_topk == 5 &&
	       v.linear_kind == SC_LINEAR_NONE,
	   "an indexer");
	k.index_n_heads = 0;
	ok(layer_view(&l).flags == SC_LAYER_SPARSE, "that of another layer");
	k.index_topk = 0;
	k.compress_ratio = 128, k.o_groups = 8, k.o_lora_rank = 1024;
	v = layer_view(&l);
	ok(v.flags == (SC_LAYER_SPARSE | SC_LAYER_OTHER) &&
	       v.compress_ratio == 128 && v.o_groups == 8 &&
	       v.o_lora_rank == 1024,
	   "a compressed cache");
	k = keys();
	k.linear_beside_attention = 1;
	k.linear_attention = LINEAR_MAMBA2;
	v = layer_view(&l);
	ok(v.attention == SC_ATTN_FULL && v.flags == SC_LAYER_OTHER &&
	       v.linear_kind == SC_LINEAR_MAMBA2,
	   "two mixers side by side");
}

static void named(void *ctx, const struct matrix *m)
{
	strcat(strcat(ctx, m->name), " ");
}

static void matrices(void)
{
	struct model_keys k = keys();
	struct layer l = {&k, MIX_FULL, FFN_DENSE};
	char text[400] = "";
	layer_matrices(&l, named, text);
	is(text,
	   "self_attn.q_proj self_attn.k_proj self_attn.v_proj "
	   "self_attn.o_proj mlp.gate_proj mlp.up_proj mlp.down_proj  ",
	   "by the names of checkpoints");
}

int main(void)
{
	matrices();
	parameters();
	ranks();
	kv();
	formats();
	views();
	special_views();
	return done();
}
