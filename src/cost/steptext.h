/* cost/steptext.h -- a step as the cells of a steps file, the inverse of
 * steps.h: decode   KV lengths          4096;64x15 prefill  cached:new tokens
 * 0:513;128:1000x2 Neighbours that are alike are counted, order stays.  Decodes
 * of more than one token have no such form and are written as KV lengths alone.
 */
#ifndef SC_COST_STEPTEXT_H
#define SC_COST_STEPTEXT_H
#include <stdio.h>
#include "stepcost/plugin.h"

void steptext_decode(FILE *f, const sc_step *step);
void steptext_prefill(FILE *f, const sc_step *step);
/* "step,decode,prefill,sampled" as one row, without the end of the line. */
void steptext_row(FILE *f, const sc_step *step);
#endif
