/* checks.c -- Lists the promises of plugin.h, and the steps that test them. */
#include "plugin/checks.h"
#include <stdio.h>
#include "base/text.h"
#include "plugin/checks_bits.h"
#include "plugin/checks_effects.h"
#include "plugin/checks_figures.h"
#include "plugin/checks_kernels.h"
#include "plugin/checks_knobs.h"
#include "plugin/checks_work.h"

/* ---- the list ---- */

const struct check check_list[] = {
    {"finite and positive on the grid", check_prices, 0, 0, NULL},
    {"an empty step", check_prices, 0, 0, "0,,\n"},
    {"one token", check_prices, 0, 0, "0,,0:1\n1,1,\n"},
    {"a context of 1,000,000 tokens", check_extremes, 0, 0,
     "0,1000000,\n1,,1000000:1\n2,,0:1000000\n"},
    {"4,096 requests", check_extremes, 0, 0,
     "0,512x4096,\n1,512x4095,0:512\n2,,0:8x4096\n"},
    {"same step, same bits", check_same_bits, 0, 0, NULL},
    {"two instances asked in turn: the bits of one alone", check_interleaved, 0,
     0, NULL},
    {"two threads: the bits of one alone", check_threads, 0, 0, NULL},
    {"the order of requests changes no bit", check_permuted,
     SC_CAP_ORDER_SENSITIVE, 0, NULL},
    {"with and without the sum of contexts: the same bits", check_reported_sum,
     0, 0, NULL},
    {"more work takes no less time", check_monotone, SC_CAP_NOT_MONOTONE, 0,
     NULL},
    {"a batch of steps: the bits of one by one", check_batches, 0, 0, NULL},
    {"eval() only computes", check_computes_only, 0, SC_CAP_DOES_IO, NULL},
    {"no output, no changed modes, nothing overwritten", check_leaves_alone, 0,
     0, NULL},
    {"parts are finite and add up", check_parts, 0, 0, NULL},
    {"kernel() prices what eval() adds up", check_kernels, 0, 0,
     "0,1000,\n1,,0:2048\n2,,4096:512\n"},
    {"with and without the fields since ABI 1.3: the same bits",
     check_asked_for_less, 0, 0, NULL},
    {"quantiles enclose the time, deviations are not negative", check_sureness,
     0, 0, NULL},
    {"MFU in effect lies between those looked up, FLOPs", check_work_in_use, 0,
     0, NULL},
    {"knobs act where they say so", check_knobs_act, 0, SC_CAP_DOES_IO, NULL},
    {"time of a request outside of steps", check_request_costs, 0, 0,
     "0,,0:1\n"},
    {"tables that it needs", check_needs, 0, 0, "0,,0:1\n"},
    {"an instance leaves nothing behind", check_leaves_nothing, 0, 0,
     "0,,0:1\n"},
    {"coverage", check_coverage, 0, 0, NULL},
    {"speed", check_speed, 0, 0, "0,,0:1\n"},
};

const size_t check_count = sizeof check_list / sizeof *check_list;

char *check_grid(void)
{
	static const char *const mixed[] = {
	    "8192;64x15,",          "4096x3;128,",           ",0:512x3",
	    ",0:100;512:300",       "1024x32,0:512",         "64,0:1",
	    "4096x8;64x8,512:2048", "2000x200,0:8192;100:1", "512x128,0:16x4"};
	static const uint32_t batch[] = {1, 2, 3, 7, 16, 64, 256};
	static const uint32_t kv[] = {1,    15,   16,    100,
				      1024, 5000, 32768, 131072};
	static const uint32_t fresh[] = {1,   2,   10,   15,   20,
					 100, 512, 2048, 8192, 65536};
	static const uint32_t past[] = {0, 1, 512, 20000};
	struct text t;
	FILE *f = text_begin(&t);
	if (!f)
		return NULL;
	for (size_t b = 0; b < sizeof batch / sizeof *batch; b++)
		for (size_t k = 0; k < sizeof kv / sizeof *kv; k++)
			fprintf(f, "0,%ux%u,\n", kv[k], batch[b]);
	for (size_t n = 0; n < sizeof fresh / sizeof *fresh; n++)
		for (size_t k = 0; k < sizeof past / sizeof *past; k++)
			fprintf(f, "0,,%u:%u\n", past[k], fresh[n]);
	for (size_t i = 0; i < sizeof mixed / sizeof *mixed; i++)
		fprintf(f, "0,%s\n", mixed[i]);
	return text_end(&t);
}
