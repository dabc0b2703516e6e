/* own_run.c -- Writes the validation of one measured run. */
#include "report/validation/own_run.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "report/results/outside.h"
#include "report/validation/compared_page.h"
#include "report/validation/validation_parts.h"
#include "trust/trusted.h"

int own_run_is_alone(const struct validation *v)
{
	return v->file->n == 1 && v->trial_of[0] != SIZE_MAX;
}

/* The interval of the figure from the errors of scored runs. */
static void add_interval(struct compared_figure *x, const struct trusted *t)
{
	x->interval_low = x->interval_high = NAN;
	for (int k = 0; k < N_TRUSTED; k++)
		if (!strcmp(trusted_metric[k], x->name) && t->interval[k].n) {
			x->interval_low = x->predicted * t->interval[k].low;
			x->interval_high = x->predicted * t->interval[k].high;
		}
}

static void measured_one(struct compared_figure *x, double measured,
			 double predicted)
{
	x->low = x->high = measured;
	x->predicted = predicted;
	x->error = measured > 0 ? predicted / measured - 1 : (double)NAN;
	x->interval_low = x->interval_high = NAN;
}

enum { MOST_FIGURES = N_RUN_LATENCIES * N_STATISTICS + 1 };

/* Fills in x[] with the figures that were measured and predicted.  Returns how
 * many. */
static size_t figures(const struct validation *v, size_t arm,
		      const struct trusted *t, struct compared_figure *x)
{
	const struct measured_row *m = &v->file->row[0];
	const struct prediction *is = validation_of(v, arm, 0);
	size_t n = 0;
	for (int k = 0; k < N_RUN_LATENCIES; k++)
		for (int s = 0; s < N_STATISTICS; s++) {
			enum run_latency of = validation_shown[k];
			double measured = m->time[of].of[s];
			if (isnan(measured) || isnan(is->time[of].of[s]))
				continue;
			snprintf(x[n].name, sizeof x[n].name, "%s_%s_ms",
				 s == STATISTIC_P50 ? "median"
						    : statistic_name[s],
				 latency_name[of]);
			measured_one(&x[n], measured, is->time[of].of[s]);
			add_interval(&x[n++], t);
		}
	if (m->output_throughput > 0 && is->output_throughput > 0) {
		snprintf(x[n].name, sizeof x[n].name, "output_throughput");
		measured_one(&x[n++], m->output_throughput,
			     is->output_throughput);
	}
	return n;
}

static struct trusted trust_of(const struct validation *v, size_t arm)
{
	const struct prediction *is = validation_of(v, arm, 0);
	const struct config *c = validation_config(v, 0);
	const struct trusted_load load = {.computed_share = is->computed_share,
					  .input_tokens = is->input_tokens,
					  .output_tokens = is->output_tokens,
					  .running = is->running,
					  .most = is->most,
					  .clients = is->clients,
					  .is_stable = is->saturation ==
						       SATURATION_STABLE};
	return trusted_of(c, arm, is->version, &load);
}

static void say_run(const struct validation *v, struct document *d)
{
	const struct measured_row *m = &v->file->row[0];
	document_say(
	    d, "One run of %s%s; ms, tokens/s%s.",
	    m->model ? m->model : validation_config(v, 0)->model.view.name,
	    m->model ? "" : ", the model of CONFIG: the file names none",
	    validation_saturated(m)
		? "; saturated: requests piled up while it was measured, so "
		  "that its latencies depend on its length"
		: "");
}

static void say_outside(const struct validation *v, struct document *d)
{
	char *text = outside_text(validation_config(v, 0), v->n_arms, 0);
	document_say(d, "Outside of steps: %s.", text ? text : "");
	free(text);
}

void own_run_document(const struct validation *v, const size_t *order,
		      struct document *d)
{
	struct compared_figure *x =
	    calloc(v->n_arms * MOST_FIGURES + 1, sizeof *x);
	struct compared *c = calloc(v->n_arms + 1, sizeof *c);
	size_t n = 0;
	for (size_t i = 0; x && c && i < v->n_arms; i++) {
		size_t arm = order[i];
		if (!validation_of(v, arm, 0)->priced)
			continue;
		struct compared_figure *to = x + n * MOST_FIGURES;
		struct trusted t = trust_of(v, arm);
		c[n++] =
		    (struct compared){v->arm[arm], to, figures(v, arm, &t, to)};
	}
	d->failed |= !x || !c;
	compared_answer(c, c ? n : 0, d);
	d->in = IN_PAGE;
	compared_dots(c, c ? n : 0, "mean", d);
	d->in = IN_ALL;
	say_run(v, d);
	compared_table(c, c ? n : 0, d);
	say_outside(v, d);
	free(x);
	free(c);
}
