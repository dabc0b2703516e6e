/* base/names.h -- a list of names, each a copy that the list owns.  Zeroed
 * memory is an empty list.  Knows nothing of the rest of the program. */
#ifndef SC_BASE_NAMES_H
#define SC_BASE_NAMES_H
#include <stddef.h>
#include <stdio.h>

struct names {
	const char **item; /* [n] in the order they were added */
	size_t n, cap;
};

/* One more name.  0, or -1: out of memory, and nothing changed. */
int names_add(struct names *l, const char *name);
/* The same, unless it is there already. */
int names_add_new(struct names *l, const char *name);
/* The NAMEs of files "NAME" + suffix in a folder, ascending and unless they are
 * there already; hidden files and NAMEs of no letter are none.  No such folder:
 * nothing to add. */
int names_add_files(struct names *l, const char *folder, const char *suffix);
/* The lines of a file, unless they are there already. */
int names_add_lines(struct names *l, FILE *f);
int names_have(const struct names *l, const char *name);
/* "a, b, c", or "a, ..." where not all of it fits; returns buf. */
const char *names_join(const struct names *l, char *buf, size_t size);
void names_free(struct names *l);
/* 1: "key" or "arm.key" of the name "section.key" or "section:arm.key". */
int name_is_tail(const char *tail, const char *name);
#endif
