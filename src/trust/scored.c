/* scored.c -- Reads and writes files of scored errors. */
#include "trust/scored.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/csv.h"
#include "base/file/infile.h"
#include "base/file/path.h"
#include "base/grow.h"
#include "keys/datafile.h"

/* ---- columns ---- */

enum column {
	COLUMN_PLUGIN,
	COLUMN_VERSION,
	COLUMN_PRESET,
	COLUMN_TABLES,
	COLUMN_SOURCE_ROW,
	COLUMN_GPU_FAMILY,
	COLUMN_MODEL_CLASS,
	COLUMN_WEIGHT_FORMAT,
	COLUMN_KV_FORMAT,
	COLUMN_TP,
	COLUMN_EP,
	COLUMN_PP,
	COLUMN_ENGINE,
	COLUMN_COMPUTED_SHARE,
	COLUMN_INPUT_TOKENS,
	COLUMN_OUTPUT_TOKENS,
	COLUMN_LOAD,
	COLUMN_SATURATED,
	COLUMN_METRIC,
	COLUMN_MEASURED,
	COLUMN_PREDICTED,
	COLUMN_FOLD,
	NEEDED,
	COLUMN_LEFT_OUT = NEEDED,
	COLUMN_N_PARAMS,
	COLUMN_ENGINE_KEYS,
	COLUMN_LOADING,
	COLUMN_VERSIONS_APART,
	COLUMN_PUBLISHER,
	COLUMNS
};
static const char *const column_name[COLUMNS] = {"plugin",
						 "version",
						 "preset",
						 "tables",
						 "source_row",
						 "gpu_family",
						 "model_class",
						 "weight_format",
						 "kv_format",
						 "tp",
						 "ep",
						 "pp",
						 "engine",
						 "computed_share",
						 "input_tokens",
						 "output_tokens",
						 "load",
						 "saturated",
						 "metric",
						 "measured_ms",
						 "predicted_ms",
						 "fold",
						 "left_out",
						 "n_params",
						 "engine_keys",
						 "loading",
						 "versions_apart",
						 "publisher"};

/* ---- reading ---- */

#define NO_COLUMN UINT32_MAX

struct reading {
	struct scored *s;
	const struct scored_of *of;
	uint32_t at[COLUMNS];
	size_t rank; /* of the rows kept: 0 for tables of this very name */
	/* From the last row with another preset or other tables: */
	char other_preset[64], other_tables[120];
	char other_version[64];
};

static const char *read_head(struct reading *r, uint32_t n, char *const *cell)
{
	for (int k = 0; k < COLUMNS; k++) {
		uint32_t i = 0;
		while (i < n && strcmp(cell[i], column_name[k]) != 0)
			i++;
		if (i == n && k < NEEDED)
			return "a column is missing";
		r->at[k] = i < n ? i : NO_COLUMN;
	}
	return NULL;
}

static void copy(char *to, size_t size, const char *from)
{
	snprintf(to, size, "%s", from);
}

/* Returns "" for a column that the file lacks. */
static const char *optional(const struct reading *r, enum column k,
			    char *const *cell)
{
	return r->at[k] == NO_COLUMN ? "" : cell[r->at[k]];
}

static double number(const char *text)
{
	return *text ? strtod(text, NULL) : (double)NAN;
}

/* Returns -1 for an empty cell. */
static double count_or_none(const char *text)
{
	return *text ? strtod(text, NULL) : -1;
}

#define UNKNOWN_TABLES SIZE_MAX

/* Returns 0 for the very tables, more for the same under another name. */
static size_t rank_of(const struct scored_of *of, const char *tables)
{
	const struct names *same = of->same_tables;
	if (!strcmp(tables, of->tables))
		return 0;
	for (size_t i = 0; same && i < same->n; i++)
		if (!strcmp(tables, same->item[i]))
			return i + 1;
	return UNKNOWN_TABLES;
}

static int choose_row(struct reading *r, char *const *cell)
{
	if (strcmp(cell[r->at[COLUMN_PLUGIN]], r->of->plugin) != 0)
		return 0;
	if (strcmp(cell[r->at[COLUMN_VERSION]], r->of->version) != 0) {
		copy(r->other_version, sizeof r->other_version,
		     cell[r->at[COLUMN_VERSION]]);
		return 0;
	}
	const char *preset = cell[r->at[COLUMN_PRESET]];
	const char *tables = cell[r->at[COLUMN_TABLES]];
	size_t rank = rank_of(r->of, tables);
	if (strcmp(preset, r->of->preset) != 0 || rank == UNKNOWN_TABLES) {
		copy(r->other_preset, sizeof r->other_preset, preset);
		copy(r->other_tables, sizeof r->other_tables, tables);
		return 0;
	}
	if (r->s->n && rank < r->rank)
		scored_free(r->s);
	if (!r->s->n)
		r->rank = rank;
	return rank == r->rank;
}

static enum place_loading loading_of(const char *word)
{
	int k = N_LOADINGS - 1;
	while (k > 0 && strcmp(word, place_loading_word[k]) != 0)
		k--;
	return (enum place_loading)k;
}

static const char *read_row(void *ctx, uint64_t row, uint32_t n,
			    char *const *cell)
{
	struct reading *r = ctx;
	struct scored_row x = {0};
	if (row == 0)
		return read_head(r, n, cell);
	if (!choose_row(r, cell))
		return NULL;
	x.source_row = cell[r->at[COLUMN_SOURCE_ROW]];
	x.metric = cell[r->at[COLUMN_METRIC]];
	x.fold = cell[r->at[COLUMN_FOLD]];
#define TEXT(field, column)                                                    \
	copy(x.at.field, sizeof x.at.field, cell[r->at[column]])
	TEXT(gpu_family, COLUMN_GPU_FAMILY);
	TEXT(model_class, COLUMN_MODEL_CLASS);
	TEXT(weight_format, COLUMN_WEIGHT_FORMAT);
	TEXT(kv_format, COLUMN_KV_FORMAT);
	TEXT(engine, COLUMN_ENGINE);
#undef TEXT
	x.at.tp = number(cell[r->at[COLUMN_TP]]);
	x.at.ep = number(cell[r->at[COLUMN_EP]]);
	x.at.pp = number(cell[r->at[COLUMN_PP]]);
	x.at.computed_share = number(cell[r->at[COLUMN_COMPUTED_SHARE]]);
	x.at.input_tokens = number(cell[r->at[COLUMN_INPUT_TOKENS]]);
	x.at.output_tokens = number(cell[r->at[COLUMN_OUTPUT_TOKENS]]);
	x.at.load = number(cell[r->at[COLUMN_LOAD]]);
	x.saturated = !strcmp(cell[r->at[COLUMN_SATURATED]], "1");
	copy(x.left_out, sizeof x.left_out, optional(r, COLUMN_LEFT_OUT, cell));
	x.at.n_params = strtoull(optional(r, COLUMN_N_PARAMS, cell), NULL, 10);
	copy(x.engine_keys, sizeof x.engine_keys,
	     optional(r, COLUMN_ENGINE_KEYS, cell));
	x.at.loading = loading_of(optional(r, COLUMN_LOADING, cell));
	x.at.versions_apart =
	    count_or_none(optional(r, COLUMN_VERSIONS_APART, cell));
	copy(x.publisher, sizeof x.publisher,
	     optional(r, COLUMN_PUBLISHER, cell));
	x.measured = number(cell[r->at[COLUMN_MEASURED]]);
	x.predicted = number(cell[r->at[COLUMN_PREDICTED]]);
	if (!(x.measured > 0) || !(x.predicted > 0))
		return "measured_ms and predicted_ms are above 0";
	return scored_add(r->s, &x) < 0 ? out_of_memory : NULL;
}

static void say_why(struct reading *r, const char *path)
{
	const char *name = path_name(path);
	struct scored *s = r->s;
	if (s->n)
		return;
	if (*r->other_version)
		snprintf(s->why, sizeof s->why,
			 "the scored version of %.60s is %s", name,
			 r->other_version);
	else if (strcmp(r->other_preset, r->of->preset) != 0)
		snprintf(s->why, sizeof s->why,
			 "%.60s was scored with preset = %s", name,
			 *r->other_preset ? r->other_preset : "none");
	else if (*r->other_tables || *r->of->tables)
		snprintf(s->why, sizeof s->why,
			 "%.50s was scored with tables.set = %.60s", name,
			 *r->other_tables ? r->other_tables : "none");
}

void scored_read(struct scored *s, const char *path, const struct scored_of *of)
{
	struct reading r = {.s = s, .of = of};
	struct problem p;
	FILE *f = infile_open(path, &p);
	*s = (struct scored){0};
	if (!f) {
		snprintf(s->why, sizeof s->why, "%.150s", p.text);
		return;
	}
	if (csv_read(f, path, read_row, &r, &p) < 0) {
		scored_free(s);
		snprintf(s->why, sizeof s->why, "%.150s", p.text);
	} else {
		say_why(&r, path);
	}
	fclose(f);
}

/* Returns the file in the plugin's own folder; the caller frees it. */
static char *own_file(const struct scored_of *of)
{
	char *path;
	if (!of->folder || asprintf(&path, "%s/accuracy.csv", of->folder) < 0)
		return NULL;
	if (access(path, R_OK) == 0)
		return path;
	free(path);
	return NULL;
}

void scored_find(struct scored *s, const struct scored_of *of)
{
	struct problem p;
	*s = (struct scored){0};
	char *path = own_file(of);
	if (!path)
		path = datafile_find("bench_data/accuracy", of->plugin, ".csv",
				     &p);
	if (path && *of->changed)
		snprintf(s->why, sizeof s->why, "%.80s is set", of->changed);
	else if (path)
		scored_read(s, path, of);
	free(path);
}

static void free_row(struct scored_row *x)
{
	free(x->source_row);
	free(x->metric);
	free(x->fold);
}

int scored_add(struct scored *s, const struct scored_row *row)
{
	struct scored_row x = *row;
	if (!MAKE_ROOM(s->row, s->n, s->cap))
		return -1;
	x.source_row = strdup(row->source_row);
	x.metric = strdup(row->metric);
	x.fold = strdup(row->fold);
	if (!x.source_row || !x.metric || !x.fold) {
		free_row(&x);
		return -1;
	}
	s->row[s->n++] = x;
	return 0;
}

/* ---- E2E latency of runs without one ---- */

/* Figures of a run follow each other. */
const struct scored_row *scored_of_run(const struct scored *s, size_t i,
				       const char *metric)
{
	const struct scored_row *x = &s->row[i];
	size_t from = i, to = i;
	while (from > 0 && !strcmp(s->row[from - 1].source_row, x->source_row))
		from--;
	while (to + 1 < s->n &&
	       !strcmp(s->row[to + 1].source_row, x->source_row))
		to++;
	for (; from <= to; from++)
		if (!strcmp(s->row[from].metric, metric) &&
		    !strcmp(s->row[from].left_out, x->left_out))
			return &s->row[from];
	return NULL;
}

int scored_derive(struct scored *s)
{
	const size_t n = s->n;
	for (size_t i = 0; i < n; i++) {
		struct scored_row x = s->row[i];
		if (strcmp(x.metric, "mean_tpot_ms") != 0 ||
		    !(x.at.output_tokens >= 1) ||
		    scored_of_run(s, i, "mean_e2el_ms"))
			continue;
		const struct scored_row *first =
		    scored_of_run(s, i, "mean_ttft_ms");
		if (!first)
			continue;
		const double more = x.at.output_tokens - 1;
		x.metric = (char *)(uintptr_t) "mean_e2el_ms";
		x.is_derived = 1;
		x.measured = first->measured + more * x.measured;
		x.predicted = first->predicted + more * x.predicted;
		if (scored_add(s, &x) < 0)
			return -1;
	}
	return 0;
}

/* ---- choosing rows ---- */

static int is_left_out(const struct scored_row *x, const char *what)
{
	return !strcmp(x->left_out, what);
}

static void drop(struct scored *s, const char *what)
{
	size_t n = 0;
	for (size_t i = 0; i < s->n; i++)
		if (is_left_out(&s->row[i], what))
			free_row(&s->row[i]);
		else
			s->row[n++] = s->row[i];
	s->n = n;
}

void scored_choose(struct scored *s, uint64_t n_params)
{
	int runs = 0, models = 0, seen = 0;
	for (size_t i = 0; i < s->n; i++) {
		const struct scored_row *x = &s->row[i];
		int is_run = is_left_out(x, "run");
		runs |= is_run;
		models |= is_left_out(x, "model");
		seen |= is_run && n_params && x->at.n_params == n_params;
	}
	s->model_is_new = runs && models && !seen;
	if (runs && models)
		drop(s, seen ? "model" : "run");
}

void scored_free(struct scored *s)
{
	for (size_t i = 0; i < s->n; i++)
		free_row(&s->row[i]);
	free(s->row);
	*s = (struct scored){0};
}

/* ---- writing ---- */

void scored_write_head(FILE *f)
{
	for (int k = 0; k < COLUMNS; k++)
		fprintf(f, "%s%s", k ? "," : "", column_name[k]);
	putc('\n', f);
}

/* Six digits are more than the accuracy of a measurement. */
static void write_number(FILE *f, double v)
{
	putc(',', f);
	if (!isnan(v))
		fprintf(f, "%.6g", v);
}

void scored_write_row(FILE *f, const struct scored_of *of,
		      const struct scored_row *x)
{
	const struct trust_place *at = &x->at;
	csv_text(f, of->plugin);
	csv_next_text(f, of->version);
	csv_next_text(f, of->preset);
	csv_next_text(f, of->tables);
	csv_next_text(f, x->source_row);
	csv_next_text(f, at->gpu_family);
	csv_next_text(f, at->model_class);
	csv_next_text(f, at->weight_format);
	csv_next_text(f, at->kv_format);
	write_number(f, at->tp);
	write_number(f, at->ep);
	write_number(f, at->pp);
	csv_next_text(f, at->engine);
	write_number(f, at->computed_share);
	write_number(f, at->input_tokens);
	write_number(f, at->output_tokens);
	write_number(f, at->load);
	fprintf(f, ",%d,", x->saturated);
	csv_text(f, x->metric);
	write_number(f, x->measured);
	write_number(f, x->predicted);
	csv_next_text(f, x->fold);
	csv_next_text(f, x->left_out);
	fprintf(f, ",%" PRIu64 ",", at->n_params);
	csv_text(f, x->engine_keys);
	fprintf(f, ",%s", place_loading_word[at->loading]);
	write_number(f,
		     at->versions_apart < 0 ? (double)NAN : at->versions_apart);
	csv_next_text(f, x->publisher);
	putc('\n', f);
}
