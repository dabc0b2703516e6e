/* cost/steps.h -- reads and writes steps as CSV:
 * "step,decode,prefill[,sampled]".
 *   decode   KV lengths          4096;64x15
 *            and tokens verified  4096+4x15
 *   prefill  cached:new tokens   0:513;128:1000x2
 *   sampled  sequences that emit a token; default: all of them
 */
#ifndef SC_COST_STEPS_H
#define SC_COST_STEPS_H
#include <stdio.h>
#include "base/problem.h"
#include "stepcost/plugin.h"

#define STEPS_MAX_SEQUENCES 65536u /* in one step */

struct given_step {
	/* The column `step` as written; it is the step_index if it is a whole
	 * number, otherwise the number of the row is. */
	char *name;
	sc_step step; /* its columns point into the arrays below */
	uint32_t *prefill_new, *prefill_ctx, *decode_ctx;
	uint32_t *decode_new; /* step.decode_new is NULL if all are 1 */
};
struct steps {
	struct given_step *item;
	size_t n, cap;
};

/* Returns 0, or -1 with "origin:line: what" in *p (EXIT_INPUT). */
int steps_read(struct steps *s, FILE *f, const char *origin, struct problem *p);
void steps_free(struct steps *s);

/* Write cells in this form: equal neighbours are counted, the order stays. */
void steps_write_decode(FILE *f, const sc_step *step);
void steps_write_prefill(FILE *f, const sc_step *step);
/* Writes "step,decode,prefill,sampled" as one row, without the line end. */
void steps_write_row(FILE *f, const sc_step *step);
#endif
