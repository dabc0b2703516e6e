/* step/calls.h -- The kernels that a step of the model calls on one rank, and
 * how often. */
#ifndef OPERATORS_STEP_CALLS_H
#define OPERATORS_STEP_CALLS_H
#include "stepcost/kernel/launch_step.h"
#include "price/attention.h"
#include "price/comm.h"
#include "price/gemm.h"
#include "price/moe.h"

struct gemm_call {
	struct gemm gemm;
	double count; /* in a step */
	uint32_t part;
	const char *dtype;
};
/* A kernel that a table has along tokens: hyper-connections. */
struct curve_call {
	struct curve curve;
	double count;
};
struct moe_call {
	struct moe moe;
	double count;
};
struct attention_call {
	double count;
	uint32_t kind; /* SC_ATTN_* */
	double window;
	struct lengths decode, prefill;
	struct sc_launch_call launch;
};
#endif
