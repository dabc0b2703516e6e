/* tables/table_set.h -- the tables of a set and the files they were read from;
 * the readers of table sets fill it in. */
#pragma once
#include <dirent.h>
#include "base/ini.h"
#include "base/names.h"
#include "base/problem.h"
#include "tables/table.h"

struct table_file {
	char *name; /* within PATH */
	/* from the layout; NULL: the name decides */
	const char *op;
	const char *const *columns; /* for a file without a header, or NULL */
	char sha256[65];
};
struct table_set {
	char *name;
	struct ini manifest;
	const char **note;
	struct table **table;  /* [n] */
	const sc_table **view; /* [n] ascending by op */
	uint32_t n;
	struct table_file *file; /* [n_files] that were read */
	uint32_t n_files;
	/* "file:line: why" of tables with unknown number formats. */
	struct names left_out;
};

/* Receives the tables that cannot be read, for a caller that wants the
 * others. */
struct table_bad {
	void (*tell)(void *user, const struct problem *p);
	void *user;
};
/* Handles rc of table_set_read().  Returns 0 if the table was read, if it was
 * reported through *bad, or if its number format is unknown, which goes to
 * s->left_out.  Returns -1 if bad is NULL. */
int table_set_tell(struct table_set *s, const struct table_bad *bad, int rc,
		   struct problem *p);

/* Moves a table into the set as its last; frees it if that fails.  Returns 0,
 * or -1 with *p filled in. */
int table_set_take(struct table_set *s, struct table *t, struct problem *p);
/* Frees the tables and files of a set. */
void table_set_clear(struct table_set *s);
/* Reads the table PATH/of->name, and adds *of with its hash to s->file.
 * Returns 0, or below 0 as table_read() with *p filled in and nothing to
 * free. */
int table_set_read(struct table_set *s, struct table *t, const char *path,
		   const struct table_file *of, struct problem *p);
/* For folder_list(): accepts CSV files, also compressed ones. */
int table_set_is_file(const struct dirent *d);
