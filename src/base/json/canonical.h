/* base/json/canonical.h -- JSON in a form that only one text has: keys in byte
 * order, no white space, numbers and strings as the text has them. */
#pragma once
#include <stdio.h>
#include "base/json/json_cursor.h"

struct canonical {
	/* Members of these names are left out at any depth; ends with NULL. */
	const char *const *skip;
	/* Returns a text that stands for the value of a string (without its
	 * quotes, escapes as written), or NULL; the caller frees it.  NULL:
	 * strings stay as they are. */
	char *(*stands_for)(void *user, struct span string);
	void *user;
};
/* Writes the value at the cursor.  Returns 0, or -1 if it is no JSON or memory
 * is out. */
int canonical_write(FILE *f, struct json_cursor *j, const struct canonical *c);
/* Writes the SHA-256 of a JSON text in hex.  Returns 0 or -1. */
int canonical_digest(char hex[65], struct span json, const struct canonical *c);
/* Finds a member of an object.  Returns its value as written; s NULL: it has
 * none. */
struct span canonical_member(struct span object, const char *key);
