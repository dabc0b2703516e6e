/* step/parts.h -- The parts of a price that the plugin names: GEMMs, then
 * attention, then parts without a phase. */
#ifndef OPERATORS_STEP_PARTS_H
#define OPERATORS_STEP_PARTS_H
#include "stepcost/plugin.h"

#define PARTS(X)                                                               \
	X(PART_ATTENTION_GEMM, GEMM, attention_gemm,                           \
	  "projections of attention")                                          \
	X(PART_FFN, GEMM, ffn, "dense FFN")                                    \
	X(PART_MOE, GEMM, moe, "routed experts")                               \
	X(PART_ROUTER, GEMM, router, "router of the experts")                  \
	X(PART_SHARED, GEMM, shared_experts, "shared experts")                 \
	X(PART_HEAD, GEMM, head, "LM head")                                    \
	X(PART_ATTENTION, ATTENTION, attention, "softmax attention")           \
	X(PART_MLA, ATTENTION, mla,                                            \
	  "latent attention (MLA) with its projections")                       \
	X(PART_LINEAR, ATTENTION, linear,                                      \
	  "linear attention and state-space layers")                           \
	X(PART_SPARSE, ATTENTION, sparse,                                      \
	  "sparse attention with its projections")                             \
	X(PART_ALL_REDUCE, COMM, all_reduce, "all-reduces of the layers")      \
	X(PART_GATHER, COMM, gather,                                           \
	  "all-gather and reduce-scatter around experts")                      \
	X(PART_ALL_TO_ALL, COMM, all_to_all,                                   \
	  "dispatch to experts, and combine")                                  \
	X(PART_LOGITS, COMM, logits, "gather of the logits")                   \
	X(PART_PIPELINE, COMM, pipeline, "sends between pipeline stages")      \
	X(PART_SMALL, OVERHEAD, small_kernels,                                 \
	  "norms, rope, activations, quantization")                            \
	X(PART_SAMPLING, OVERHEAD, sampling, "passes over the logits")         \
	X(PART_HOST, OVERHEAD, host, "the engine's host code")
#define PART_CONSTANT(constant, kind, name, help) constant,
enum part { PARTS(PART_CONSTANT) N_PARTS };
#define PART_IS_GEMM(constant, kind, name, help)                               \
	+(SC_PART_##kind == SC_PART_GEMM)
enum { N_GEMMS = PARTS(PART_IS_GEMM) };
_Static_assert((int)N_GEMMS == (int)PART_ATTENTION &&
		   PART_SPARSE + 1 == PART_ALL_REDUCE,
	       "GEMMs, attention, then parts without a phase");
#endif
