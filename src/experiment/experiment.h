/* experiment/experiment.h -- a published table that is recomputed, as data:
 * rows, the steps and kernels that each row asks cost models for, columns as
 * expressions of the answers, the expected values, and a rule that refutes the
 * hypothesis.  doc/experiments.md describes the format: the sections
 * [experiment], [claim] and [table:NAME] of an INI; its other sections are
 * those of any configuration.
 *
 * Order of calls: experiment_load() (load.h) reads them and lists the points to
 * price, experiment_price() (run.h) prices each with the arm that it names,
 * experiment_compute() (compute.h) fills in the cells and judges the claim
 * (claim.h).  Names with xp_ belong to parts of an experiment. */
#pragma once
#include <stddef.h>
#include "base/names.h"
#include "experiment/grid.h"
#include "math/expression.h"
#include "stepcost/plugin.h"

/* A step or a kernel of a row, with the name that columns use. */
struct xp_ask {
	const char *name, *at;
	const char *decode, *prefill; /* as written; NULL: none */
	const char *kernel;           /* NULL: it is a step */
};

struct xp_column {
	const char *name;
	struct expression *is;
	int digits;       /* behind the point; -1: as many as needed */
	int key;          /* 1: identifies the row; does not count as a cell */
	struct grid want; /* from expect.NAME, one column; else empty */
};

struct xp_cell {
	struct value value;
	char *text;
	const char *want; /* NULL: no expected value */
	int differs;
};

struct xp_table {
	const char *name, *title, *at;
	struct grid rows, expected; /* expected: from a file, else empty */
	struct xp_ask *ask;
	size_t n_asks;
	struct xp_column *column;
	size_t n_columns;
	const char *hide; /* row variables that are not shown, or NULL */
	int is_hidden;    /* 1: the text leaves the whole table out */
	/* [rows.n_rows * n_columns]; NULL: not computed yet */
	struct xp_cell *cell;
	/* cells with an expected value, without keys */
	size_t n_cells, n_agree;
	size_t n_key_differs; /* rows with a key other than expected */
};

/* A step or a kernel of one row, to price with one arm. */
struct xp_point {
	char *arm;
	const struct xp_table *table;
	const struct xp_ask *ask;
	size_t row;
	char *decode, *prefill; /* as in a steps file */
	sc_kernel kernel; /* for a kernel: the values of the template, else 0 */
	/* Set by experiment_price(): */
	uint32_t n_decode, n_prefill, min_kv, max_kv; /* of the step */
	sc_result result;
	sc_kernel_result kernel_result;
	/* 1: faster than the hardware allows; then a time of the step and the
	 * least one */
	int is_below;
	double us, least_us;
};

enum claim_verdict {
	CLAIM_CONFIRMED,
	CLAIM_REFUTED,
	CLAIM_VOID, /* the experiment does not ask what it claims to ask */
	N_CLAIM_VERDICTS
};
extern const char *const claim_verdict_name[N_CLAIM_VERDICTS];

struct xp_invariant {
	const char *name, *at, *text;
	int kind;         /* of invariant.c; -1: an expression alone */
	struct names arg; /* of a kind, without its expression */
	struct expression *is;
	/* Set by claim_judge(): why it fails; NULL: it holds. */
	char *why;
};

/* The section [claim]; id NULL: there is none. */
struct xp_claim {
	const char *at; /* of the section */
	const char *id, *hypothesis, *source, *base, *counterfactual, *cause;
	const char *effect_text, *needs_text;
	struct expression *effect;
	double needs_low, needs_high; /* the effect that confirms it */
	enum claim_verdict expected;
	struct xp_invariant *invariant;
	size_t n_invariants;
	/* Set by claim_judge(): */
	double effect_is;
	enum claim_verdict verdict;
};

struct experiment {
	const char *path, *title, *question, *source, *refuted_if;
	struct expression *refuted; /* NULL: no rule */
	struct xp_table *table;
	size_t n_tables;
	struct xp_point *point;
	size_t n_points;
	struct xp_claim claim;
	/* Set by experiment_compute(): */
	size_t n_cells, n_agree;
	int differs; /* 1: some cell or key differs */
	int is_refuted;
};

/* Find a part by its name of n bytes, which need not end with NUL.  Return NULL
 * if there is none. */
struct xp_table *experiment_table(const struct experiment *x, const char *name);
struct xp_ask *experiment_ask(const struct xp_table *t, const char *name,
			      size_t n);
struct xp_column *experiment_column(const struct xp_table *t, const char *name,
				    size_t n);
/* Returns 1 if a variable of the rows is shown. */
int experiment_shows(const struct xp_table *t, const char *variable);
/* Returns the next word of a list "a, b" or "a b", and its length; NULL: there
 * is none. */
const char *experiment_word(const char *s, size_t *n);
void experiment_free(struct experiment *x);
