/* experiment/experiment.h -- a published table, recomputed: rows, the steps and
 * kernels that each row asks of cost models, columns as expressions of the
 * answers, the values expected, and a rule by which the hypothesis is refuted.
 * doc/experiments.md has the format, the sections [experiment] and [table:NAME]
 * of an INI whose other sections are those of every configuration.
 *
 * experiment_load() makes the points to be priced; the caller prices each
 * under the arm that it names; experiment_compute() fills the cells.
 * Prints nothing and knows no plugins. */
#ifndef SC_EXPERIMENT_EXPERIMENT_H
#define SC_EXPERIMENT_EXPERIMENT_H
#include <stddef.h>
#include "base/ini.h"
#include "base/problem.h"
#include "math/expression.h"
#include "stepcost/plugin.h"

/* Lines of a CSV file, or the cross product of axes; all cells are texts. */
struct xp_grid {
	char **head, **cell; /* [n_cols], [n_rows * n_cols] */
	size_t n_cols, n_rows;
};

/* A step or a kernel of a row, by which columns call it. */
struct xp_ask {
	const char *name, *at;
	const char *decode, *prefill; /* as written; NULL: none */
	const char *kernel;           /* not NULL: a kernel */
};

struct xp_column {
	const char *name;
	struct expression *is;
	int digits;          /* behind the point; -1: as many as it takes */
	int key;             /* says which row it is; not counted */
	struct xp_grid want; /* of expect.NAME, one column; else none */
};

struct xp_cell {
	struct value value;
	char *text;
	const char *want; /* NULL: nothing is expected */
	int differs;
};

struct xp_table {
	const char *name, *title, *at;
	struct xp_grid rows,
	    expected; /* expected: of a file, else no columns */
	struct xp_ask *ask;
	size_t n_asks;
	struct xp_column *column;
	size_t n_columns;
	const char *hide;        /* row variables not to be shown, or NULL */
	struct xp_cell *cell;    /* [rows.n_rows * n_columns] */
	size_t n_cells, n_agree; /* expected, keys not counted */
	size_t n_key_differs;    /* rows, keys that are not as expected */
};

/* What is to be priced. */
struct xp_point {
	char *arm;
	const struct xp_table *table;
	const struct xp_ask *ask;
	size_t row;
	char *decode, *prefill; /* as in a steps file */
	sc_kernel kernel; /* of a kernel: what the template says, else 0 */
	/* the caller's */
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

/* Sections of the file that are an experiment's: "experiment", "table:" */
extern const char *const experiment_sections[];

/* c must outlive *x.  0, or -1 with *p; experiment_free() in either case. */
int experiment_load(struct experiment *x, const struct ini *c,
		    struct problem *p);
int experiment_compute(struct experiment *x, struct problem *p);
void experiment_free(struct experiment *x);
/* Is a variable of the rows to be shown? */
int experiment_shows(const struct xp_table *t, const char *variable);
#endif
