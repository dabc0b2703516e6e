/* tables/checked_table.h -- a table as its checks see it: the kind of kernels
 * it holds, their keys and axes whatever the columns are called, and who is
 * told what is suspicious. */
#ifndef SC_TABLES_CHECKED_TABLE_H
#define SC_TABLES_CHECKED_TABLE_H
#include <stdint.h>
#include "base/problem.h"
#include "tables/kind.h"
#include "tables/table.h"

struct finding {
	const char *file;
	uint64_t line;    /* 0: of the whole file */
	const char *kind; /* "mfu_peak", "mfu_above_1", "zero_mfu", "hole",
			     "warm_up", "non_monotone", "duplicate",
			     "mixed_dtype" */
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
	const struct table_kind *kind;
	struct slot slot[KIND_SLOTS]; /* keys, then axes */
	const double *latency, *mfu;  /* mfu may be NULL */
	char *const *dtype;           /* may be NULL */
	finding_fn tell;
	void *user;
};

/* Reads the file.  What it holds is told by its columns; a shape that they lack
 * by its name ("32-8-128-tp1").  0, or -1 with *p (EXIT_USAGE: no such file;
 * EXIT_INPUT).  checked_table_close() in either case. */
int checked_table_open(struct checked_table *c, const char *path,
		       finding_fn tell, void *user, struct problem *p);
void checked_table_close(struct checked_table *c);

/* What a slot holds in a row. */
double checked_value(const struct checked_table *c, int slot, uint64_t row);
/* row: -1: of the whole file. */
void checked_tell(const struct checked_table *c, int64_t row, const char *what,
		  int is_error, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));
#endif
