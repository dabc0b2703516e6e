/* report/explain/swap.h -- what each part of a step's time does by itself, as
 * text and JSON, beside what the frozen schedule says of it. */
#ifndef SC_REPORT_EXPLAIN_SWAP_H
#define SC_REPORT_EXPLAIN_SWAP_H
#include <stdio.h>
#include "base/json_writer.h"
#include "report/columns.h"
#include "study/explain.h"
#include "study/swap.h"

/* All of a swap that was run (n_rows > 0). */
void swap_text(const struct swap *s, const struct explain *e, FILE *f);
/* "swap": an object, a member of the open object. */
void swap_json(const struct swap *s, const struct explain *e, struct jw *j);

/* Its tables, the first row being the head; columns_free() them: means and
 * their shares on the frozen schedule; percentiles and capacity.  Parts that
 * move nothing are left out. */
void swap_effects(struct columns *c, const struct swap *s,
		  const struct explain *e);
void swap_tails(struct columns *c, const struct swap *s,
		const struct explain *e);
/* What they mean, in sentences. */
void swap_legend(const struct swap *s, FILE *f);
#endif
