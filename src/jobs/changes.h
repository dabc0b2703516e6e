/* jobs/changes.h -- waits for changes of files: of files by name, and of all
 * source files in folders. */
#pragma once
#include <stddef.h>
#include <sys/stat.h>
#include "base/problem.h"

/* Folders with more entries than this are not for one plugin. */
enum { CHANGES_ENTRIES = 20000 };

struct changes_file {
	char *path;
	struct stat is; /* zero: the file does not exist */
	int is_source;
	unsigned by_build; /* how many builds in a row have changed it */
};
/* Zero it before its first use. */
struct changes {
	struct changes_file *file;
	size_t n;
};

/* Adds a file, unless it is there.  A file that `known` has keeps the state
 * that is noted there, because it may have changed since.  Returns 0, or -1 if
 * memory is out. */
int changes_add(struct changes *w, const char *path,
		const struct changes *known);
/* Adds the source files in a folder and in its subfolders, by their endings: C,
 * C++, Rust, Python, Makefiles and others.  Follows no links, and skips hidden
 * folders.  Returns 0, or -1 with *p filled in. */
int changes_add_sources(struct changes *w, const char *folder,
			const struct changes *known, struct problem *p);
size_t changes_sources(const struct changes *w);

/* Returns the file that has changed, after all have rested for a moment,
 * because editors and linkers write a file in pieces. */
const struct changes_file *changes_wait(struct changes *w);
/* After a build: notes the new state of files that it makes.  A source that
 * changed meanwhile counts as a change, unless each of two builds in a row has
 * changed it: then the build writes it. */
void changes_built(struct changes *w);
void changes_free(struct changes *w);
