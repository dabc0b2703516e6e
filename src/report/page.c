/* page.c -- Writes a study as one HTML page. */
#include <config.h>
#include "report/page.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "draw/gnuplot.h"
#include "draw/html.h"
#include "draw/svg.h"
#include "math/statistics.h"
#include "record/metrics.h"
#include "report/simulated.h"
#include "report/support.h"

enum {
	ECDF_POINTS = 240,    /* of each arm */
	SCATTER_POINTS = 900, /* of each arm */
};

/* What is kept of an arm for the figures; [n] of each. */
struct trail {
	size_t n_requests, n_steps;
	double *ttft_ms, *tpot_ms, *e2el_ms; /* ascending                    */
	size_t n_tpot;
	double *batch, *kv, *step_ms; /* SCATTER_POINTS at most              */
};
struct page {
	FILE *f;
	const struct study *s;
	const struct explain *e;
	struct trail *trail;
	struct figure_series *series; /* one per arm and figure              */
	/* NULL: figures go to the page; else the one of that name to a file */
	const char *only, *path;
	int plotted, failed;
	struct problem *p;
};

static int no_memory(struct page *g)
{
	return problem_set(g->p, EXIT_USAGE, "out of memory");
}

/* ---- from the logs ---- */

static int read_requests(struct page *g, const struct steplog *l,
			 struct trail *t)
{
	struct logged_request q;
	size_t n = l->bytes / sizeof q;
	t->ttft_ms = calloc(3 * n + 1, sizeof *t->ttft_ms);
	if (!t->ttft_ms)
		return no_memory(g);
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

static double kv_of(const sc_step *s)
{
	double sum = 0;
	for (uint32_t i = 0; i < s->n_decode; i++)
		sum += s->decode_ctx[i];
	for (uint32_t i = 0; i < s->n_prefill; i++)
		sum += (double)s->prefill_ctx[i] + s->prefill_new[i];
	return sum;
}

static int read_steps(struct page *g, const struct steplog *l, uint64_t n_steps,
		      struct trail *t)
{
	struct logged_step s;
	uint64_t every = n_steps / SCATTER_POINTS + 1, i = 0;
	t->batch = calloc(3 * SCATTER_POINTS, sizeof *t->batch);
	if (!t->batch)
		return no_memory(g);
	t->kv = t->batch + SCATTER_POINTS;
	t->step_ms = t->kv + SCATTER_POINTS;
	for (size_t at = 0; steplog_next_step(l, &at, &s); i++)
		if (i % every == 0 && t->n_steps < SCATTER_POINTS) {
			t->batch[t->n_steps] =
			    (double)s.step.n_decode + s.step.n_prefill;
			t->kv[t->n_steps] = kv_of(&s.step);
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

static void draw(struct page *g, const char *name, const char *title,
		 const char *x, const char *y, int log_x, int log_y)
{
	const struct figure figure = {.title = title,
				      .x_label = x,
				      .y_label = y,
				      .log_x = log_x,
				      .log_y = log_y,
				      .series = g->series,
				      .n_series = g->s->n};
	if (g->only && !strcmp(name, g->only)) {
		g->failed = gnuplot_figure(&figure, g->path, g->p) < 0;
		g->plotted = 1;
	}
	if (g->only)
		return;
	fputs("<div class=\"fig\">", g->f);
	svg_figure(g->f, &figure);
	fputs("</div>\n", g->f);
}

/* Sorted samples at fixed ranks, ends included. */
static size_t thin(const double *from, size_t n, double *x, double *y)
{
	size_t points = n < ECDF_POINTS ? n : ECDF_POINTS;
	for (size_t i = 0; i < points; i++) {
		size_t rank = points < 2 ? 0 : i * (n - 1) / (points - 1);
		x[i] = from[rank];
		y[i] = (double)(rank + 1) / (double)n;
	}
	return points;
}

static int distribution(struct page *g, const char *name, const char *title,
			size_t which)
{
	size_t n = g->s->n;
	double *xy = calloc(2 * n * ECDF_POINTS, sizeof *xy);
	if (!xy)
		return no_memory(g);
	for (size_t i = 0; i < n; i++) {
		const struct trail *t = &g->trail[i];
		const double *const from[] = {t->ttft_ms, t->tpot_ms,
					      t->e2el_ms};
		double *x = xy + 2 * i * ECDF_POINTS, *y = x + ECDF_POINTS;
		size_t points = thin(
		    from[which], which == 1 ? t->n_tpot : t->n_requests, x, y);
		g->series[i] = series_of(g, i, MARK_STEPS, x, y, points);
	}
	draw(g, name, title, "ms", "share of requests", 1, 0);
	free(xy);
	return 0;
}

static void step_times(struct page *g)
{
	for (size_t i = 0; i < g->s->n; i++)
		g->series[i] =
		    series_of(g, i, MARK_POINTS, g->trail[i].batch,
			      g->trail[i].step_ms, g->trail[i].n_steps);
	draw(g, "step-batch", "Step time against batch",
	     "sequences in the step", "ms", 0, 1);
	for (size_t i = 0; i < g->s->n; i++)
		g->series[i].x = g->trail[i].kv;
	draw(g, "step-context", "Step time against context",
	     "KV tokens of the step, cached and new", "ms", 1, 1);
}

/* Means over the steps that began within a bin of the run. */
static int timeline(struct page *g, const char *name, const char *title,
		    const char *label, int of_blocks)
{
	double *xy = calloc(2 * g->s->n * SERIES_BINS, sizeof *xy);
	if (!xy)
		return no_memory(g);
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
	draw(g, name, title, "s", label, 0, 0);
	free(xy);
	return 0;
}

/* ---- attribution ---- */

static int attribution_bars(struct page *g, enum attributed of,
			    const char *title, const char *label)
{
	const char **category = calloc(g->e->n + 1, sizeof *category);
	double *value = calloc((g->e->n + 1) * N_COMPONENTS, sizeof *value);
	struct bars bars = {.title = title,
			    .y_label = label,
			    .category = category,
			    .part = component_name,
			    .n_parts = N_COMPONENTS,
			    .value = value};
	int rc = category && value ? 0 : no_memory(g);
	for (size_t i = 0; rc == 0 && i < g->e->n; i++) {
		const struct explanation *x = &g->e->pair[i];
		if (x->error || x->of != 0)
			continue;
		size_t at = bars.n_categories++;
		category[at] = g->s->arm[x->by].name;
		for (int k = 0; k < N_COMPONENTS; k++)
			value[at * N_COMPONENTS + (size_t)k] =
			    x->x->component_ns[of][k] / 1e6;
	}
	if (rc == 0 && bars.n_categories) {
		fputs("<div class=\"fig\">", g->f);
		svg_bars(g->f, &bars);
		fputs("</div>\n", g->f);
	}
	free(category);
	free(value);
	return rc;
}

static void worst_steps(struct page *g, const struct explanation *x)
{
	enum { COLUMNS = 5, WIDTH = 128 };
	static const char *const column[COLUMNS] = {
	    "shape (numbers up to)", "steps", "step time, ms", "mean E2E, ms",
	    "place of an example"};
	const char *cell[SHAPES_KEPT * COLUMNS];
	char text[SHAPES_KEPT * COLUMNS][WIDTH];
	for (uint32_t i = 0; i < x->x->n_shapes; i++) {
		const struct shape_difference *d = &x->x->shape[i];
		char(*to)[WIDTH] = &text[i * COLUMNS];
		snprintf(to[0], WIDTH, "%u decode, %u prefill of %u, KV %u",
			 d->shape.n_decode, d->shape.n_prefill,
			 d->shape.prefill_tokens, d->shape.longest_kv);
		snprintf(to[1], WIDTH, "%" PRIu64, d->steps);
		snprintf(to[2], WIDTH, "%+.3f", d->ns[ATTRIBUTION_STEPS] / 1e6);
		snprintf(to[3], WIDTH, "%+.3f", d->ns[ATTRIBUTION_E2EL] / 1e6);
		snprintf(to[4], WIDTH, "%" PRIu64, d->example);
		for (int k = 0; k < COLUMNS; k++)
			cell[i * COLUMNS + (uint32_t)k] = to[k];
	}
	html_table(g->f, column, COLUMNS, cell, x->x->n_shapes);
}

static int explanations(struct page *g)
{
	char title[256];
	if (!g->e->n)
		return 0;
	html_heading(g->f, "Why they differ", "attribution");
	html_paragraph(
	    g->f,
	    "Open loop: the steps of the first arm, each as long as the other "
	    "arm says, split by what the time goes into. Bars above zero take "
	    "longer than in the first arm, bars below less.");
	if (attribution_bars(g, ATTRIBUTION_STEPS, "Difference in step time",
			     "ms, sum over all steps") < 0 ||
	    attribution_bars(g, ATTRIBUTION_E2EL,
			     "Difference in mean E2E latency", "ms") < 0)
		return -1;
	for (size_t i = 0; i < g->e->n; i++) {
		const struct explanation *x = &g->e->pair[i];
		if (x->error || x->of != 0)
			continue;
		snprintf(title, sizeof title,
			 "Step shapes that differ most: %s against %s",
			 g->s->arm[x->by].name, g->s->arm[x->of].name);
		html_heading(g->f, title, NULL);
		worst_steps(g, x);
	}
	return 0;
}

/* ---- tables ---- */

static void summary(struct page *g)
{
	enum { WIDTH = 32 };
	size_t n = g->s->n, rows = 0;
	const char **column = calloc(n + 1, sizeof *column);
	const char **cell = calloc((n + 1) * n_metrics, sizeof *cell);
	char(*text)[WIDTH] = calloc((n + 1) * n_metrics, sizeof *text);
	for (size_t k = 0; column && cell && text && k < n_metrics; k++) {
		const struct metric *m = &metric[k];
		if (!m->headline)
			continue;
		cell[rows * (n + 1)] = m->name;
		for (size_t i = 0; i < n; i++) {
			size_t at = rows * (n + 1) + i + 1;
			if (g->s->arm[i].error)
				continue;
			const struct outcome *o = &g->s->arm[i].record->outcome;
			double v = metric_value(m, o);
			if (isnan(v))
				continue;
			snprintf(text[at], WIDTH, "%.*f%s", m->decimals, v,
				 m->tail &&
					 o->saturation == SATURATION_OVERLOADED
				     ? " !"
				     : "");
			cell[at] = text[at];
		}
		rows++;
	}
	if (column && cell && text) {
		column[0] = "metric";
		for (size_t i = 0; i < n; i++)
			column[i + 1] = g->s->arm[i].name;
		html_table(g->f, column, n + 1, cell, rows);
	}
	free(column);
	free(cell);
	free(text);
}

static void simulated(struct page *g)
{
	static const char *const column[] = {"simulated", ""};
	char *cell[2 * N_SIMULATED];
	for (int i = 0; i < N_SIMULATED; i++) {
		cell[2 * i] = (char *)(uintptr_t)simulated_label[i];
		cell[2 * i + 1] = simulated_part(g->s->results.config, g->s->n,
						 (enum simulated_part)i);
	}
	html_table(g->f, column, 2, (const char *const *)cell, N_SIMULATED);
	for (int i = 0; i < N_SIMULATED; i++)
		free(cell[2 * i + 1]);
}

/* How far each arm is trusted. */
static void support(struct page *g)
{
	static const char *const column[] = {"arm", "support"};
	const struct arm_result *arm = g->s->arm;
	char **text = calloc(2 * g->s->n + 1, sizeof *text);
	for (size_t i = 0; text && i < g->s->n; i++) {
		text[2 * i] = (char *)(uintptr_t)arm[i].name;
		if (!arm[i].error)
			text[2 * i + 1] = support_text(&arm[i].support);
	}
	if (text)
		html_table(g->f, column, 2, (const char *const *)text, g->s->n);
	for (size_t i = 0; text && i < g->s->n; i++)
		free(text[2 * i + 1]);
	free(text);
}

static void remarks(struct page *g)
{
	char text[2200];
	for (size_t i = 0; i < g->s->n; i++) {
		const struct arm_result *a = &g->s->arm[i];
		if (a->error) {
			snprintf(text, sizeof text, "%s failed: %.2000s",
				 a->name, a->error);
			html_paragraph(g->f, text);
		} else if (a->record->outcome.completed == 0) {
			snprintf(text, sizeof text, "%s: nothing completed.",
				 a->name);
			html_paragraph(g->f, text);
		} else if (a->record->outcome.saturation != SATURATION_STABLE) {
			snprintf(
			    text, sizeof text,
			    "%s is %s: latencies marked with ! tell how "
			    "long the run was.",
			    a->name,
			    saturation_name[a->record->outcome.saturation]);
			html_paragraph(g->f, text);
		}
	}
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
	html_heading(g->f, "Latencies", "latencies");
	if (latencies(g) < 0)
		return -1;
	html_heading(g->f, "How long a step takes", NULL);
	step_times(g);
	if (explanations(g) < 0)
		return -1;
	html_heading(g->f, "Over time", NULL);
	return over_time(g);
}

static int begin(struct page *g)
{
	g->trail = calloc(g->s->n, sizeof *g->trail);
	g->series = calloc(g->s->n, sizeof *g->series);
	return g->trail && g->series ? read_logs(g) : no_memory(g);
}

int page_plot(const struct study *s, const char *figure_path, struct problem *p)
{
	char name[32] = "ttft";
	const char *path = strchr(figure_path, '=');
	if (path)
		snprintf(name, sizeof name, "%.*s", (int)(path - figure_path),
			 figure_path);
	struct page g = {.s = s,
			 .only = name,
			 .path = path ? path + 1 : figure_path,
			 .p = p};
	int rc = begin(&g);
	if (rc == 0)
		rc = latencies(&g);
	if (rc == 0) {
		step_times(&g);
		rc = over_time(&g);
	}
	if (rc == 0 && !g.plotted)
		rc = problem_set(p, EXIT_USAGE,
				 "no figure '%s'; there are: ttft tpot e2el "
				 "step-batch step-context batch kv",
				 name);
	free_trails(&g);
	return g.failed ? -1 : rc;
}

int page_write(FILE *f, const struct study *s, const struct explain *e,
	       const json_t *document, struct problem *p)
{
	struct page g = {.f = f, .s = s, .e = e, .p = p};
	int rc = begin(&g);
	if (rc == 0) {
		html_begin(f, s->n > 1 ? "Cost models on the same requests"
				       : "A cost model on a workload");
		simulated(&g);
		summary(&g);
		support(&g);
		remarks(&g);
		rc = figures(&g);
	}
	if (rc == 0) {
		html_heading(f, "Everything, as in the JSON document", "all");
		html_fold_begin(f, "configuration, hashes, all numbers", 0);
		html_json(f, document);
		html_fold_end(f);
		html_end(f);
	}
	free_trails(&g);
	return rc;
}
