/* base/searchpath.h -- a ':'-separated list of folders, and one that comes
 * last. Knows nothing of the rest of the program. */
#ifndef SC_BASE_SEARCHPATH_H
#define SC_BASE_SEARCHPATH_H
#include "base/names.h"

struct searchpath {
	struct names folder; /* none twice, in the order they are searched */
};

/* path and last may be NULL; sub ("" for none) is a folder in each.  Empty
 * parts of the path, and folders given before, are left out.  0, or -1: out of
 * memory. */
int searchpath_make(struct searchpath *s, const char *path, const char *last,
		    const char *sub);
/* One more, unless it is there.  0, or -1: out of memory. */
int searchpath_add(struct searchpath *s, const char *folder);
void searchpath_free(struct searchpath *s);
#endif
