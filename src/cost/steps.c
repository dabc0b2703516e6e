/* steps.c -- Reads steps from CSV. */
#include "cost/steps.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/csv.h"
#include "base/grow.h"
#include "base/number.h"

const char *const step_column_name[N_STEP_COLUMNS] = {
    [STEP_NAME] = "step",
    [STEP_DECODE] = "decode",
    [STEP_PREFILL] = "prefill",
    [STEP_SAMPLED] = "sampled",
    [STEP_TIME] = "time_us",
    [STEP_LOW] = "low_us",
    [STEP_HIGH] = "high_us",
    [STEP_AGAIN] = "again_us",
    [STEP_REPEATS] = "repeats",
    [STEP_ENERGY] = "energy_j",
    [STEP_POWER] = "power_w",
    [STEP_CLOCK] = "clock_mhz",
    [STEP_TEMPERATURE] = "temperature_c",
    [STEP_TOTAL] = "total_us",
    [STEP_EXACT] = "exact_us",
    [STEP_REPLICA] = "replica",
    [STEP_DP_TOKENS] = "dp_tokens",
    [STEP_DP_MAX_TOKENS] = "dp_max_tokens",
    [STEP_GRAPH] = "graph",
    [STEP_EAGER] = "eager",
    [STEP_STATISTIC] = "statistic",
    [STEP_INCLUDES] = "includes",
    [STEP_COMPOSITION] = "composition",
    [STEP_MODEL] = "model",
    [STEP_GPU] = "gpu",
    [STEP_GPU_COUNT] = "gpu_count",
    [STEP_DTYPE] = "dtype",
    [STEP_KV_CACHE_DTYPE] = "kv_cache_dtype",
    [STEP_ENGINE] = "engine",
    [STEP_ENGINE_VERSION] = "engine_version",
    [STEP_TENSOR_PARALLEL] = "tensor_parallel_size",
    [STEP_PIPELINE_PARALLEL] = "pipeline_parallel_size",
    [STEP_DATA_PARALLEL] = "data_parallel_size",
    [STEP_EXPERT_PARALLEL] = "expert_parallel_size",
    [STEP_BLOCK] = "block",
    [STEP_ARM] = "arm",
    [STEP_SOURCE] = "source",
    [STEP_FLAGS] = "flags",
    [STEP_ENCODED] = "encoded",
    [STEP_RANK] = "rank",
};

/* The words that a column may have; an empty cell is always allowed. */
static const struct words {
	enum step_column column;
	const char *const word[5];
} words[] = {
    {STEP_GRAPH, {"0", "1"}},
    {STEP_EAGER, {"0", "1"}},
    {STEP_STATISTIC, {"median", "mean", "single"}},
    {STEP_INCLUDES, {"gpu", "iteration", "call"}},
    {STEP_COMPOSITION, {"exact", "mean", "averaged", "composed"}},
};

struct reader {
	struct steps *s;
	const struct ini *aliases;
	uint64_t line;
	char message[200];
};

/* ---- the header ---- */

/* Returns N_STEP_COLUMNS for a name without a meaning. */
static int column_of(const char *name)
{
	int c = 0;
	while (c < N_STEP_COLUMNS && strcmp(step_column_name[c], name))
		c++;
	return c;
}

static const char *take_column(struct reader *r, const char *name)
{
	struct steps *s = r->s;
	int c = column_of(name);
	const char *alias = c < N_STEP_COLUMNS || !r->aliases
				? NULL
				: ini_get(r->aliases, "column", name);
	if (alias && column_of(alias) < N_STEP_COLUMNS) {
		name = alias;
		c = column_of(alias);
	}
	if (!strcmp(name, "blocks_free"))
		return "this log tells free blocks and no contexts (the format "
		       "before 0.3); doc/score.md says how to write its steps "
		       "with decode and prefill";
	if (names_have(&s->column, name)) {
		snprintf(r->message, sizeof r->message,
			 *name
			     ? "column %.100s occurs twice"
			     : "two columns have no name%.100s; give them one",
			 name);
		return r->message;
	}
	if (c < N_STEP_COLUMNS)
		s->at[c] = (int)s->column.n;
	else if (names_add(&s->ignored, name) < 0)
		return out_of_memory;
	return names_add(&s->column, name) < 0 ? out_of_memory : NULL;
}

static const char *take_header(struct reader *r, uint32_t n, char *const *cell)
{
	struct steps *s = r->s;
	const char *why = NULL;
	for (int c = 0; c < N_STEP_COLUMNS; c++)
		s->at[c] = -1;
	for (uint32_t i = 0; !why && i < n; i++)
		why = take_column(r, cell[i]);
	if (!why && s->at[STEP_DECODE] < 0 && s->at[STEP_PREFILL] < 0)
		why = "a file of steps needs a column decode or prefill";
	return why;
}

/* ---- a row ---- */

const char *steps_cell(const struct steps *s, const struct given_step *g,
		       enum step_column column)
{
	return s->at[column] < 0 ? "" : g->cell[s->at[column]];
}

double steps_number(const struct given_step *g, enum step_column column)
{
	return g->number[column - STEP_TIME];
}

/* Returns the column `step` if it is a whole number, so that a row reads back
 * as it was written; otherwise the number of the row. */
static uint64_t step_index(const char *name, uint64_t row)
{
	char *end;
	errno = 0;
	unsigned long long n = strtoull(name, &end, 10);
	return *name >= '0' && *name <= '9' && !*end && !errno ? n : row;
}

/* Copies the cells of the row, and the line as a text behind them. */
static const char *keep_cells(struct given_step *g, uint32_t n,
			      char *const *cell, uint64_t line)
{
	size_t bytes = 24;
	for (uint32_t i = 0; i < n; i++)
		bytes += strlen(cell[i]) + 1;
	g->cells = malloc(bytes);
	g->cell = calloc(n + 1, sizeof *g->cell);
	if (!g->cells || !g->cell)
		return out_of_memory;
	char *at = g->cells;
	for (uint32_t i = 0; i < n; i++) {
		g->cell[i] = at;
		at = stpcpy(at, cell[i]) + 1;
	}
	g->name = at;
	snprintf(at, 24, "%llu", (unsigned long long)line);
	return NULL;
}

static const char *fault(struct reader *r, enum step_column c, const char *what)
{
	snprintf(r->message, sizeof r->message, "%s %s", step_column_name[c],
		 what);
	return r->message;
}

/* A measured time must be there; other numbers may be missing. */
static const char *take_number(struct reader *r, struct given_step *g,
			       enum step_column c)
{
	const char *cell = steps_cell(r->s, g, c);
	double *v = &g->number[c - STEP_TIME];
	*v = (double)NAN;
	if (!*cell && (c != STEP_TIME || r->s->at[c] < 0))
		return NULL;
	const char *end = number_parse(cell, v);
	int is_number = end != cell && !*end && isfinite(*v);
	if (c == STEP_TEMPERATURE && is_number)
		return NULL;
	if (c == STEP_TOTAL || c == STEP_EXACT)
		return is_number && *v >= 0
			   ? NULL
			   : fault(r, c, "must be a number, at least 0");
	return is_number && *v > 0
		   ? NULL
		   : fault(r, c, "must be a finite number above 0");
}

static const char *take_whole(struct reader *r, const struct given_step *g,
			      enum step_column c, uint32_t *to)
{
	const char *cell = steps_cell(r->s, g, c);
	int64_t v = 0;
	if (!*cell)
		return NULL;
	const char *end = number_parse_whole(cell, &v);
	if (end == cell || *end || v < 0 || v > UINT32_MAX)
		return fault(r, c, "must be a whole number, at least 0");
	*to = (uint32_t)v;
	return NULL;
}

static const char *check_words(struct reader *r, const struct given_step *g)
{
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		const char *cell = steps_cell(r->s, g, words[i].column);
		char list[100] = "must be";
		int known = !*cell;
		for (int k = 0; words[i].word[k]; k++) {
			size_t n = strlen(list);
			known |= !strcmp(words[i].word[k], cell);
			snprintf(list + n, sizeof list - n, "%s %s",
				 k ? "," : "", words[i].word[k]);
		}
		if (!known)
			return fault(r, words[i].column, list);
	}
	return NULL;
}

static enum step_graph graph_of(const struct steps *s,
				const struct given_step *g)
{
	const char *graph = steps_cell(s, g, STEP_GRAPH);
	const char *eager = steps_cell(s, g, STEP_EAGER);
	if (*graph)
		return *graph == '1' ? STEP_GRAPH_REPLAYED : STEP_GRAPH_NOT;
	if (*eager)
		return *eager == '0' ? STEP_GRAPH_REPLAYED : STEP_GRAPH_NOT;
	return STEP_GRAPH_UNKNOWN;
}

/* Returns why the row is not the whole of a step that `run` priced. */
static const char *unformed(const struct steps *s, const struct given_step *g)
{
	if (*steps_cell(s, g, STEP_ENCODED))
		return "its encoders are not in the file";
	if (g->step.decode_new && g->step.dp_tokens)
		return "speculation on ranks in lockstep is not in the file";
	return NULL;
}

static const char *take_step(struct reader *r, struct given_step *g)
{
	struct steps *s = r->s;
	const char *why = composition_read(
	    &g->own, steps_cell(s, g, STEP_DECODE),
	    steps_cell(s, g, STEP_PREFILL), steps_cell(s, g, STEP_SAMPLED));
	if (s->at[STEP_NAME] >= 0)
		g->name = g->cell[s->at[STEP_NAME]];
	g->step = g->own.step;
	g->step.step_index =
	    s->at[STEP_NAME] < 0 ? s->n : step_index(g->name, s->n);
	for (int c = STEP_TIME; !why && c <= STEP_EXACT; c++)
		why = take_number(r, g, (enum step_column)c);
	if (!why)
		why = take_whole(r, g, STEP_REPLICA, &g->step.replica);
	if (!why)
		why = take_whole(r, g, STEP_DP_TOKENS, &g->step.dp_tokens);
	if (!why)
		why = take_whole(r, g, STEP_DP_MAX_TOKENS,
				 &g->step.dp_max_tokens);
	if (!why)
		why = check_words(r, g);
	g->graph = graph_of(s, g);
	if (g->graph == STEP_GRAPH_REPLAYED)
		g->step.flags |= SC_STEP_GRAPH;
	g->unformed = unformed(s, g);
	return why;
}

static void free_step(struct given_step *g)
{
	free(g->cells);
	free(g->cell);
	composition_free(&g->own);
}

static const char *on_step_row(void *user, uint64_t row, uint32_t n,
			       char *const *cell)
{
	struct reader *r = user;
	struct steps *s = r->s;
	if (row == 0)
		return take_header(r, n, cell);
	if (!MAKE_ROOM(s->item, s->n, s->cap))
		return out_of_memory;
	struct given_step g = {.line = r->line};
	const char *why = keep_cells(&g, n, cell, r->line);
	if (!why)
		why = take_step(r, &g);
	if (why)
		free_step(&g);
	else
		s->item[s->n++] = g;
	return why;
}

int steps_read(struct steps *s, FILE *f, const char *origin,
	       const struct ini *aliases, struct problem *p)
{
	struct reader r = {.s = s, .aliases = aliases};
	*s = (struct steps){0};
	if (csv_read_lines(f, origin, on_step_row, &r, &r.line, p) == 0)
		return 0;
	steps_free(s);
	return -1;
}

void steps_free(struct steps *s)
{
	for (size_t i = 0; i < s->n; i++)
		free_step(&s->item[i]);
	free(s->item);
	names_free(&s->column);
	names_free(&s->ignored);
	*s = (struct steps){0};
}

/* ---- the rows of one arm ---- */

int steps_keep_arm(struct steps *s, const char *arm, size_t *others)
{
	struct names other = {0};
	char *kept = NULL;
	size_t n = 0;
	*others = 0;
	if (s->at[STEP_ARM] < 0 || !s->n)
		return arm && s->n ? -1 : 0;
	kept = strdup(arm ? arm : steps_cell(s, &s->item[0], STEP_ARM));
	for (size_t i = 0; kept && i < s->n; i++) {
		const char *is = steps_cell(s, &s->item[i], STEP_ARM);
		if (!strcmp(is, kept)) {
			s->item[n++] = s->item[i];
			continue;
		}
		names_add_new(&other, is);
		free_step(&s->item[i]);
	}
	*others = other.n;
	names_free(&other);
	free(kept);
	s->n = n;
	return n ? 0 : -1;
}
