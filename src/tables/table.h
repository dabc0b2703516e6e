/* tables/table.h -- one measured table, a CSV of a set, and the set it belongs
 * to.  set.h says what stands in one. */
#ifndef SC_TABLES_TABLE_H
#define SC_TABLES_TABLE_H
#include <dirent.h>
#include <stdio.h>
#include "base/ini.h"
#include "stepcost/plugin.h"

struct table {
	sc_table view; /* what plugins see; points into this struct */
	char *origin, *op;
	char **head;
	double **col;
	char ***text;
	uint64_t *line; /* of the file, of each row */
	uint64_t cap;   /* rows there is room for */
	uint64_t at;    /* the line being read */
	char why[160];  /* room for what is wrong with it */
};
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

/* The next table of the set, zeroed.  It stays the caller's until he has
 * counted it in s->n.  NULL: *p. */
struct table *set_new_table(struct table_set *s, struct problem *p);
/* The file PATH/NAME, also noted in s->file with its hash. */
int set_read_file(struct table_set *s, struct table *t, const char *path,
		  const char *name, struct problem *p);
int set_is_table(const struct dirent *d);

/* One table.  origin: path for messages; its last part names the op. */
int table_read(struct table *t, FILE *f, const char *origin, struct problem *p);
void table_free(struct table *t);
#endif
