/* model/layer.h -- one layer of a model: its matrices, how ranks share them,
 * the KV cache it keeps, and what a cost model is told of it.
 *
 * The matrices are the only list of them: parameters, bytes, the share of a
 * rank and what a quantization leaves out are sums over layer_matrices().
 * Counts are elements, in doubles: they are whole and below 2^53. */
#ifndef SC_MODEL_LAYER_H
#define SC_MODEL_LAYER_H
#include <stdint.h>
#include "model/model_keys.h"
#include "stepcost/plugin.h"

struct layer {
	const struct model_keys *k; /* of its kind, defaults filled in */
	int mixer;                  /* MIX_* */
	int ffn;                    /* FFN_* */
};

/* What is quantized together.  LAYER_SMALL stays in torch_dtype: norms, biases,
 * routers. */
enum layer_part {
	LAYER_ATTENTION,
	LAYER_FFN,
	LAYER_EXPERT,
	LAYER_SMALL,
	N_LAYER_PARTS
};
/* How the ranks of a stage share it. */
enum layer_split {
	SPLIT_NONE,   /* every rank has it                              */
	SPLIT_TP,     /* 1/tp                                           */
	SPLIT_KV,     /* kv heads: 1/tp, at least one head              */
	SPLIT_SHARED, /* 1/tp; whole beside attention-DP                */
	SPLIT_EXPERT, /* 1/(tp dp): ep ways by expert, the rest by width */
	N_LAYER_SPLITS
};
struct matrix {
	const char *name; /* below the layer, as most checkpoints call it,
			  "self_attn.q_proj"; expert 0 stands for all.  "" for
			  vectors */
	enum layer_part part;
	enum layer_split split;
	double n; /* elements, of all experts */
};
/* Calls visit for each of them. */
void layer_matrices(const struct layer *l,
		    void (*visit)(void *ctx, const struct matrix *m),
		    void *ctx);

/* A number format: SC_* and stored bits, scales included. */
struct layer_format {
	uint32_t format;
	double bits;
};
/* As the keys say for that part. */
struct layer_format layer_format(const struct model_keys *k,
				 enum layer_part part);
/* The format that quantized weights are multiplied in: the attention's, or
 * torch_dtype if it is not quantized, or only in storage. */
uint32_t layer_compute_format(const struct model_keys *k);
/* A format as quantization counts them: 0 none (torch_dtype), 1 fp8 … */
struct layer_format layer_quantized(const struct model_keys *k,
				    int64_t quantization, double bits);

/* Elements of the layer by part and split. */
struct layer_sum {
	double n[N_LAYER_PARTS][N_LAYER_SPLITS];
};
struct layer_sum layer_sum(const struct layer *l);
double layer_params(const struct layer *l);
/* Those that one token passes through: of routed experts, its own. */
double layer_active_params(const struct layer *l);
/* Bytes on one rank of tp x dp; tp = dp = 1: all of them. */
double layer_rank_bytes(const struct layer *l, uint32_t tp, uint32_t dp);

/* KV bytes that one rank of tp keeps of a token, at kv_bits a number:
 *   full, window and chunk layers  max(1, kv_heads / tp) · (head_dim + v_dim)
 *   MLA            kv_lora_rank + qk_rope_dim, on every rank; in FP8 sparse
 *                  MLA keeps rope in 16 bit and a scale of FP32 for 128
 *   an indexer     index_head_dim in FP8, a scale of FP32 for 128
 *   compressed     head_dim (its keys are its values) and the indexer's, over
 *                  compress_ratio; its window does not grow and is not counted
 * Linear layers keep none, nor does one that reads another's. */
double layer_kv_bytes(const struct layer *l, uint32_t tp, double kv_bits);
/* The same in words, "sparse MLA", "mamba2". */
const char *layer_mixer_name(const struct layer *l);

/* n_layers = 1. */
sc_layers layer_view(const struct layer *l);
#endif
