/* scatter.c -- Draws predicted over measured times of many runs. */
#include "report/validation/scatter.h"
#include <math.h>
#include "draw/scatter.h"
#include "draw/svg.h"
#include "report/validation/validation.h"
#include "report/validation/validation_parts.h"

/* Adds a run, with the 90 % interval of its prediction. */
static void add_point(struct scatter *o, const struct validation *v, size_t arm,
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
	scatter_add(o, x, y);
	scatter_whisker(o, is.n ? y * is.low : (double)NAN,
			is.n ? y * is.high : (double)NAN);
}

static void add_arm(struct scatter *o, const struct validation *v, size_t arm,
		    enum run_latency metric, enum fold_by by)
{
	struct scored scored;
	struct problem p;
	scatter_begin(o, v->arm[arm], (unsigned)arm);
	validation_scores(v, arm, by, &scored, &p);
	for (size_t i = 0; i < v->file->n; i++)
		add_point(o, v, arm, i, metric, &scored);
	scored_free(&scored);
}

/* Collects the points of a metric.  Returns 0, or -1 if memory is out. */
static int collect(struct scatter *o, const struct validation *v,
		   enum run_latency metric, enum fold_by by)
{
	int rc = scatter_open(o, v->n_arms * v->file->n, v->n_arms);
	for (size_t k = 0; rc == 0 && k < v->n_arms; k++)
		add_arm(o, v, k, metric, by);
	return rc;
}

static const char x_label[] = "measured mean, ms",
		  y_label[] = "predicted mean, ms";

void scatter_all(const struct validation *v, enum fold_by by, FILE *f)
{
	for (int k = 0; k < N_RUN_LATENCIES; k++) {
		enum run_latency metric = validation_shown[k];
		struct scatter o;
		if (collect(&o, v, metric, by) == 0 && o.n) {
			struct figure g = scatter_predicted(
			    &o, validation_title[metric], x_label, y_label);
			svg_panels(f, &g);
		}
		scatter_free(&o);
	}
}

int validation_plot(const struct validation *v, enum fold_by by,
		    struct plot *to, struct problem *p)
{
	struct scatter o;
	int rc = collect(&o, v, RUN_E2EL, by);
	if (rc < 0) {
		problem_no_memory(p);
	} else if (o.n) {
		struct figure g = scatter_predicted(
		    &o, "E2E latency, predicted over measured", x_label,
		    y_label);
		rc = plot_figure(to, &g, p);
	} else {
		rc = problem_set(p, EXIT_INPUT,
				 "--plot: no run has a measured and a "
				 "predicted E2E latency");
	}
	scatter_free(&o);
	return rc;
}
