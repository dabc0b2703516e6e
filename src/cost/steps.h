/* cost/steps.h -- a file of steps: CSV with a header, a step a row, columns in
 * any order.  `eval`, `score`, `fit`, experiments and the conformance check
 * read steps through it; `run --write-steps` writes such a file.
 *
 * doc/score.md has the meaning of each column.  A row keeps all its cells, so
 * that a command can group rows by any of them. */
#pragma once
#include <stdint.h>
#include <stdio.h>
#include "base/ini.h"
#include "base/names.h"
#include "base/problem.h"
#include "cost/composition.h"

/* The columns that have a meaning. */
enum step_column {
	STEP_NAME, /* "step" */
	STEP_DECODE,
	STEP_PREFILL,
	STEP_SAMPLED,
	/* numbers: */
	STEP_TIME,
	STEP_LOW,
	STEP_HIGH,
	STEP_AGAIN,
	STEP_REPEATS,
	STEP_ENERGY,
	STEP_POWER,
	STEP_CLOCK,
	STEP_TEMPERATURE,
	STEP_TOTAL, /* total_us and exact_us: what `run` wrote */
	STEP_EXACT,
	/* whole numbers: */
	STEP_REPLICA,
	STEP_DP_TOKENS,
	STEP_DP_MAX_TOKENS,
	/* words: */
	STEP_GRAPH,
	STEP_EAGER, /* the opposite of graph */
	STEP_STATISTIC,
	STEP_INCLUDES,
	STEP_COMPOSITION,
	/* texts: */
	STEP_MODEL, /* the deployment, up to STEP_EXPERT_PARALLEL */
	STEP_GPU,
	STEP_GPU_COUNT,
	STEP_DTYPE,
	STEP_KV_CACHE_DTYPE,
	STEP_ENGINE,
	STEP_ENGINE_VERSION,
	STEP_TENSOR_PARALLEL,
	STEP_PIPELINE_PARALLEL,
	STEP_DATA_PARALLEL,
	STEP_EXPERT_PARALLEL,
	STEP_BLOCK,
	STEP_ARM,
	STEP_SOURCE,
	STEP_FLAGS,
	STEP_ENCODED,
	STEP_RANK,
	N_STEP_COLUMNS
};
extern const char *const step_column_name[N_STEP_COLUMNS];
enum { N_STEP_NUMBERS = STEP_EXACT - STEP_TIME + 1 };

enum step_graph { STEP_GRAPH_UNKNOWN, STEP_GRAPH_REPLAYED, STEP_GRAPH_NOT };

struct given_step {
	/* The column `step` as written; it is the step_index if it is a whole
	 * number, otherwise the number of the row is.  Without the column: the
	 * line. */
	const char *name;
	uint64_t line;
	sc_step step; /* its columns are those of `own` */
	struct composition own;
	char *cells;       /* all cells of the row, each ends with NUL */
	const char **cell; /* [steps.column.n] into `cells` */
	double number[N_STEP_NUMBERS]; /* from STEP_TIME on; NaN: no cell */
	enum step_graph graph;
	/* Why this row cannot be formed again as the step that `run` priced;
	 * NULL: it can. */
	const char *unformed;
};
struct steps {
	struct given_step *item;
	size_t n, cap;
	struct names column;    /* of the header */
	int at[N_STEP_COLUMNS]; /* index of each in `column`; -1: absent */
	struct names ignored;   /* columns without a meaning */
};

/* aliases: [column] has other names of columns; NULL: none.  Returns 0, or -1
 * with "origin:line: what" in *p (EXIT_INPUT). */
int steps_read(struct steps *s, FILE *f, const char *origin,
	       const struct ini *aliases, struct problem *p);
void steps_free(struct steps *s);
/* Returns the cell; "": the file has no such column. */
const char *steps_cell(const struct steps *s, const struct given_step *g,
		       enum step_column column);
/* Returns a number of a row, of a column from STEP_TIME to STEP_EXACT; NaN: it
 * has none. */
double steps_number(const struct given_step *g, enum step_column column);
/* Keeps the rows of one arm: of `arm`, or, NULL, of the first of the file.
 * *others: number of the other arms.  Returns 0, or -1: no row has that arm. */
int steps_keep_arm(struct steps *s, const char *arm, size_t *others);
