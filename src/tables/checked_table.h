/* tables/checked_table.h -- a table as its checks see it: the kind of its
 * kernels, the columns that distinguish rows, the columns that times grow with,
 * and the receiver of findings. */
#pragma once
#include <stdint.h>
#include "base/problem.h"
#include "cost/kernel_op.h"
#include "tables/table.h"
#include "tables/table_set.h"

struct finding {
	const char *file;
	uint64_t line;    /* 0: the whole file */
	const char *kind; /* "mfu_peak", "duplicate" …: doc/tables.md */
	int is_error;     /* 0: worth knowing */
	const char *text;
};
typedef void (*finding_fn)(void *user, const struct finding *f);

/* A column, or one number for all rows. */
struct slot {
	const double *col;
	double constant;
	const char *name; /* NULL: this slot is unused */
};

struct checked_table {
	const char *path;
	struct table t;
	const struct kernel_op *kind;
	/* [n_keys] columns of t that are neither axis nor result */
	uint32_t *key;
	uint32_t n_keys;
	struct slot axis[KERNEL_MAX_AXES];
	struct slot size[KERNEL_COLUMNS]; /* by the column of a list */
	double *latency;    /* time of each row, sum of its parts */
	const double *mfu;  /* may be NULL */
	char *const *dtype; /* may be NULL */
	finding_fn tell;
	void *user;
};

/* Reads the file.  The kind of its kernels comes from the layout (`of`, may be
 * NULL), else from its name, else from its columns.  A table that none of these
 * identifies, but that has latency_us, gets the kind "unknown" without axes,
 * which is a finding.  Sizes that are missing in the columns come from the name
 * ("32-8-128-tp1").  Returns 0, or -1 with *p filled in (EXIT_USAGE: no such
 * file; EXIT_INPUT).  The caller calls checked_table_close() in either case. */
int checked_table_open(struct checked_table *c, const char *path,
		       const struct table_file *of, finding_fn tell, void *user,
		       struct problem *p);
void checked_table_close(struct checked_table *c);

/* Returns the value of a slot in a row. */
double checked_value(const struct slot *s, uint64_t row);
/* Compares the keys of two rows.  Returns less than, equal to or above 0. */
int checked_compare_keys(const struct checked_table *c, uint64_t a, uint64_t b);
/* The same without one column. */
int checked_compare_keys_but(const struct checked_table *c, uint32_t column,
			     uint64_t a, uint64_t b);
/* The same, then compares the axes, axis `first` (0 or 1) first. */
int checked_compare(const struct checked_table *c, uint64_t a, uint64_t b,
		    int first);
/* Returns all rows in this order; equal rows stay in the order of the file.
 * The caller frees it.  NULL: memory is out. */
uint64_t *checked_order(const struct checked_table *c, int first);
/* Reports a finding.  row -1: the whole file. */
void checked_tell(const struct checked_table *c, int64_t row, const char *what,
		  int is_error, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));
