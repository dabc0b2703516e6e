/* scatter.c -- Draws predicted over measured times of many runs. */
#include "report/validation/scatter.h"
#include <math.h>
#include <stdlib.h>
#include "draw/svg.h"
#include "report/validation/validation.h"
#include "report/validation/validation_parts.h"

/* Points of all arms: measured, predicted, and both ends of the interval. */
struct points {
	double *x, *y, *low, *high;
	size_t n;
	struct figure_series *series; /* [arms + 1] */
	double least, most;           /* measured */
	double diagonal[2];
};

static void add_point(struct points *o, const struct validation *v, size_t arm,
		      size_t row, enum run_latency metric,
		      const struct scored *scored)
{
	const struct measured_row *r = &v->file->row[row];
	double x = r->time[metric].of[STATISTIC_MEAN];
	double y = validation_of(v, arm, row)->time[metric].of[STATISTIC_MEAN];
	char name[40];
	if (!validation_of(v, arm, row)->priced || !(x > 0) || !(y > 0))
		return;
	snprintf(name, sizeof name, "mean_%s_ms", latency_name[metric]);
	struct trust_interval is =
	    scores_interval(scored, r->id ? r->id : "", name);
	o->x[o->n] = x;
	o->y[o->n] = y;
	o->low[o->n] = is.n ? y * is.low : (double)NAN;
	o->high[o->n] = is.n ? y * is.high : (double)NAN;
	o->least = fmin(o->least, x);
	o->most = fmax(o->most, x);
	o->n++;
}

static void add_arm(struct points *o, const struct validation *v, size_t arm,
		    enum run_latency metric, enum fold_by by)
{
	size_t first = o->n;
	struct scored scored;
	struct problem p;
	validation_scores(v, arm, by, &scored, &p);
	for (size_t i = 0; i < v->file->n; i++)
		add_point(o, v, arm, i, metric, &scored);
	scored_free(&scored);
	o->series[arm] = (struct figure_series){.name = v->arm[arm],
						.mark = MARK_POINTS,
						.slot = (unsigned)arm,
						.x = o->x + first,
						.y = o->y + first,
						.n = o->n - first,
						.low = o->low + first,
						.high = o->high + first};
}

/* Returns the scatter plot of a metric, over numbers in *o. */
static struct figure scatter(const struct validation *v,
			     enum run_latency metric, enum fold_by by,
			     struct points *o)
{
	o->n = 0;
	o->least = INFINITY;
	o->most = 0;
	for (size_t k = 0; k < v->n_arms; k++)
		add_arm(o, v, k, metric, by);
	/* A single run has a diagonal, too. */
	o->diagonal[0] = o->least / 1.5;
	o->diagonal[1] = o->most * 1.5;
	o->series[v->n_arms] = (struct figure_series){
	    .mark = MARK_RULE, .x = o->diagonal, .y = o->diagonal, .n = 2};
	return (struct figure){.title = validation_title[metric],
			       .x_label = "measured mean, ms",
			       .y_label = "predicted mean, ms",
			       .scale_x = SCALE_LOG,
			       .scale_y = SCALE_LOG,
			       .series = o->series,
			       .n_series = v->n_arms + 1};
}

/* Returns 0, or -1 if memory is out; points_free() in either case. */
static int points_open(struct points *o, const struct validation *v)
{
	size_t n = v->n_arms * v->file->n + 1;
	double *x = calloc(4 * n, sizeof *x);
	*o = (struct points){
	    .x = x, .series = calloc(v->n_arms + 1, sizeof *o->series)};
	if (!x || !o->series)
		return -1;
	o->y = x + n;
	o->low = x + 2 * n;
	o->high = x + 3 * n;
	return 0;
}

static void points_free(struct points *o)
{
	free(o->x);
	free(o->series);
}

void scatter_all(const struct validation *v, enum fold_by by, FILE *f)
{
	struct points o;
	int rc = points_open(&o, v);
	for (int k = 0; rc == 0 && k < N_RUN_LATENCIES; k++) {
		struct figure g = scatter(v, validation_shown[k], by, &o);
		if (o.n)
			svg_panels(f, &g);
	}
	points_free(&o);
}

int validation_plot(const struct validation *v, enum fold_by by,
		    struct plot *to, struct problem *p)
{
	struct points o;
	int rc = points_open(&o, v) < 0 ? problem_no_memory(p) : 0;
	if (rc == 0) {
		struct figure g = scatter(v, RUN_E2EL, by, &o);
		g.title = "E2E latency, predicted over measured";
		rc = o.n ? plot_figure(to, &g, p)
			 : problem_set(p, EXIT_INPUT,
				       "--plot: no run has a measured and a "
				       "predicted E2E latency");
	}
	points_free(&o);
	return rc;
}
