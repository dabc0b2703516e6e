/* knobs.h -- The words and values that a user may set: see operators.c for
 * their defaults and help. */
#ifndef OPERATORS_KNOBS_H
#define OPERATORS_KNOBS_H
#include "stepcost/knob.h"

#define ENGINES(X)                                                             \
	X(ENGINE_AUTO, "auto"), X(ENGINE_VLLM, "vllm"),                        \
	    X(ENGINE_SGLANG, "sglang"), X(ENGINE_TRTLLM, "trtllm")
SC_WORDS(engine, ENGINES);
#define HOSTS(X)                                                               \
	X(HOST_AUTO, "auto"), X(HOST_SYNC, "sync"),                            \
	    X(HOST_OVERLAP, "overlap"), X(HOST_ASYNC, "async")
SC_WORDS(host, HOSTS);
#define ROUTINGS(X)                                                            \
	X(ROUTING_SKEWED, "power_law_1.2"), X(ROUTING_BALANCED, "balanced")
SC_WORDS(routing, ROUTINGS);
#define ACTIVATIONS(X)                                                         \
	X(ACTIVATIONS_AUTO, "auto"), X(ACTIVATIONS_16, "16"),                  \
	    X(ACTIVATIONS_8, "8")
SC_WORDS(activations, ACTIVATIONS);
#define MXFP4_KERNELS(X)                                                       \
	X(MXFP4_KERNEL_TABLES, "tables"), X(MXFP4_KERNEL_MARLIN, "marlin")
SC_WORDS(mxfp4_kernel, MXFP4_KERNELS);
#define EXPERT_KERNELS(X)                                                      \
	X(EXPERT_KERNEL_AUTO, "auto"), X(EXPERT_KERNEL_TRITON, "triton"),      \
	    X(EXPERT_KERNEL_CUTLASS, "cutlass"),                               \
	    X(EXPERT_KERNEL_DEEPGEMM, "deepgemm"),                             \
	    X(EXPERT_KERNEL_TRTLLM, "trtllm"),                                 \
	    X(EXPERT_KERNEL_PADDED, "deepgemm_padded")
SC_WORDS(expert_kernel, EXPERT_KERNELS);
#define SCALES(X)                                                              \
	X(SCALES_AUTO, "auto"), X(SCALES_TENSOR, "tensor"),                    \
	    X(SCALES_BLOCK, "block")
SC_WORDS(scales, SCALES);
#define EXCHANGES(X)                                                           \
	X(EXCHANGE_GATHER, "gather"), X(EXCHANGE_ALL_TO_ALL, "all_to_all"),    \
	    X(EXCHANGE_BY_PHASE, "by_phase")
SC_WORDS(exchange, EXCHANGES);
#define DP_PADDINGS(X)                                                         \
	X(DP_PADDING_AUTO, "auto"), X(DP_PADDING_GRAPHS, "graphs"),            \
	    X(DP_PADDING_ALL, "all")
SC_WORDS(dp_padding, DP_PADDINGS);
#define PIPELINES(X)                                                           \
	X(PIPELINE_AUTO, "auto"), X(PIPELINE_DIVIDE, "divide"),                \
	    X(PIPELINE_WHOLE, "whole")
SC_WORDS(pipeline, PIPELINES);

struct knobs {
	int64_t engine, host, routing, mxfp4_activations, fp8_scales;
	int64_t mxfp4_kernel, fp8_attention, expert_engine, expert_kernel;
	int64_t moe_exchange, pipeline, node_gpus, gemm_tile;
	int64_t mixed, dp_padding;
	double small_us, step_us, seq_us, layer_us, eager_layer_us, dp_gather;
	double mixed_decode;
};
#endif
