/* base/ini.h -- an INI file as a flat list; knows nothing of cost models.
 * Also reads a table set's MANIFEST, which is an INI without sections.
 * Strings live until ini_free(). */
#ifndef SC_BASE_INI_H
#define SC_BASE_INI_H
#include <stddef.h>
#include <stdint.h>
#include "base/problem.h"

struct ini_item {
	char *section, *key, *value;
	char *at;      /* "file:line", or the option that gave it ("--set"), for
			  messages */
	uint64_t hash; /* of section and key, to find them by */
};
struct ini {
	char *path; /* the file; paths in it are relative to its folder */
	struct ini_item *item;
	size_t n;
	struct ini_item *head; /* each [section] line, empty ones too: key and
				  value are "" */
	size_t n_heads;
};

/* 0, or -1 with "path:line: what" (EXIT_USAGE) in *p. */
int ini_load(struct ini *c, const char *path, struct problem *p);
int ini_read(struct ini *c, const char *text, size_t len, struct problem *p);
/* "section.key=value", split at the last dot before the first '='; replaces
 * what the file says, and an earlier override. */
int ini_override(struct ini *c, const char *assignment, struct problem *p);
/* Sets a key that stands at `at`; replaces what was there.  All are copied. */
int ini_put(struct ini *c, const char *section, const char *key,
	    const char *value, const char *at, struct problem *p);
/* NULL if absent. */
const struct ini_item *ini_find(const struct ini *c, const char *section,
				const char *key);
/* The same; the key is what stands behind the prefix there. */
const struct ini_item *ini_find_behind(const struct ini *c, const char *section,
				       const char *prefix, const char *key);
const char *ini_get(const struct ini *c, const char *section, const char *key);
/* An option gave it, and not the file.  t may be NULL. */
int ini_by_option(const struct ini_item *t);
/* "file:line" of [section], or the file if --set alone has it; for messages. */
const char *ini_section_at(const struct ini *c, const char *section);
/* A path as written in the file, made relative to the working directory.
 * Free it; NULL: out of memory. */
char *ini_resolve_path(const struct ini *c, const char *path);
/* The same for a path in the value of [section] key; one that an option gave is
 * relative to the working directory already. */
char *ini_resolve_key(const struct ini *c, const char *section, const char *key,
		      const char *path);
void ini_free(struct ini *c);
#endif
