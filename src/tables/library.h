/* tables/library.h -- sets of tables in memory, each read once.  They do not
 * change until the library is freed: the arms of a process share them, and
 * child processes inherit them.  Zeroed memory is an empty library. */
#pragma once
#include "tables/set.h"

struct library {
	struct library_set **item; /* [n]; the address of a set never changes */
	size_t n;
	/* [n_folders] that were listed */
	struct library_folder **folder;
	size_t n_folders;
};

/* The sets of a folder, and the GPU that each is chosen for: from its MANIFEST,
 * or else the name of the set.  Empty after `auto = no` in the MANIFEST: such a
 * set is used only by its name. */
struct library_folder {
	char *path;
	uint32_t layers;       /* sets with tables for them */
	struct names set, gpu; /* equally many of both */
};
/* Lists a folder, once for the same layers (KERNEL_OF_*).  The library owns the
 * result.  NULL: memory is out. */
const struct library_folder *library_folder(struct library *l, const char *path,
					    uint32_t layers);

/* Reads a set, once for the same layers.  The library owns the result.  Returns
 * NULL with *p filled in as set_load(), the same each time. */
const struct table_set *library_set(struct library *l, const char *path,
				    const char *name, uint32_t layers,
				    struct problem *p);
void library_free(struct library *l);
