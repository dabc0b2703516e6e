/* base/ini.h -- an INI file as a flat list; knows nothing of cost models.  It
 * also reads the MANIFEST of a table set, which is an INI without sections.
 * Strings live until ini_free(). */
#pragma once
#include <stddef.h>
#include <stdio.h>
#include <stdint.h>
#include "base/problem.h"

struct ini_item {
	char *section, *key, *value;
	/* For messages: "file:line", or the option that set it ("--set"). */
	char *at;
	uint64_t hash; /* of section and key, for lookups */
};
struct ini {
	char *path; /* the file; relative paths in it start from its folder */
	struct ini_item *item;
	size_t n;
	/* Each [section] line, including empty sections; key and value are
	 * "". */
	struct ini_item *head;
	size_t n_heads;
};

/* Both return 0, or -1 with "path:line: what" in *p (EXIT_USAGE). */
int ini_load(struct ini *c, const char *path, struct problem *p);
int ini_read(struct ini *c, const char *text, size_t len, struct problem *p);
/* Applies "section.key=value", split at the last dot before the first '='.
 * Replaces the value in the file and an earlier override. */
int ini_override(struct ini *c, const char *assignment, struct problem *p);
/* Returns "; a comment begins with ';'" for a value with " #", else "". */
const char *ini_comment_hint(const char *value);
/* Sets a key, with `at` as its place for messages; replaces an earlier value.
 * Copies all texts. */
int ini_put(struct ini *c, const char *section, const char *key,
	    const char *value, const char *at, struct problem *p);
/* Removes a key; does nothing if it is absent. */
void ini_drop(struct ini *c, const char *section, const char *key);
/* Returns NULL if the key is absent. */
const struct ini_item *ini_find(const struct ini *c, const char *section,
				const char *key);
/* The same for a key that has the prefix in front of it in the file. */
const struct ini_item *ini_find_behind(const struct ini *c, const char *section,
				       const char *prefix, const char *key);
const char *ini_get(const struct ini *c, const char *section, const char *key);
/* Returns 1 if an option set the value, and not the file.  t may be NULL. */
int ini_by_option(const struct ini_item *t);
/* Returns 1 if a command made the value, by an option other than --set (--axis,
 * --ablate).  t may be NULL. */
int ini_is_made(const struct ini_item *t);
/* Returns "file:line" of [section] for messages, or the path of the file if
 * only --set has the section. */
const char *ini_section_at(const struct ini *c, const char *section);
/* Turns a path as written in the file into a path relative to the working
 * directory; settings without a file (path NULL) are relative to it already.
 * The caller frees it; NULL: memory is out. */
char *ini_resolve_path(const struct ini *c, const char *path);
/* The same for a path in the value of [section] key.  If an option set the
 * value, the path is relative to the working directory already. */
char *ini_resolve_key(const struct ini *c, const char *section, const char *key,
		      const char *path);
/* Writes what ini_load() reads back with the same meaning, from any folder: a
 * relative path that exists becomes an absolute one, also behind a word and a
 * colon.  Returns 0, or -1 with *p for a value that no line of an INI holds. */
int ini_write(const struct ini *c, FILE *f, struct problem *p);
void ini_free(struct ini *c);
