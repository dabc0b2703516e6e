/* model/layer.h -- one layer of a model: its matrices, how ranks share them,
 * its KV cache, and its description for cost models.
 *
 * There is one list of matrices: parameters, bytes, the share of a rank and
 * what a quantization leaves out are all sums over layer_matrices().  Counts
 * are elements, in doubles: whole numbers below 2^53. */
#pragma once
#include <stdint.h>
#include "model/model_keys.h"
#include "stepcost/plugin.h"

struct layer {
	const struct model_keys *k; /* keys of its kind, defaults filled in */
	int mixer;                  /* MIX_* */
	int ffn;                    /* FFN_* */
};

/* Parts that are quantized together.  LAYER_SMALL stays in torch_dtype: norms,
 * biases, routers. */
enum layer_part {
	LAYER_ATTENTION,
	LAYER_FFN,
	LAYER_EXPERT,
	LAYER_SMALL,
	N_LAYER_PARTS
};
/* How the ranks of a stage share a matrix. */
enum layer_split {
	SPLIT_NONE,   /* every rank has it whole */
	SPLIT_TP,     /* 1/tp */
	SPLIT_KV,     /* by KV heads: 1/tp, at least one head */
	SPLIT_SHARED, /* 1/tp; whole with attention-DP */
	SPLIT_EXPERT, /* 1/(tp dp): ep ways by expert, the rest by width */
	N_LAYER_SPLITS
};
struct matrix {
	/* Name below the layer, as most checkpoints have it,
	 * "self_attn.q_proj"; expert 0 stands for all experts.  "" for
	 * vectors. */
	const char *name;
	enum layer_part part;
	enum layer_split split;
	double n; /* elements; of all experts together */
};
/* Calls visit for each matrix. */
void layer_matrices(const struct layer *l,
		    void (*visit)(void *ctx, const struct matrix *m),
		    void *ctx);

/* A number format: SC_* and stored bits, scales included. */
struct layer_format {
	uint32_t format;
	double bits;
};
/* Returns the format of a part, from the keys. */
struct layer_format layer_format(const struct model_keys *k,
				 enum layer_part part);
/* Returns the format in which quantized weights are multiplied: that of
 * attention, or torch_dtype if attention is not quantized or only its storage
 * is. */
uint32_t layer_compute_format(const struct model_keys *k);
/* Returns a format by its number in `quantization`: 0 none (torch_dtype), 1 fp8
 * … */
struct layer_format layer_quantized(const struct model_keys *k,
				    int64_t quantization, double bits);

/* Elements of the layer by part and split. */
struct layer_sum {
	double n[N_LAYER_PARTS][N_LAYER_SPLITS];
};
struct layer_sum layer_sum(const struct layer *l);
double layer_params(const struct layer *l);
/* Parameters that one token passes through; of the routed experts, only those
 * that the token chooses. */
double layer_active_params(const struct layer *l);
/* Bytes on one rank of tp x dp; tp = dp = 1: the whole layer. */
double layer_rank_bytes(const struct layer *l, uint32_t tp, uint32_t dp);

/* Returns the bytes of KV cache per token on one rank of tp, at kv_bits per
 * number:
 *   full, window and chunk layers  max(1, kv_heads / tp) · (head_dim + v_dim)
 *   MLA            kv_lora_rank + qk_rope_dim, on every rank; sparse MLA in
 *                  FP8 keeps rope in 16 bit and an FP32 scale per 128
 *   an indexer     index_head_dim in FP8, an FP32 scale per 128; beside plain
 *                  heads in the format index_kv_dtype, without scales
 *   compressed     head_dim (keys are values) plus the indexer's, divided by
 *                  compress_ratio; the window does not grow and is not counted
 * Linear layers keep none, nor do layers that read the cache of another
 * layer. */
double layer_kv_bytes(const struct layer *l, uint32_t tp, double kv_bits);
/* Returns the kind of mixer in words, "sparse MLA", "mamba2". */
const char *layer_mixer_name(const struct layer *l);

/* Returns the work or weights that the fields of sc_layers do not describe, a
 * noun phrase, or NULL: there are none. */
const char *layer_other_work(const struct layer *l);
/* Describes one layer: n_layers = 1. */
sc_layers layer_view(const struct layer *l);
