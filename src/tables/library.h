/* tables/library.h -- sets of tables in memory, each read once.  What is read
 * stays as it is until the library is freed: the arms of a process share it,
 * and child processes inherit it.  Zeroed memory is an empty library. */
#ifndef SC_TABLES_LIBRARY_H
#define SC_TABLES_LIBRARY_H
#include "tables/set.h"

struct library {
	struct library_set **item; /* [n]; a set never moves */
	size_t n;
	struct library_folder *
	    *folder; /* [n_folders], those that were listed */
	size_t n_folders;
};

/* The sets of a folder, and the GPU that each one's MANIFEST names, or else the
 * name of the set. */
struct library_folder {
	char *path;
	struct names set, gpu; /* as many of each */
};
/* Listed unless it has been; the library's.  NULL: out of memory. */
const struct library_folder *library_folder(struct library *l,
					    const char *path);

/* The set, read unless it has been; the library's.  NULL with *p, the same each
 * time: as set_load(). */
const struct table_set *library_set(struct library *l, const char *path,
				    const char *name, struct problem *p);
void library_free(struct library *l);
#endif
