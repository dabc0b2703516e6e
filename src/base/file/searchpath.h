/* base/file/searchpath.h -- a ':'-separated list of folders, the folder of the
 * user's own files, and a last folder.  Of the rest of the program it knows
 * only the name. */
#pragma once
#include "base/names.h"

struct searchpath {
	struct names folder; /* in the order of search; none twice */
	int is_whole; /* 1: the path began with '!' (searchpath_make_user()) */
};

/* path and last may be NULL.  sub is a subfolder of each folder, "" for none.
 * Skips empty parts of the path and folders that came before.  Returns 0, or -1
 * if memory is out. */
int searchpath_make(struct searchpath *s, const char *path, const char *last,
		    const char *sub);
/* Adds a folder unless it is there already.  Returns 0, or -1 if memory is
 * out. */
int searchpath_add(struct searchpath *s, const char *folder);
/* Adds the user's own folder: $XDG_DATA_HOME/stepcost/SUB or
 * $HOME/.local/share/stepcost/SUB (XDG Base Directory Specification 0.8: a
 * relative $XDG_DATA_HOME counts as unset).  Adds nothing if neither is set.
 * Returns 0, or -1 if memory is out. */
int searchpath_add_user(struct searchpath *s, const char *sub);
/* As searchpath_make(), with the user's own folder `user` before the last.  A
 * path that begins with '!' is the whole list, without these two.
 * Returns 0, or -1 if memory is out. */
int searchpath_make_user(struct searchpath *s, const char *path,
			 const char *user, const char *last, const char *sub);
void searchpath_free(struct searchpath *s);
