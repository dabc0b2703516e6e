/* tables/table.h -- one measured table, a CSV of a set, and the set it belongs
 * to.  set.h says what stands in one. */
#ifndef SC_TABLES_TABLE_H
#define SC_TABLES_TABLE_H
#include <dirent.h>
#include <stdio.h>
#include "base/ini.h"
#include "stepcost/plugin.h"

struct bench_table {
	sc_table view; /* what plugins see; points into this struct */
	char *origin, *op;
	char **head;
	double **col;
	char ***text;
	uint64_t *line; /* of the file, of each row */
	uint64_t cap;   /* rows there is room for */
	uint64_t at;    /* the line being read */
};
struct bench_file {
	char *name; /* within PATH */
	char sha256[65];
};
struct bench_set {
	char *name;
	struct cfg manifest;
	const char **note;
	struct bench_table **table; /* [n] */
	const sc_table **view;      /* [n], by op in ascending order */
	uint32_t n;
	struct bench_file *file; /* [n_files], what they were read from */
	uint32_t n_files;
};

/* The next table of the set, zeroed.  It stays the caller's until he has
 * counted it in s->n.  NULL: *p. */
struct bench_table *bench_new_table(struct bench_set *s, struct problem *p);
/* The file PATH/NAME, also noted in s->file with its hash. */
int bench_read_file(struct bench_set *s, struct bench_table *t,
		    const char *path, const char *name, struct problem *p);
int bench_is_table(const struct dirent *d);

/* One table.  origin: path for messages; its last part names the op. */
int bench_table_read(struct bench_table *t, FILE *f, const char *origin,
		     struct problem *p);
void bench_table_free(struct bench_table *t);
#endif
