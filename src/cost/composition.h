/* cost/composition.h -- the composition of a step as three cells of text:
 *   decode   KV lengths          4096;64x15
 *            and tokens verified  4096+4x15
 *   prefill  cached:new tokens   0:513;128:1000x2
 *            and those of the whole prompt, for a chunk  0:512/2048
 *   sampled  sequences that emit a token; default: all of them
 */
#pragma once
#include <stdio.h>
#include "stepcost/plugin.h"

#define STEPS_MAX_SEQUENCES 65536u /* in one step */

/* The columns of a step, which it owns in one block. */
struct composition {
	uint32_t *block;
	sc_step step; /* decode_new is NULL if all are 1; prefill_last is NULL
			 if no prompt is told */
	uint32_t *prefill_prompt; /* [n_prefill]; NULL as prefill_last */
};

/* Reads the cells; sampled may be "".  Returns NULL, or what is wrong
 * (out_of_memory: memory ran out).  The caller calls composition_free() in
 * either case. */
const char *composition_read(struct composition *c, const char *decode,
			     const char *prefill, const char *sampled);
void composition_free(struct composition *c);
/* Returns the mean context of the decodes; NaN: there are none. */
double composition_mean_context(const sc_step *step);

/* Write cells in this form: equal neighbours are counted, the order stays. */
void steps_write_decode(FILE *f, const sc_step *step);
void steps_write_prefill(FILE *f, const sc_step *step);
/* Writes "step,decode,prefill,sampled" as one row, without the line end. */
void steps_write_row(FILE *f, const sc_step *step);
