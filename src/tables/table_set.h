/* tables/table_set.h -- the tables of a set and the files they were read from,
 * as those who read them fill it. */
#ifndef SC_TABLES_TABLE_SET_H
#define SC_TABLES_TABLE_SET_H
#include <dirent.h>
#include "base/ini.h"
#include "base/names.h"
#include "base/problem.h"
#include "tables/table.h"

struct table_file {
	char *name; /* within PATH */
	const char
	    *op; /* of its table, as the layout says; NULL: as the name */
	const char *const *columns; /* if it has no header, or NULL */
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
	/* "file:line: why" of tables in number formats that are not known */
	struct names left_out;
};

/* Who is told of a table that cannot be read, when the others are wanted. */
struct table_bad {
	void (*tell)(void *user, const struct problem *p);
	void *user;
};
/* What became of a table, rc of table_set_read(): 0 if it was read, was told as
 * bad, or is in an unknown number format, which s->left_out then says; -1 where
 * nobody is told (bad NULL). */
int table_set_tell(struct table_set *s, const struct table_bad *bad, int rc,
		   struct problem *p);

/* Moves a table into the set, as its last; frees it if that fails.  0, or -1
 * with *p. */
int table_set_take(struct table_set *s, struct table *t, struct problem *p);
/* Reads the table PATH/of->name, and notes *of with its hash in s->file.  0,
 * or below it as table_read() with *p, and nothing to free. */
int table_set_read(struct table_set *s, struct table *t, const char *path,
		   const struct table_file *of, struct problem *p);
/* For scandir(): a CSV, also one that is compressed. */
int table_set_is_file(const struct dirent *d);
#endif
