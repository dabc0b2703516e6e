/* cost/steps.h -- steps as text: the CSV "step,decode,prefill[,sampled]", read
 * and written.
 *   decode   KV lengths          4096;64x15
 *            and tokens verified  4096+4x15
 *   prefill  cached:new tokens   0:513;128:1000x2
 *   sampled  sequences that emit a token; default: all of them */
#ifndef SC_COST_STEPS_H
#define SC_COST_STEPS_H
#include <stdio.h>
#include "base/problem.h"
#include "stepcost/plugin.h"

#define STEPS_MAX_SEQUENCES 65536u /* in one step */

struct given_step {
	char *name;   /* the column `step`, as it stands; its step_index, if it
			  is a whole number, else that is the row's place */
	sc_step step; /* its columns point into the three below */
	uint32_t *prefill_new, *prefill_ctx, *decode_ctx;
	uint32_t *decode_new; /* step.decode_new is NULL if all are 1 */
};
struct steps {
	struct given_step *item;
	size_t n, cap;
};

/* 0, or -1 with "origin:line: what" (EXIT_INPUT) in *p. */
int steps_read(struct steps *s, FILE *f, const char *origin, struct problem *p);
void steps_free(struct steps *s);

/* Cells of the same form: neighbours that are alike are counted, order
 * stays. */
void steps_write_decode(FILE *f, const sc_step *step);
void steps_write_prefill(FILE *f, const sc_step *step);
/* "step,decode,prefill,sampled" as one row, without the end of the line. */
void steps_write_row(FILE *f, const sc_step *step);
#endif
