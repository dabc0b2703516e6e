/* tables/checked_table.h -- a table as its checks see it: the kind of kernels
 * it holds, what tells its rows apart and what times grow with, whatever the
 * columns are called, and who is told what is suspicious. */
#ifndef SC_TABLES_CHECKED_TABLE_H
#define SC_TABLES_CHECKED_TABLE_H
#include <stdint.h>
#include "base/problem.h"
#include "cost/kernel_op.h"
#include "tables/table.h"
#include "tables/table_set.h"

struct finding {
	const char *file;
	uint64_t line;    /* 0: of the whole file */
	const char *kind; /* "mfu_peak", "duplicate" …: doc/tables.md */
	int is_error;     /* 0: worth knowing */
	const char *text;
};
typedef void (*finding_fn)(void *user, const struct finding *f);

/* A column, or a number that holds for every row. */
struct slot {
	const double *col;
	double constant;
	const char *name; /* NULL: no such slot */
};

struct checked_table {
	const char *path;
	struct table t;
	const struct kernel_op *kind;
	uint32_t *key; /* [n_keys] columns of t that are no axis, no result */
	uint32_t n_keys;
	struct slot axis[KERNEL_MAX_AXES];
	struct slot size[KERNEL_COLUMNS]; /* by the column of a list */
	double *latency;                  /* of each row, all its parts */
	const double *mfu;                /* may be NULL */
	char *const *dtype;               /* may be NULL */
	finding_fn tell;
	void *user;
};

/* Reads the file.  What it holds is told by its layout (of, may be NULL), else
 * by its name, else by its columns; a table that none of them tells, and that
 * has latency_us, is of the kind "unknown", without axes, which is a finding. A
 * shape that the columns lack is told by the name ("32-8-128-tp1").  0, or -1
 * with *p (EXIT_USAGE: no such file; EXIT_INPUT). checked_table_close() in
 * either case. */
int checked_table_open(struct checked_table *c, const char *path,
		       const struct table_file *of, finding_fn tell, void *user,
		       struct problem *p);
void checked_table_close(struct checked_table *c);

/* What a slot holds in a row. */
double checked_value(const struct slot *s, uint64_t row);
/* Below, at or above 0: by what tells rows apart. */
int checked_compare_keys(const struct checked_table *c, uint64_t a, uint64_t b);
/* The same, but for that column. */
int checked_compare_keys_but(const struct checked_table *c, uint32_t column,
			     uint64_t a, uint64_t b);
/* The same, and then by the axes; `first` (0 or 1) leads among them. */
int checked_compare(const struct checked_table *c, uint64_t a, uint64_t b,
		    int first);
/* All rows in this order, equal ones as they stand in the file.  Free it.
 * NULL: out of memory. */
uint64_t *checked_order(const struct checked_table *c, int first);
/* row: -1: of the whole file. */
void checked_tell(const struct checked_table *c, int64_t row, const char *what,
		  int is_error, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));
#endif
