/* report/swap.h -- what each part of a step's time does by itself, as text and
 * JSON, beside what the frozen schedule says of it. */
#ifndef SC_REPORT_SWAP_H
#define SC_REPORT_SWAP_H
#include <stdio.h>
#include "base/json_writer.h"
#include "study/explain.h"
#include "study/swap.h"

/* Of a metric by name: the row's value minus the first row's; NaN: one of them
 * has none. */
double swap_effect(const struct swap *s, size_t row, const char *metric);
/* A row's share of the difference of both arms on a frozen schedule, by
 * ATTRIBUTION_*, ms; of the last row all of it.  NaN: there is none. */
double swap_frozen_ms(const struct swap *s, const struct explain *e, size_t row,
		      int about);

void swap_text(const struct swap *s, const struct explain *e, FILE *f);
/* "swap": an object, a member of the open object. */
void swap_json(const struct swap *s, const struct explain *e, struct jw *j);
#endif
