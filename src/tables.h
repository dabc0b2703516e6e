/* tables.h -- measured tables: a set is a folder of CSV files, one per op,
 * with a MANIFEST of "key = value" lines that says where they come from. */
#ifndef SC_SRC_TABLES_H
#define SC_SRC_TABLES_H
#include <stdio.h>
#include "settings.h"
#include "stepcost/plugin.h"

struct bench_table {
	sc_table view; /* what plugins see; points into this struct */
	char *origin, *op;
	char **head;
	double **col;
	char ***text;
	uint64_t cap; /* rows there is room for */
};
struct bench_set {
	char *name;
	struct cfg manifest;
	const char **note;
	struct bench_table *table;
	const sc_table **view; /* [n], by op in ascending order */
	uint32_t n;
};

/* The CSV files of path/name, and its MANIFEST if it has one.
 * 0, or -1 with "file:line: what" in *p: EXIT_USAGE if there is no such set,
 * EXIT_INPUT for its content. */
int bench_load(struct bench_set *s, const char *path, const char *name,
	       struct problem *p);
void bench_free(struct bench_set *s);

/* One table.  origin: path for messages; its last part names the op. */
int bench_table_read(struct bench_table *t, FILE *f, const char *origin,
		     struct problem *p);
void bench_table_free(struct bench_table *t);
#endif
