/* base/searchpath.h -- a ':'-separated list of folders, the folder of the
 * user's own files, and one that comes last.  Knows nothing of the rest of the
 * program but its name. */
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
/* The user's own: $XDG_DATA_HOME/stepcost/SUB, or
 * $HOME/.local/share/stepcost/SUB (XDG Base Directory Specification 0.8: a
 * relative $XDG_DATA_HOME counts as unset); neither is set: none.  0, or -1:
 * out of memory. */
int searchpath_add_user(struct searchpath *s, const char *sub);
/* As searchpath_make(), with the user's own folder `user` before the last.  0,
 * or -1: out of memory. */
int searchpath_make_user(struct searchpath *s, const char *path,
			 const char *user, const char *last, const char *sub);
void searchpath_free(struct searchpath *s);
#endif
