/* cost/breakdown.h -- the parts of a step's price, by name: the columns of
 * `eval` and of --write-steps, and their sums over a run.  Times in us. */
#pragma once
#include <stdint.h>
#include <stdio.h>
#include "cost/named.h"
#include "stepcost/plugin.h"

enum part {
	PART_PREFILL_GEMM,
	PART_PREFILL_ATTENTION,
	PART_PREFILL_COMPUTE,
	PART_PREFILL_MEMORY,
	PART_DECODE_GEMM,
	PART_DECODE_ATTENTION,
	PART_DECODE_COMPUTE,
	PART_DECODE_MEMORY,
	PART_COMM,
	PART_OVERHEAD,
	N_PARTS
};
extern const char *const part_name[N_PARTS]; /* "prefill_gemm" */
extern const char *const provenance_name[];  /* [SC_EXACT ...]: "exact" */

/* Returns NaN if the cost model does not have the part. */
double part_of(const sc_result *r, enum part part);
/* Returns a time as a term of a sum: 0 for NaN. */
double breakdown_or_zero(double us);
/* Returns exact_us, or total_us if the cost model does not round. */
double breakdown_exact_us(const sc_result *r);

/* Finds a value by the name of its column: "total_us", "exact_us" (as
 * breakdown_exact_us()), "comm_us" …, "lookups_exact" …  Returns 0, or -1 if
 * there is no such column. */
int breakdown_column(const sc_result *r, const char *name, double *out);
/* Returns "compute", "memory" …, or "" if it is none of SC_BOUND_*. */
const char *breakdown_bound(const sc_result *r);

/* Writes "total_us,exact_us,bound,…,lookups_fallback". */
void breakdown_csv_head(FILE *f);
void breakdown_csv_cells(FILE *f, const sc_result *r);

/* Sums over steps.  Plain data; zeroed means empty. */
struct breakdown {
	uint64_t steps;
	double total_us;
	/* Sums of the parts in the order of sc_result; number of steps that had
	 * each. */
	double sum_us[N_PARTS];
	uint64_t has[N_PARTS];
	/* Parts that the plugin names; the caller fills this in first. */
	struct named_parts named;
	double named_us[2][NAMED_PARTS]; /* by phase, as in sc_result.part_us */
};
/* Adds n steps in that order.  Named parts were asked for in all of them or in
 * none. */
void breakdown_add(struct breakdown *b, uint32_t n, const sc_result *const *r);
/* Returns the sum over all steps; NaN: no step had the part. */
double breakdown_sum_us(const struct breakdown *b, enum part part);
/* Returns the sum of b->named.part[i]; 0: no step had it. */
double breakdown_named_us(const struct breakdown *b, uint32_t i);
