/* page_replicas.c -- Draws the replicas of arms over time. */
#include "report/page/page_replicas.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "draw/heatmap.h"
#include "draw/html.h"
#include "draw/svg.h"
#include "record/replica_series.h"

enum { MOST_ROWS = 16 }; /* more replicas share rows */

/* A quantity of replicas. */
enum quantity { QUEUE, KV, HITS, N_QUANTITIES };
static const char *const title[N_QUANTITIES] = {
    "requests that wait", "KV tokens of the step",
    "share of prompt tokens found in the cache"};

struct view {
	const struct study *s;
	struct replica_series *of; /* by arm */
	struct problem *p;
};

/* ---- data ---- */

static int has_run(const struct view *v, size_t arm)
{
	return !v->s->arm[arm].error;
}

static uint32_t replicas_of(const struct view *v, size_t arm)
{
	return v->s->arm[arm].record->outcome.replicas;
}

static int read_arm(struct view *v, size_t arm)
{
	const struct job *j = &v->s->job[arm];
	struct steplog steps = {0}, requests = {0};
	int rc = steplog_map(&steps, j->stream[STREAM_LOG_STEPS], v->p);
	if (rc == 0)
		rc = steplog_map(&requests, j->stream[STREAM_LOG_REQUESTS],
				 v->p);
	if (rc == 0)
		rc = replica_series_read(&v->of[arm], replicas_of(v, arm),
					 &steps, &requests, v->p);
	steplog_unmap(&steps);
	steplog_unmap(&requests);
	return rc;
}

static int read_all(struct view *v)
{
	v->of = calloc(v->s->n, sizeof *v->of);
	if (!v->of)
		return problem_no_memory(v->p);
	for (size_t i = 0; i < v->s->n; i++)
		if (has_run(v, i) && read_arm(v, i) < 0)
			return -1;
	return 0;
}

static void free_all(struct view *v)
{
	for (size_t i = 0; v->of && i < v->s->n; i++)
		replica_series_free(&v->of[i]);
	free(v->of);
}

/* ---- a map of replicas and times ---- */

static double value_of(const struct replica_bin *b, enum quantity what)
{
	return what == QUEUE ? round(100 * b->waiting) / 100
	       : what == KV  ? round(b->kv_tokens)
	       : b->prompt_tokens > 0
		   ? round(100 * b->hit_tokens / b->prompt_tokens) / 100
		   : (double)NAN;
}

/* Adds up the replicas [from, to) in a bin, and takes means. */
static struct replica_bin mean_of(const struct replica_series *x, uint32_t from,
				  uint32_t to, int bin)
{
	struct replica_bin sum = {0};
	for (uint32_t r = from; r < to; r++) {
		const struct replica_bin *b =
		    &x->bin[(size_t)r * REPLICA_BINS + (size_t)bin];
		sum.waiting += b->waiting / (to - from);
		sum.kv_tokens += b->kv_tokens / (to - from);
		sum.prompt_tokens += b->prompt_tokens;
		sum.hit_tokens += b->hit_tokens;
	}
	return sum;
}

struct map {
	char row[MOST_ROWS][32], column[REPLICA_BINS][32];
	const char *y[MOST_ROWS], *x[REPLICA_BINS];
	double value[MOST_ROWS * REPLICA_BINS];
	char title[160];
	struct heatmap h;
};

static void name_row(char text[32], uint32_t from, uint32_t to)
{
	if (to - from > 1)
		snprintf(text, 32, "%u to %u", from, to - 1);
	else
		snprintf(text, 32, "%u", from);
}

static void make_map(struct map *m, const struct view *v, size_t arm,
		     enum quantity what)
{
	const struct replica_series *s = &v->of[arm];
	uint32_t rows = s->n_replicas < MOST_ROWS ? s->n_replicas : MOST_ROWS;
	double width = (double)(s->to_ns - s->from_ns) / 1e9 / REPLICA_BINS;
	for (uint32_t r = 0; r < rows; r++) {
		uint32_t from = r * s->n_replicas / rows;
		uint32_t to = (r + 1) * s->n_replicas / rows;
		name_row(m->row[r], from, to);
		m->y[r] = m->row[r];
		for (int b = 0; b < REPLICA_BINS; b++) {
			struct replica_bin bin = mean_of(s, from, to, b);
			m->value[r * REPLICA_BINS + (uint32_t)b] =
			    value_of(&bin, what);
		}
	}
	for (int b = 0; b < REPLICA_BINS; b++) {
		svg_tick_text(m->column[b], round(width * b));
		m->x[b] = m->column[b];
	}
	snprintf(m->title, sizeof m->title, "%s: %s", v->s->arm[arm].name,
		 title[what]);
	m->h = (struct heatmap){.title = m->title,
				.x_label = "from, s",
				.y_label = "replica",
				.x = m->x,
				.y = m->y,
				.n_x = REPLICA_BINS,
				.n_y = rows,
				.value = m->value};
}

/* ---- how many compute ---- */

struct lines {
	struct figure_series *series;
	double *x;
	struct figure figure;
};

static int make_lines(struct lines *l, const struct view *v)
{
	size_t n = v->s->n;
	*l = (struct lines){.series = calloc(n, sizeof *l->series),
			    .x = calloc(n * COMPUTE_BINS, sizeof *l->x)};
	if (!l->series || !l->x)
		return problem_no_memory(v->p);
	for (size_t i = 0; i < n; i++) {
		const struct replica_series *s = &v->of[i];
		double *x = l->x + i * COMPUTE_BINS;
		for (int b = 0; b < COMPUTE_BINS; b++)
			x[b] = (double)(s->to_ns - s->from_ns) / 1e9 * b /
			       COMPUTE_BINS;
		l->series[i] = (struct figure_series){
		    .name = v->s->arm[i].name,
		    .mark = MARK_STEPS,
		    .slot = (unsigned)i,
		    .x = x,
		    .y = s->computing,
		    .n = has_run(v, i) ? COMPUTE_BINS : 0};
	}
	l->figure = (struct figure){.title = "Replicas that compute",
				    .x_label = "s",
				    .y_label = "replicas",
				    .series = l->series,
				    .n_series = n};
	return 0;
}

static void free_lines(struct lines *l)
{
	free(l->series);
	free(l->x);
}

/* ---- on the page, and in a file ---- */

static int any_fleet(const struct view *v)
{
	for (size_t i = 0; i < v->s->n; i++)
		if (has_run(v, i) && replicas_of(v, i) > 1)
			return 1;
	return 0;
}

static int write_all(FILE *f, struct view *v)
{
	struct lines l;
	struct map *m = malloc(sizeof *m);
	int rc = m ? make_lines(&l, v) : problem_no_memory(v->p);
	if (rc == 0) {
		html_heading(f, "Replicas over time");
		svg_panels(f, &l.figure);
		for (size_t i = 0; i < v->s->n; i++)
			for (int q = 0; q < N_QUANTITIES && v->of[i].bin &&
					replicas_of(v, i) > 1;
			     q++) {
				make_map(m, v, i, (enum quantity)q);
				heatmap_svg(f, &m->h);
			}
	}
	if (m)
		free_lines(&l);
	free(m);
	return rc;
}

int page_replicas(FILE *f, const struct study *s, struct problem *p)
{
	struct view v = {.s = s, .p = p};
	if (!any_fleet(&v))
		return 0;
	int rc = read_all(&v);
	if (rc == 0)
		rc = write_all(f, &v);
	free_all(&v);
	return rc;
}

static int plot_map(struct plot *to, const struct view *v, enum quantity what)
{
	size_t arm = 0;
	while (arm < v->s->n && !has_run(v, arm))
		arm++;
	struct map *m = malloc(sizeof *m);
	if (!m)
		return problem_no_memory(v->p);
	int rc = 0;
	if (arm < v->s->n) {
		make_map(m, v, arm, what);
		rc = heatmap_plot(to, &m->h, v->p);
	}
	free(m);
	return rc;
}

static int plot_lines(struct plot *to, const struct view *v)
{
	struct lines l;
	int rc = make_lines(&l, v);
	if (rc == 0)
		rc = plot_figure(to, &l.figure, v->p);
	free_lines(&l);
	return rc;
}

int page_replicas_plot(struct plot *to, const struct study *s,
		       enum page_replicas which, struct problem *p)
{
	struct view v = {.s = s, .p = p};
	int rc = read_all(&v);
	if (rc == 0 && which == REPLICAS_COMPUTING)
		rc = plot_lines(to, &v);
	else if (rc == 0)
		rc = plot_map(to, &v,
			      which == REPLICAS_QUEUE ? QUEUE
			      : which == REPLICAS_KV  ? KV
						      : HITS);
	free_all(&v);
	return rc;
}
