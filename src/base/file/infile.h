/* base/file/infile.h -- opens a file for reading, close-on-exec.  Only regular
 * files: a pipe or a terminal would make the program wait, a device might never
 * end, and inputs are read more than once, by several processes. */
#pragma once
#include <stdio.h>
#include "base/problem.h"

/* Notes the file as read (inputs.h).  Returns NULL with "path: why" in *p
 * (EXIT_USAGE); p may be NULL. */
FILE *infile_open(const char *path, struct problem *p);
/* Returns 0 if infile_open() would open it, or -1 as that: for a library that
 * opens a file by its path. */
int infile_check(const char *path, struct problem *p);
/* The same as infile_open() for a file that its reader holds in memory, perhaps
 * several times; fails if the file is longer than at_most_mib (EXIT_INPUT). */
FILE *infile_open_short(const char *path, unsigned at_most_mib,
			struct problem *p);
/* Returns the rest of the stream, with a 0 behind its *n bytes (n may be
 * NULL); the caller frees it.  NULL with errno: it cannot be read, or memory is
 * out. */
char *infile_rest(FILE *f, size_t *n);
/* The same for a whole file of at most that many MiB.  Returns NULL with *p
 * filled in as infile_open_short(). */
char *infile_read(const char *path, unsigned at_most_mib, size_t *n,
		  struct problem *p);
