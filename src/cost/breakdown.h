/* cost/breakdown.h -- what a step's answer is made of, by name: the columns of
 * `eval` and of --write-steps, and their sums over a run.  Times in us.
 */
#ifndef SC_COST_BREAKDOWN_H
#define SC_COST_BREAKDOWN_H
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
extern const char *const part_name[N_PARTS]; /* "prefill_gemm"   */
extern const char *const bound_name[];       /* by SC_BOUND_*    */
/* By SC_EXACT ...: "exact"; NULL behind the last, as choices of an option end.
 */
extern const char *const provenance_name[SC_N_PROVENANCE + 1];

/* The first class that --strict[=CLASS] refuses: choice as an option of choices
 * provenance_name + SC_CLAMPED has it; without a class SC_FALLBACK, without the
 * option SC_N_PROVENANCE. */
uint32_t breakdown_strict(int choice);

/* NaN: the model does not have it. */
double part_of(const sc_result *r, enum part part);
/* A time that the model may not have, as a term of a sum: 0 for NaN. */
double breakdown_or_zero(double us);
/* exact_us; total_us, if the model does not round. */
double breakdown_exact_us(const sc_result *r);

/* "total_us", "exact_us" (as breakdown_exact_us() has it), "comm_us" …,
 * "lookups_exact" …, as columns are called.  0, or -1: no such column. */
int breakdown_column(const sc_result *r, const char *name, double *out);
/* "compute", "memory" …; "" if it is none of SC_BOUND_*. */
const char *breakdown_bound(const sc_result *r);

/* "total_us,exact_us,bound,…,lookups_fallback" */
void breakdown_csv_head(FILE *f);
void breakdown_csv_cells(FILE *f, const sc_result *r);

/* Sums over steps.  Plain data; zeroed is empty. */
struct breakdown {
	uint64_t steps;
	double total_us;
	/* of parts, in the order of sc_result; steps whose answer had them */
	double sum_us[N_PARTS];
	uint64_t has[N_PARTS];
	/* those that the plugin names; the caller's to fill in at first */
	struct named_parts named;
	double named_us[2][NAMED_PARTS]; /* by phase, as in sc_result */
};
/* Of n steps, in that order; of all of them the parts were asked for, or of
 * none. */
void breakdown_add(struct breakdown *b, uint32_t n, const sc_result *const *r);
/* Over all steps; NaN: none had it. */
double breakdown_sum_us(const struct breakdown *b, enum part part);
/* Of b->named.part[i]; 0: none had it. */
double breakdown_named_us(const struct breakdown *b, uint32_t i);
#endif
