/* page.c -- Draws the figures of a study, for its page or for a file. */
#include "report/page/page.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "draw/html.h"
#include "draw/svg.h"
#include "math/statistics.h"
#include "report/explain/explain.h"
#include "report/page/page_replicas.h"

enum {
	ECDF_POINTS = 240,    /* per arm */
	SCATTER_POINTS = 900, /* per arm */
};

/* The data of one arm that the figures need. */
struct trail {
	size_t n_requests, n_steps;
	double *ttft_ms, *tpot_ms, *e2el_ms; /* each [n_requests], ascending */
	size_t n_tpot;
	double *batch, *kv, *step_ms; /* at most SCATTER_POINTS each */
};
struct page {
	FILE *f;
	const struct study *s;
	struct trail *trail;
	struct figure_series *series; /* one per arm and figure */
	/* NULL: figures go to the page.  Otherwise the figure with this name
	 * goes to a file. */
	const char *only;
	struct plot *to;
	int failed;
	struct problem *p;
};

/* ---- data from the logs ---- */

static int read_requests(struct page *g, const struct steplog *l,
			 struct trail *t)
{
	struct logged_request q;
	size_t n = l->bytes / sizeof q;
	t->ttft_ms = calloc(3 * n + 1, sizeof *t->ttft_ms);
	if (!t->ttft_ms)
		return problem_no_memory(g->p);
	t->tpot_ms = t->ttft_ms + n;
	t->e2el_ms = t->tpot_ms + n;
	for (size_t at = 0; steplog_next_request(l, &at, &q);) {
		t->ttft_ms[t->n_requests] = (double)q.ttft_ns / 1e6;
		t->e2el_ms[t->n_requests++] = (double)q.e2el_ns / 1e6;
		if (q.tpot_ns >= 0)
			t->tpot_ms[t->n_tpot++] = (double)q.tpot_ns / 1e6;
	}
	stats_sort(t->ttft_ms, t->n_requests);
	stats_sort(t->e2el_ms, t->n_requests);
	stats_sort(t->tpot_ms, t->n_tpot);
	return 0;
}

static int read_steps(struct page *g, const struct steplog *l, uint64_t n_steps,
		      struct trail *t)
{
	struct logged_step s;
	uint64_t every = n_steps / SCATTER_POINTS + 1, i = 0;
	t->batch = calloc(3 * SCATTER_POINTS, sizeof *t->batch);
	if (!t->batch)
		return problem_no_memory(g->p);
	t->kv = t->batch + SCATTER_POINTS;
	t->step_ms = t->kv + SCATTER_POINTS;
	for (size_t at = 0; steplog_next_step(l, &at, &s); i++)
		if (i % every == 0 && t->n_steps < SCATTER_POINTS) {
			t->batch[t->n_steps] =
			    (double)s.step.n_decode + s.step.n_prefill;
			t->kv[t->n_steps] = step_kv_tokens(&s.step);
			t->step_ms[t->n_steps++] = s.result.total_us / 1e3;
		}
	return 0;
}

static int read_logs(struct page *g)
{
	const struct study *s = g->s;
	for (size_t i = 0; i < s->n; i++) {
		struct steplog steps = {0}, requests = {0};
		if (s->arm[i].error)
			continue;
		int rc = steplog_map(&steps, s->job[i].stream[STREAM_LOG_STEPS],
				     g->p);
		if (rc == 0)
			rc = steplog_map(&requests,
					 s->job[i].stream[STREAM_LOG_REQUESTS],
					 g->p);
		if (rc == 0)
			rc = read_requests(g, &requests, &g->trail[i]);
		if (rc == 0)
			rc = read_steps(g, &steps,
					s->arm[i].record->outcome.num_steps,
					&g->trail[i]);
		steplog_unmap(&steps);
		steplog_unmap(&requests);
		if (rc < 0)
			return -1;
	}
	return 0;
}

static void free_trails(struct page *g)
{
	for (size_t i = 0; g->trail && i < g->s->n; i++) {
		free(g->trail[i].ttft_ms);
		free(g->trail[i].batch);
	}
	free(g->trail);
	free(g->series);
}

/* ---- figures ---- */

static struct figure_series series_of(const struct page *g, size_t arm,
				      enum figure_mark mark, const double *x,
				      const double *y, size_t n)
{
	return (struct figure_series){.name = g->s->arm[arm].name,
				      .mark = mark,
				      .slot = (unsigned)arm,
				      .x = x,
				      .y = y,
				      .n = n};
}

/* svg_figure() or svg_panels(). */
typedef void (*layout_fn)(FILE *f, const struct figure *g);

/* Draws a figure into the page, or alone into its own file if it is the one
 * that was asked for. */
static void draw(struct page *g, layout_fn layout, const char *name,
		 const char *title, const char *x, const char *y,
		 enum figure_scale scale_x, enum figure_scale scale_y)
{
	const struct figure figure = {.title = title,
				      .x_label = x,
				      .y_label = y,
				      .scale_x = scale_x,
				      .scale_y = scale_y,
				      .series = g->series,
				      .n_series = g->s->n};
	if (g->only && !strcmp(name, g->only)) {
		g->failed = plot_figure(g->to, &figure, g->p) < 0;
	}
	if (g->only)
		return;
	layout(g->f, &figure);
}

/* Takes sorted samples at fixed ranks, including both ends. */
static size_t downsample(const double *from, size_t n, double *x, double *y)
{
	size_t points = n < ECDF_POINTS ? n : ECDF_POINTS;
	for (size_t i = 0; i < points; i++) {
		size_t rank = points < 2 ? 0 : i * (n - 1) / (points - 1);
		x[i] = from[rank];
		y[i] = (double)(rank + 1) / (double)n;
	}
	return points;
}

/* Draws the distribution of a latency, a line for each arm. */
static int distribution(struct page *g, const char *name, const char *title,
			size_t which)
{
	size_t n = g->s->n;
	double *xy = calloc(2 * n * ECDF_POINTS, sizeof *xy);
	if (!xy)
		return problem_no_memory(g->p);
	for (size_t i = 0; i < n; i++) {
		const struct trail *t = &g->trail[i];
		const double *const from[] = {t->ttft_ms, t->tpot_ms,
					      t->e2el_ms};
		double *x = xy + 2 * i * ECDF_POINTS, *y = x + ECDF_POINTS;
		size_t points = downsample(
		    from[which], which == 1 ? t->n_tpot : t->n_requests, x, y);
		g->series[i] = series_of(g, i, MARK_STEPS, x, y, points);
	}
	draw(g, svg_figure, name, title, "ms", "share of requests",
	     SCALE_BY_RANGE, SCALE_LINEAR);
	free(xy);
	return 0;
}

static void step_times(struct page *g)
{
	for (size_t i = 0; i < g->s->n; i++)
		g->series[i] =
		    series_of(g, i, MARK_POINTS, g->trail[i].batch,
			      g->trail[i].step_ms, g->trail[i].n_steps);
	draw(g, svg_panels, "step-batch", "Step time against batch",
	     "sequences in the step", "ms", SCALE_LINEAR, SCALE_BY_RANGE);
	for (size_t i = 0; i < g->s->n; i++)
		g->series[i].x = g->trail[i].kv;
	draw(g, svg_panels, "step-context", "Step time against context",
	     "KV tokens of the step, cached and new", "ms", SCALE_BY_RANGE,
	     SCALE_BY_RANGE);
}

/* Draws means over the steps that began within each bin of the run. */
static int timeline(struct page *g, const char *name, const char *title,
		    const char *label, int of_blocks)
{
	double *xy = calloc(2 * g->s->n * SERIES_BINS, sizeof *xy);
	if (!xy)
		return problem_no_memory(g->p);
	for (size_t i = 0; i < g->s->n; i++) {
		double *x = xy + 2 * i * SERIES_BINS, *y = x + SERIES_BINS;
		const struct outcome *o = &g->s->arm[i].record->outcome;
		uint32_t n = g->s->arm[i].error ? 0 : o->series.n_bins;
		for (uint32_t b = 0; b < n; b++) {
			const struct series_bin *bin = &o->series.bin[b];
			uint64_t sum = of_blocks ? bin->blocks : bin->sequences;
			x[b] = (double)b * (double)o->series.width_ns / 1e9;
			y[b] =
			    bin->steps ? (double)sum / (double)bin->steps : 0;
		}
		g->series[i] = series_of(g, i, MARK_STEPS, x, y, n);
	}
	draw(g, svg_panels, name, title, "s", label, SCALE_LINEAR,
	     SCALE_LINEAR);
	free(xy);
	return 0;
}

static int latencies(struct page *g)
{
	return distribution(g, "ttft", "Time to first token", 0) < 0 ||
		       distribution(g, "tpot", "Time per output token", 1) <
			   0 ||
		       distribution(g, "e2el", "End to end", 2) < 0
		   ? -1
		   : 0;
}

static int over_time(struct page *g)
{
	return timeline(g, "batch", "Batch", "sequences per step", 0) < 0 ||
		       timeline(g, "kv", "KV cache", "blocks in use", 1) < 0
		   ? -1
		   : 0;
}

static int figures(struct page *g)
{
	html_heading(g->f, "Distributions of latencies");
	html_row_begin(g->f);
	int rc = latencies(g);
	html_row_end(g->f);
	if (rc < 0)
		return -1;
	html_heading(g->f, "How long a step takes");
	step_times(g);
	html_heading(g->f, "Over time");
	return over_time(g) < 0 ? -1 : page_replicas(g->f, g->s, g->p);
}

static int begin(struct page *g)
{
	g->trail = calloc(g->s->n, sizeof *g->trail);
	g->series = calloc(g->s->n, sizeof *g->series);
	return g->trail && g->series ? read_logs(g) : problem_no_memory(g->p);
}

/* about: which of the replicas' figures, or the latency that bars explain. */
struct page_figure {
	const char *name;
	enum { OF_RUNS, OF_REPLICAS, OF_DIFFERENCES } of;
	int about;
};
static const struct page_figure plots[] = {
    {"ttft", OF_RUNS, 0},
    {"tpot", OF_RUNS, 0},
    {"e2el", OF_RUNS, 0},
    {"step-batch", OF_RUNS, 0},
    {"step-context", OF_RUNS, 0},
    {"batch", OF_RUNS, 0},
    {"kv", OF_RUNS, 0},
    {"replicas", OF_REPLICAS, REPLICAS_COMPUTING},
    {"replica-queue", OF_REPLICAS, REPLICAS_QUEUE},
    {"replica-kv", OF_REPLICAS, REPLICAS_KV},
    {"replica-hits", OF_REPLICAS, REPLICAS_HITS},
    {"why-ttft", OF_DIFFERENCES, ATTRIBUTION_TTFT},
    {"why-tpot", OF_DIFFERENCES, ATTRIBUTION_TPOT},
    {"why-e2el", OF_DIFFERENCES, ATTRIBUTION_E2EL},
};

int page_plot_is_why(const struct page_plot *o)
{
	return o->figure && o->figure->of == OF_DIFFERENCES;
}

static int is_named(const char *name, const char *text, size_t n)
{
	return strlen(name) == n && !strncmp(name, text, n);
}

int page_plot_open(struct page_plot *o, const char *figure_path,
		   struct problem *p)
{
	const char *equals = strchr(figure_path, '=');
	size_t n = equals ? (size_t)(equals - figure_path) : 0;
	const char *path = equals ? equals + 1 : figure_path;
	*o = (struct page_plot){.figure = equals ? NULL : plots};
	for (size_t i = 0; equals && i < sizeof plots / sizeof *plots; i++)
		if (is_named(plots[i].name, figure_path, n))
			o->figure = &plots[i];
	if (!o->figure)
		return problem_set(
		    p, EXIT_USAGE,
		    "no figure '%.*s'; there are: ttft tpot e2el step-batch "
		    "step-context batch kv replicas replica-queue replica-kv "
		    "replica-hits why-ttft why-tpot why-e2el",
		    (int)n, figure_path);
	return plot_open(&o->to, path, p);
}

static int plot_why(struct page_plot *o, const struct findings *w,
		    struct problem *p)
{
	FILE *f = plot_begin(&o->to, p);
	if (!f)
		return -1;
	int rc = explain_plot(f, &w->explain, o->figure->about);
	if (plot_end(&o->to, p) < 0)
		return -1;
	if (rc == 0)
		return 0;
	return problem_set(p, EXIT_USAGE,
			   "--plot %s: there is no pair of arms with an "
			   "explained difference",
			   o->figure->name);
}

int page_plot(struct page_plot *o, const struct findings *w, struct problem *p)
{
	if (page_plot_is_why(o))
		return plot_why(o, w, p);
	if (o->figure->of == OF_REPLICAS)
		return page_replicas_plot(
		    &o->to, &w->study, (enum page_replicas)o->figure->about, p);
	struct page g = {
	    .s = &w->study, .only = o->figure->name, .to = &o->to, .p = p};
	int rc = begin(&g);
	if (rc == 0)
		rc = latencies(&g);
	if (rc == 0) {
		step_times(&g);
		rc = over_time(&g);
	}
	free_trails(&g);
	return g.failed ? -1 : rc;
}

int page_figures(struct document *d, const struct findings *w,
		 struct problem *p)
{
	struct page g = {.f = document_write(d), .s = &w->study, .p = p};
	int rc = g.f ? begin(&g) : problem_no_memory(p);
	if (rc == 0)
		rc = figures(&g);
	document_written(d, DOCUMENT_FIGURE);
	free_trails(&g);
	return rc;
}
