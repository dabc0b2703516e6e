/* base/names.h -- a list of names; the list owns a copy of each.  Zeroed memory
 * is an empty list.  Knows nothing of the rest of the program. */
#pragma once
#include <stddef.h>
#include <stdio.h>

struct names {
	const char **item; /* [n] in the order of their addition */
	size_t n, cap;
};

/* Adds a name.  Returns 0, or -1 with the list unchanged if memory is out. */
int names_add(struct names *l, const char *name);
/* The same, unless the list has the name already. */
int names_add_new(struct names *l, const char *name);
/* Adds NAME for each file "NAME" + suffix in a folder, in ascending order,
 * unless the list has it already.  Skips hidden files and empty NAMEs.  A
 * folder that does not exist adds nothing. */
int names_add_files(struct names *l, const char *folder, const char *suffix);
/* Adds the lines of a file, unless the list has them already.  -1 with errno.
 */
int names_add_lines(struct names *l, FILE *f);
int names_have(const struct names *l, const char *name);
/* Writes "a, b, c", or "a, ..." if not all names fit.  Returns buf. */
const char *names_join(const struct names *l, char *buf, size_t size);
void names_free(struct names *l);
/* Returns 1 if tail is "key" or "arm.key" of the name "section.key" or
 * "section:arm.key". */
int name_is_tail(const char *tail, const char *name);
