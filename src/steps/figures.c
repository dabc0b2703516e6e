/* figures.c -- Sums up the errors of predicted times. */
#include "steps/figures.h"
#include <math.h>
#include <stdlib.h>
#include "math/statistics.h"

const char *const step_regime_name[N_REGIMES] = {"decode", "prefill", "chunk",
						 "mixed", "all"};
const char *const step_figure_name[N_STEP_FIGURES] = {
    "mean", "median", "p90",      "p95",  "p99",
    "max",  "bias",   "log_bias", "wape", "macro_mean"};

enum step_regime step_regime_of(const sc_step *step)
{
	if (!step->n_prefill)
		return REGIME_DECODE;
	if (step->n_decode)
		return REGIME_MIXED;
	for (uint32_t i = 0; i < step->n_prefill; i++)
		if (step->prefill_ctx[i])
			return REGIME_CHUNK;
	return REGIME_PREFILL;
}

/* Sums over the rows of a deployment. */
struct sums {
	size_t n;
	double error; /* of |error| */
};

/* The mean of the means of deployments; NaN: there are fewer than three. */
static double macro_mean(const struct sums *of, size_t n)
{
	size_t seen = 0;
	double sum = 0;
	for (size_t d = 0; d < n; d++) {
		seen += of[d].n > 0;
		sum += of[d].n ? of[d].error / (double)of[d].n : 0;
	}
	return seen >= 3 ? sum / (double)seen : (double)NAN;
}

/* e[f->n]: |error| of the rows, which is sorted. */
static void fill_quantiles(struct step_figures *f, double *e)
{
	stats_sort(e, f->n);
	f->of[FIGURE_MEDIAN] = stats_percentile(e, f->n, .5);
	f->of[FIGURE_P90] = stats_percentile(e, f->n, .9);
	f->of[FIGURE_P95] = stats_percentile(e, f->n, .95);
	f->of[FIGURE_P99] = stats_percentile(e, f->n, .99);
	f->of[FIGURE_MAX] = e[f->n - 1];
}

static void sum_up(struct step_figures *f, const struct step_set *set,
		   const double *measured, const double *predicted,
		   struct step_group g, double *e, struct sums *of)
{
	double mean = 0, bias = 0, logs = 0, off = 0, all = 0, most = -1;
	for (size_t i = 0; i < g.n; i++) {
		size_t row = g.row[i];
		double p = predicted[row], m = measured[row];
		if (isnan(p) || isnan(m))
			continue;
		double error = p / m - 1;
		e[f->n++] = fabs(error);
		of[set->row[row].deployment].n++;
		of[set->row[row].deployment].error += fabs(error);
		mean += fabs(error);
		bias += error;
		logs += log(p / m);
		off += fabs(p - m);
		all += m;
		if (fabs(error) > most) {
			most = fabs(error);
			f->worst = row;
		}
	}
	if (!f->n)
		return;
	double n = (double)f->n;
	f->of[FIGURE_MEAN] = mean / n;
	f->of[FIGURE_BIAS] = bias / n;
	f->of[FIGURE_LOG_BIAS] = exp(logs / n) - 1;
	f->of[FIGURE_WAPE] = off / all;
	f->of[FIGURE_MACRO_MEAN] = macro_mean(of, set->n_deployments);
	if (isnan(f->of[FIGURE_MACRO_MEAN]))
		f->of[FIGURE_MACRO_MEAN] = f->of[FIGURE_MEAN];
	fill_quantiles(f, e);
}

int step_figures(struct step_figures *f, const struct step_set *set,
		 const double *measured, const double *predicted,
		 struct step_group g)
{
	double *e = calloc(g.n + 1, sizeof *e);
	struct sums *of = calloc(set->n_deployments + 1, sizeof *of);
	*f = (struct step_figures){.worst = SIZE_MAX};
	for (int k = 0; k < N_STEP_FIGURES; k++)
		f->of[k] = (double)NAN;
	int rc = e && of ? 0 : -1;
	if (rc == 0)
		sum_up(f, set, measured, predicted, g, e, of);
	free(e);
	free(of);
	return rc;
}

static int has_all(const double *const *of, size_t n_of, size_t row)
{
	for (size_t k = 0; k < n_of; k++)
		if (isnan(of[k][row]))
			return 0;
	return 1;
}

size_t step_deployments_of(const struct step_set *set, struct step_group g,
			   const double *const *of, size_t n_of)
{
	size_t n = 0;
	for (size_t d = 0; d < set->n_deployments; d++)
		for (size_t i = 0; i < g.n; i++)
			if (set->row[g.row[i]].deployment == d &&
			    has_all(of, n_of, g.row[i])) {
				n++;
				break;
			}
	return n;
}
