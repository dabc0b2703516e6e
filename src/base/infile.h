/* base/infile.h -- a file to be read: a regular one, opened close-on-exec.
 * A pipe or a terminal would keep the program waiting, a device would never
 * end; and inputs are read more than once, by several processes. */
#ifndef SC_BASE_INFILE_H
#define SC_BASE_INFILE_H
#include <stdio.h>
#include "base/problem.h"

/* NULL with "path: why" in *p (EXIT_USAGE); p may be NULL. */
FILE *infile_open(const char *path, struct problem *p);
/* One that is held in memory whole, as many times over as its reader says: not
 * longer than that (EXIT_INPUT). */
FILE *infile_open_short(const char *path, unsigned at_most_mib,
			struct problem *p);
#endif
