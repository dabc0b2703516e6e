/* metrics/source.h -- a text of a server, from a file.  [any thread];
 * no printing. */
#pragma once
#include <stddef.h>
#include "base/problem.h"

/* Returns 1 if the text begins with http:// or https://. */
int source_is_address(const char *where);
/* Puts the text of a file into *text, which ends with a 0
 * and is freed by the caller.  Returns 0, or -1 with *p filled in: EXIT_USAGE,
 * or EXIT_INPUT for a file that is too long. */
int source_read(const char *where, char **text, size_t *n, struct problem *p);
