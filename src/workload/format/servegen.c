/* servegen.c -- ServeGen, one client: a CSV of windows without a header (start
 * in s, rate, cv, Gamma or Weibull or nothing, its shape and scale), from which
 * requests are drawn.  Their lengths come from the distributions in
 * chunk-N-dataset.json beside it, or else from [workload] input_tokens and
 * output_tokens.
 *
 * A window has exactly round(rate * length) arrivals, with gaps that fill it;
 * the last window is as long as the one before.  A window uses the newest
 * distribution that is not after its start. */
#include <csv.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/csv.h"
#include "base/decimal.h"
#include "base/file/filetype.h"
#include "base/file/infile.h"
#include "base/grow.h"
#include "base/number.h"
#include "workload/arrival.h"
#include "workload/distribution.h"
#include "workload/trace/trace_document.h"
#include "workload/trace/trace_formats.h"

struct window {
	int64_t start_ns, length_ns;
	double rate;
	struct gaps gaps;
	uint64_t count, line;
};

/* Tokens, and the cumulative share up to them. */
struct lengths {
	int64_t *tokens;
	double *until;
	uint32_t n, cap;
};
struct era { /* lengths from start_s on */
	int64_t start_s;
	struct lengths input, output;
};

struct state {
	struct window *window;
	size_t n_windows;
	struct era *era; /* in order of time */
	size_t n_eras;
	/* The place of item(): */
	size_t w;
	uint64_t k;
	struct rng rng;
	double sum, total;
};

/* ---- windows ---- */

struct reader {
	struct trace *t;
	struct state *s;
	uint64_t line;
};

static int number(const char *s, double *v)
{
	*v = 0;
	return !*s || (*number_parse(s, v) == '\0' && isfinite(*v) && *v >= 0);
}

/* Reads how requests of a window arrive. */
static const char *pattern(struct window *w, const char *name, double shape,
			   double scale)
{
	w->gaps = (struct gaps){
	    .process = ARRIVAL_POISSON, .shape = shape, .scale = scale};
	if (!strcmp(name, "Gamma"))
		w->gaps.process = ARRIVAL_GAMMA;
	else if (!strcmp(name, "Weibull"))
		w->gaps.process = ARRIVAL_WEIBULL;
	else if (*name || w->rate > 0)
		return "the pattern must be Gamma or Weibull, or empty at rate "
		       "0";
	return *name && !(shape > 0 && scale > 0)
		   ? "the pattern's shape and scale must be more than 0"
		   : NULL;
}

static const char *on_window(struct reader *r, char *const *cell, uint32_t n)
{
	struct window w = {.line = r->line};
	double cv, shape, scale;
	struct state *s = r->s;
	if (n != 6)
		return "a window has 6 cells: start, rate, cv, pattern, shape, "
		       "scale";
	if (decimal_scaled(cell[0], strlen(cell[0]), 9, &w.start_ns) < 0 ||
	    w.start_ns < 0 || !number(cell[1], &w.rate) ||
	    !number(cell[2], &cv) || !number(cell[4], &shape) ||
	    !number(cell[5], &scale))
		return "a cell is not a number of at least 0";
	if (s->n_windows && w.start_ns <= s->window[s->n_windows - 1].start_ns)
		return "does not start after the window before";
	struct window *more =
	    realloc(s->window, (s->n_windows + 1) * sizeof *more);
	if (!more)
		return out_of_memory;
	s->window = more;
	const char *why = pattern(&w, cell[3], shape, scale);
	s->window[s->n_windows++] = w;
	return why;
}

/* Sets lengths and counts when all starts are known. */
static const char *close_windows(struct state *s)
{
	for (size_t i = 0; i < s->n_windows; i++) {
		struct window *w = &s->window[i];
		w->length_ns = i + 1 < s->n_windows
				   ? w[1].start_ns - w->start_ns
			       : i ? w[-1].length_ns
				   : 600000000000;
		double count = w->rate * ((double)w->length_ns / 1e9);
		if (!(count < 1e7))
			return "10000000 requests or more in a window";
		w->count = (uint64_t)llround(count);
	}
	return NULL;
}

/* csv_read() takes row 0 for a header; here it is a window. */
static const char *on_row(void *user, uint64_t row, uint32_t n,
			  char *const *cell)
{
	struct reader *r = user;
	r->line = row + 1;
	return on_window(r, cell, n);
}

/* ---- lengths ---- */

static const char *add_length(struct lengths *l, int64_t tokens, double share)
{
	uint32_t cap = l->cap; /* of both arrays */
	if (!MAKE_ROOM(l->tokens, l->n, cap) ||
	    !MAKE_ROOM(l->until, l->n, l->cap))
		return out_of_memory;
	l->tokens[l->n] = tokens > 1 ? tokens : 1;
	l->until[l->n] = share + (l->n ? l->until[l->n - 1] : 0);
	l->n++;
	return NULL;
}

static const char *after_blanks(const char *s)
{
	return s + strspn(s, " ");
}

/* Reads "{12: 0.5, 13: 0.5}", as Python prints a dictionary; the keys may be in
 * (escaped) quotes, as in JSON. */
static const char *parse_lengths(struct lengths *l, const char *s,
				 const char *end)
{
	const char *bad = "not a dictionary of tokens and shares", *why;
	char *behind;
	if (s == end || *s++ != '{')
		return bad;
	while (s < end && *(s = after_blanks(s)) != '}') {
		s += strspn(s, "\\\"'");
		long tokens = strtol(s, &behind, 10);
		if (behind == s || tokens < 0 || tokens > TRACE_MAX_TOKENS)
			return bad;
		s = after_blanks(behind + strspn(behind, "\\\"'"));
		if (*s++ != ':')
			return bad;
		double share;
		const char *to = number_parse(s, &share);
		if (to == s || !(share >= 0) || !(share <= 1e9))
			return bad;
		if ((why = add_length(l, tokens, share)))
			return why;
		s = after_blanks(to);
		s += *s == ',';
	}
	if (s >= end)
		return bad;
	return l->n && l->until[l->n - 1] == 0 ? "all shares are 0" : NULL;
}

/* Reads the distributions of lengths from a time on. */
static const char *era(struct state *s, struct json_cursor *j,
		       struct span start)
{
	struct span name, text;
	const char *why = NULL;
	struct era *more = realloc(s->era, (s->n_eras + 1) * sizeof *more);
	if (!more)
		return out_of_memory;
	s->era = more;
	struct era *e = &s->era[s->n_eras++];
	*e = (struct era){0};
	if (decimal_whole(start.s, start.n, &e->start_s) < 0)
		return "a key is not in seconds";
	jc_enter(j, '{');
	while (!why && jc_key(j, &name)) {
		int in = span_is(name, "input_tokens");
		if (!in && !span_is(name, "output_tokens"))
			jc_skip(j);
		else if (jc_string(j, &text))
			why = parse_lengths(in ? &e->input : &e->output, text.s,
					    text.s + text.n);
	}
	return why ? why : j->why;
}

static void free_era(struct era *e)
{
	free(e->input.tokens), free(e->input.until);
	free(e->output.tokens), free(e->output.until);
}

static int by_start(const void *va, const void *vb)
{
	const struct era *a = va, *b = vb;
	return a->start_s < b->start_s ? -1 : a->start_s > b->start_s;
}

/* The keys are sorted as text.  Windows without requests have empty
 * dictionaries, which are dropped. */
static void sort_eras(struct state *s)
{
	size_t n = 0;
	for (size_t i = 0; i < s->n_eras; i++)
		if (s->era[i].input.n && s->era[i].output.n)
			s->era[n++] = s->era[i];
		else
			free_era(&s->era[i]);
	s->n_eras = n;
	if (n)
		qsort(s->era, n, sizeof *s->era, by_start);
}

static int parse_dataset(struct state *s, const char *path, const char *text,
			 size_t n, struct problem *p)
{
	struct json_cursor j;
	struct span key;
	uint64_t line = 1;
	const char *why = filetype_not_text(text, n), *from = text;
	if (why)
		return problem_at(p, path, 1, why);
	jc_begin(&j, text, n);
	jc_enter(&j, '{');
	while (!why && jc_key(&j, &key))
		why = era(s, &j, key);
	if (!why)
		jc_end(&j);
	if (why || j.why)
		return problem_at(
		    p, path, trace_line_of(&from, &line, j.why ? j.at : j.s),
		    j.why ? j.why : why);
	sort_eras(s);
	return 0;
}

/* "chunk-7-trace.csv" -> "chunk-7-dataset.json"; "" for another name.  NULL:
 * memory is out. */
static char *dataset_path(const char *trace)
{
	static const char tail[] = "trace.csv";
	size_t n = strlen(trace), k = sizeof tail - 1;
	char *path;
	if (n < k || strcmp(trace + n - k, tail))
		return strdup("");
	return asprintf(&path, "%.*sdataset.json", (int)(n - k), trace) < 0
		   ? NULL
		   : path;
}

static int load_dataset(struct trace *t, struct state *s, struct problem *p)
{
	const struct trace_options *o = trace_options(t);
	char *path = dataset_path(trace_path(t));
	if (!path)
		return problem_no_memory(p);
	FILE *f = *path ? infile_open(path, p) : NULL;
	size_t n;
	int rc = 0;
	if (o->input && o->output) {
		trace_remark(t, "its lengths come from [workload] input_tokens "
				"and output_tokens");
	} else if (!f && *path && access(path, F_OK) == 0) {
		rc = -1; /* infile_open() has said why */
	} else if (!f) {
		rc = problem_set(
		    p, EXIT_USAGE,
		    "%s: windows have no lengths; put %s beside it, or give "
		    "[workload] input_tokens and output_tokens",
		    trace_path(t), *path ? path : "…dataset.json");
	} else {
		char *text = trace_read_all(t, f, &n, p);
		rc = text ? parse_dataset(s, path, text, n, p) : -1;
		free(text);
		if (rc == 0 && s->n_eras == 0)
			rc = problem_set(p, EXIT_INPUT, "%s:1: no lengths",
					 path);
	}
	if (f)
		fclose(f);
	free(path);
	return rc;
}

/* ---- requests ---- */

static int load(struct trace *t, FILE *f, struct problem *p)
{
	struct state *s = calloc(1, sizeof *s);
	struct reader r = {.t = t, .s = s};
	*trace_state(t) = s;
	if (!s)
		return problem_no_memory(p);
	if (csv_read(f, trace_path(t), on_row, &r, p) < 0)
		return -1;
	const char *why = close_windows(s);
	if (why)
		return problem_at(p, trace_path(t), 1, why);
	return load_dataset(t, s, p);
}

static int64_t draw(const struct lengths *l, struct rng *r)
{
	double u = rng_uniform(r) * l->until[l->n - 1];
	return l->tokens[distribution_find(l->until, l->n, u)];
}

/* Draws the lengths of a request: those of the options, or else of its time. */
static void lengths(struct trace *t, const struct state *s, uint64_t index,
		    const struct window *w, struct trace_row *row)
{
	const struct trace_options *o = trace_options(t);
	struct rng r = rng_stream(o->seed, RNG_TRACE, index + 1);
	if (o->input && o->output) {
		row->input_tokens = distribution_tokens(o->input, &r);
		row->output_tokens = distribution_tokens(o->output, &r);
		return;
	}
	size_t e = 0;
	while (e + 1 < s->n_eras &&
	       s->era[e + 1].start_s <= w->start_ns / 1000000000)
		e++;
	row->input_tokens = draw(&s->era[e].input, &r);
	row->output_tokens = draw(&s->era[e].output, &r);
}

/* As in a stage of arrivals: gaps are drawn twice, to sum and to place. */
static void enter(struct trace *t, struct state *s)
{
	const struct window *w = &s->window[s->w];
	s->k = 0;
	s->sum = s->total = 0;
	s->rng = rng_stream(trace_options(t)->seed, RNG_ARRIVAL, s->w + 1);
	struct rng again = s->rng;
	for (uint64_t i = 0; i <= w->count; i++)
		s->total += gaps_draw(&w->gaps, &again);
}

/* Makes the next request; the times in a window are scaled so that its last gap
 * ends with it. */
static int item(struct trace *t, uint64_t index, struct trace_row *row,
		const char **why)
{
	struct state *s = *trace_state(t);
	(void)why;
	if (index == 0) {
		s->w = 0;
		enter(t, s);
	}
	while (s->k == s->window[s->w].count) {
		if (++s->w == s->n_windows) {
			s->w--;
			return 0;
		}
		enter(t, s);
	}
	const struct window *w = &s->window[s->w];
	s->sum += gaps_draw(&w->gaps, &s->rng);
	s->k++;
	row->request.line = w->line;
	row->time_ns =
	    w->start_ns + llround((double)w->length_ns * (s->sum / s->total));
	lengths(t, s, index, w, row);
	return 1;
}

static void unload(struct trace *t)
{
	struct state *s = *trace_state(t);
	if (!s)
		return;
	for (size_t i = 0; i < s->n_eras; i++)
		free_era(&s->era[i]);
	free(s->era), free(s->window), free(s);
}

const struct trace_format trace_servegen = {.name = "servegen",
					    .shape = TRACE_DOCUMENT,
					    .has_times = 1,
					    .takes_lengths = 1,
					    .load = load,
					    .item = item,
					    .unload = unload};
