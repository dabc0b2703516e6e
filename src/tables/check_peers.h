/* tables/check_peers.h -- a table against those of the other sets in its
 * folder: kernels that nobody tuned, and files of another GPU. */
#ifndef SC_TABLES_CHECK_PEERS_H
#define SC_TABLES_CHECK_PEERS_H
#include "tables/checked_table.h"
#include "tables/library.h"

struct peers {
	const struct table_set *self;   /* never compared with itself */
	const struct table_set **other; /* [n], of the folder; the library's */
	int *same_gpu;                  /* [n] */
	size_t n;
};

/* The sets of the folder `path` that can be read.  0, or -1: out of memory;
 * peers_free() in either case. */
int peers_find(struct peers *s, struct library *l, const char *path,
	       const struct table_set *self);
void peers_free(struct peers *s);

/* of: the table's file.  0, or -1 with *p. */
int tables_check_peers(const struct checked_table *c,
		       const struct table_file *of, const struct peers *s,
		       struct problem *p);
#endif
