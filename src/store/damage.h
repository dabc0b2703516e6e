/* store/damage.h -- rows of a store that are not as they were written: finds,
 * names and drops them. [one thread]; no printing. */
#pragma once
#include "store/store.h"

/* Plain data; zeroed: none. */
struct damage {
	uint64_t n, named;
	char rows[500]; /* those that are named: the first ones */
};
void damage_add(struct damage *d, const char *row);
/* Says which rows of the file are damaged and what happens to them.  Returns
 * -1. */
int damage_say(const struct damage *d, const char *file, const char *what,
	       struct problem *p);

/* Receives the name of a damaged row. */
typedef void damage_row_fn(void *user, const char *row);
/* Looks at all rows.  Returns 0, or -1 with *p filled in; then *good counts the
 * rows before the failure. */
int damage_find(struct store *s, damage_row_fn *on_row, void *user,
		uint64_t *good, struct problem *p);
/* Deletes the damaged rows of a store that is being written, so that a sweep
 * computes them again.  *d tells which.  Returns 0, or -1 with *p filled in,
 * and nothing is deleted: also if the file itself is not in order. */
int damage_drop(struct store *s, struct damage *d, struct problem *p);
