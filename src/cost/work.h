/* cost/work.h -- the FLOPs and bytes of a step, its MFU in effect, and how sure
 * its price is: the last columns of `eval` and of --write-steps, by name. */
#pragma once
#include <stdio.h>
#include "stepcost/plugin.h"

enum { N_WORK = 11 };
extern const char *const work_name[N_WORK]; /* "flops", "bytes" ... */

/* NaN where the cost model does not tell. */
struct work {
	double value[N_WORK];
};

/* kv_bytes is the sum of both phases; sigma_us is the root of the sum of
 * squares of the model's n_sigma sources, if the answer has them. */
void work_of(struct work *w, const sc_result *r, uint32_t n_sigma);
/* Finds a value by the name of its column.  Returns 0, or -1: no such name. */
int work_column(const sc_result *r, const char *name, double *out);
/* Write ",flops,bytes,...", and the cells; nothing for NaN. */
void work_csv_head(FILE *f);
void work_csv_cells(FILE *f, const struct work *w);
