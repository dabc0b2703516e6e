/* experiment/experiment.h -- a published table, recomputed, as data: rows, the
 * steps and kernels that each row asks of cost models, columns as expressions
 * of the answers, the values expected, and a rule by which the hypothesis is
 * refuted.  doc/experiments.md has the format, the sections [experiment] and
 * [table:NAME] of an INI whose other sections are those of every configuration.
 *
 * In this order: experiment_load() (load.h) reads them and lists the points to
 * be priced, experiment_price() (run.h) prices each under the arm that it
 * names, experiment_compute() (compute.h) fills the cells.
 * What begins with xp_ is a part of an experiment. */
#ifndef SC_EXPERIMENT_EXPERIMENT_H
#define SC_EXPERIMENT_EXPERIMENT_H
#include <stddef.h>
#include "experiment/grid.h"
#include "math/expression.h"
#include "stepcost/plugin.h"

/* A step or a kernel of a row, by which columns call it. */
struct xp_ask {
	const char *name, *at;
	const char *decode, *prefill; /* as written; NULL: none */
	const char *kernel;           /* not NULL: a kernel */
};

struct xp_column {
	const char *name;
	struct expression *is;
	int digits;       /* behind the point; -1: as many as it takes */
	int key;          /* says which row it is; not counted */
	struct grid want; /* of expect.NAME, one column; else empty */
};

struct xp_cell {
	struct value value;
	char *text;
	const char *want; /* NULL: nothing is expected */
	int differs;
};

struct xp_table {
	const char *name, *title, *at;
	struct grid rows, expected; /* expected: of a file, else empty */
	struct xp_ask *ask;
	size_t n_asks;
	struct xp_column *column;
	size_t n_columns;
	const char *hide;        /* row variables not to be shown, or NULL */
	struct xp_cell *cell;    /* [rows.n_rows * n_columns]; NULL: not yet */
	size_t n_cells, n_agree; /* expected, keys not counted */
	size_t n_key_differs;    /* rows, keys that are not as expected */
};

/* What is to be priced: a step or a kernel of one row, under one arm. */
struct xp_point {
	char *arm;
	const struct xp_table *table;
	const struct xp_ask *ask;
	size_t row;
	char *decode, *prefill; /* as in a steps file */
	sc_kernel kernel; /* of a kernel: what the template says, else 0 */
	/* of experiment_price() */
	uint32_t n_decode, n_prefill, min_kv, max_kv; /* of the step */
	sc_result result;
	sc_kernel_result kernel_result;
};

struct experiment {
	const char *path, *title, *question, *source, *refuted_if;
	struct expression *refuted; /* NULL: no rule */
	struct xp_table *table;
	size_t n_tables;
	struct xp_point *point;
	size_t n_points;
	/* of experiment_compute() */
	size_t n_cells, n_agree;
	int differs; /* a cell or a key differs                    */
	int is_refuted;
};

/* Parts by name, which need not end with a NUL: n bytes.  NULL: none. */
struct xp_table *experiment_table(const struct experiment *x, const char *name);
struct xp_ask *experiment_ask(const struct xp_table *t, const char *name,
			      size_t n);
struct xp_column *experiment_column(const struct xp_table *t, const char *name,
				    size_t n);
/* Is a variable of the rows to be shown? */
int experiment_shows(const struct xp_table *t, const char *variable);
/* The next word of a list "a, b" or "a b", and its length; NULL: none. */
const char *experiment_word(const char *s, size_t *n);
void experiment_free(struct experiment *x);
#endif
