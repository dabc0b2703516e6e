/* report/explain/swap.h -- writes the effect of each part of a step's time by
 * itself, as text and JSON, next to the part's share on the frozen schedule. */
#ifndef SC_REPORT_EXPLAIN_SWAP_H
#define SC_REPORT_EXPLAIN_SWAP_H
#include <stdio.h>
#include "base/json_writer.h"
#include "report/columns.h"
#include "study/explain.h"
#include "study/swap.h"

/* Writes a swap that was run (n_rows > 0). */
void swap_text(const struct swap *s, const struct explain *e, FILE *f);
/* Writes "swap", an object, as a member of the open object. */
void swap_json(const struct swap *s, const struct explain *e, struct jw *j);

/* Fill in the tables of a swap; the caller calls columns_free().  The first row
 * is the head.  swap_effects(): means, and shares on the frozen schedule.
 * swap_tails(): percentiles and capacity.  Parts without an effect have no
 * row. */
void swap_effects(struct columns *c, const struct swap *s,
		  const struct explain *e);
void swap_tails(struct columns *c, const struct swap *s,
		const struct explain *e);
/* Writes sentences that explain the tables. */
void swap_legend(const struct swap *s, FILE *f);
#endif
