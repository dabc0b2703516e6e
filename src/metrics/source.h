/* metrics/source.h -- a text of a server, from a file or an address.  [main];
 * no printing. */
#ifndef SC_METRICS_SOURCE_H
#define SC_METRICS_SOURCE_H
#include <stddef.h>
#include "base/problem.h"

/* Puts the text of a file or of an http address into *text, which ends with a 0
 * and is freed by the caller.  Returns 0, or -1 with *p filled in: EXIT_USAGE,
 * or EXIT_INPUT for a file that is too long. */
int source_read(const char *where, char **text, size_t *n, struct problem *p);
#endif
