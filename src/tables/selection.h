/* tables/selection.h -- the measured tables that a cost model gets: the tables
 * of several sets, in the order of the sets, without those that a MANIFEST
 * excludes from pricing (`not_priced = moe_suspect, …`).
 *
 * Notes are those of the MANIFEST.  If a set belongs to another GPU than the
 * arm's, the note `stands_in_for` with the arm's hardware follows. */
#pragma once
#include "tables/choice.h"

struct selection {
	const struct table_set **set; /* [n_sets]; the library owns them */
	size_t n_sets;
	const sc_table **view; /* [n] for sc_setup.table */
	uint32_t n;
	sc_table *table;   /* the structs that view points to */
	const char **note; /* notes of all sets */
};

/* h: the GPU of the arm.  The library must outlive the selection.  Returns 0,
 * or -1 with *p filled in: a set cannot be read.  The caller calls
 * selection_free() in either case. */
int selection_make(struct selection *s, struct library *l,
		   const struct set_choice *c, const struct hardware *h,
		   struct problem *p);
void selection_free(struct selection *s);
