/* tables/table_set.h -- the tables of a set and the files they were read from,
 * as those who read them fill it. */
#ifndef SC_TABLES_TABLE_SET_H
#define SC_TABLES_TABLE_SET_H
#include <dirent.h>
#include "base/ini.h"
#include "base/problem.h"
#include "tables/table.h"

struct table_file {
	char *name; /* within PATH */
	char sha256[65];
};
struct table_set {
	char *name;
	struct ini manifest;
	const char **note;
	struct table **table;  /* [n] */
	const sc_table **view; /* [n], by op in ascending order */
	uint32_t n;
	struct table_file *file; /* [n_files], what they were read from */
	uint32_t n_files;
};

/* Who is told of a table that cannot be read, when the others are wanted. */
struct table_bad {
	void (*tell)(void *user, const struct problem *p);
	void *user;
};
/* 0 for a table that was read, or that was told as bad; -1 where nobody is
 * (bad NULL). */
int table_bad_tell(const struct table_bad *bad, int rc,
		   const struct problem *p);

/* Moves a table into the set, as its last; frees it if that fails.  0, or -1
 * with *p. */
int table_set_take(struct table_set *s, struct table *t, struct problem *p);
/* Reads the table PATH/NAME, which it notes in s->file with its hash.  0, or -1
 * with *p, and nothing to free. */
int table_set_read(struct table_set *s, struct table *t, const char *path,
		   const char *name, struct problem *p);
/* For scandir(): a CSV, also one that is compressed. */
int table_set_is_file(const struct dirent *d);
#endif
