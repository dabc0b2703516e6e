/* tables/selection.h -- what a cost model is told of measured kernels: the
 * tables of several sets, in the order of the sets, without those that a
 * MANIFEST says are not to be priced with (`not_priced = moe_suspect, …`).
 *
 * Notes are those of the MANIFEST; behind them, where a set is of another GPU
 * than the arm's, `stands_in_for` with the arm's hardware. */
#ifndef SC_TABLES_SELECTION_H
#define SC_TABLES_SELECTION_H
#include "tables/choice.h"

struct selection {
	const struct table_set **set; /* [n_sets], the library's */
	size_t n_sets;
	const sc_table **view; /* [n], as sc_setup has it */
	uint32_t n;
	sc_table *table;   /* what the views are of */
	const char **note; /* of all sets */
};

/* h: the arm's GPU.  The library must outlive the selection.  0, or -1 with *p:
 * a set cannot be read.  selection_free() in either case. */
int selection_make(struct selection *s, struct library *l,
		   const struct set_choice *c, const struct hardware *h,
		   struct problem *p);
void selection_free(struct selection *s);
#endif
