/* tables/check_other_sets.h -- compares a table with the other sets in its
 * folder, to find kernels that were not tuned, and files of another GPU. */
#pragma once
#include "tables/checked_table.h"
#include "tables/library.h"

struct other_sets {
	const struct table_set *self; /* not compared with itself */
	/* [n] sets of the folder; the library owns them */
	const struct table_set **other;
	int *same_gpu; /* [n] */
	size_t n;
};

/* Finds the sets of the folder `path` that can be read.  Returns 0, or -1 if
 * memory is out.  The caller calls other_sets_free() in either case. */
int other_sets_find(struct other_sets *s, struct library *l, const char *path,
		    const struct table_set *self);
void other_sets_free(struct other_sets *s);

/* of: the file of the table.  Returns 0, or -1 with *p filled in. */
int tables_check_other_sets(const struct checked_table *c,
			    const struct table_file *of,
			    const struct other_sets *s, struct problem *p);
