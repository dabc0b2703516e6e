/* effects.c -- Computes the effects of switches from a study and its seeds. */
#include "study/effects.h"
#include <math.h>
#include <stdlib.h>

const char *const effect_metric[N_EFFECT_METRICS] = {
    "mean_ttft_ms", "mean_tpot_ms", "mean_e2el_ms", "mean_step_us"};

/* Fills in y[repeats][arms].  Returns 0, or -1 if an arm has no figure. */
static int collect(double *y, const struct study *study,
		   const struct seeds *seeds, const struct metric *m,
		   double *value)
{
	size_t n = study->n;
	for (size_t i = 0; i < n; i++) {
		if (study->arm[i].error)
			return -1;
		if (!seeds->n_seeds) {
			y[i] = metric_value(m, &study->arm[i].record->outcome);
			if (isnan(y[i]))
				return -1;
			continue;
		}
		if (seeds_values(seeds, m, i, value) < 0)
			return -1;
		for (size_t r = 0; r < seeds->n_seeds; r++)
			y[r * n + i] = value[r];
	}
	return 0;
}

int effects_compute(struct effects *e, const struct study *study,
		    const struct seeds *seeds, unsigned k, unsigned order)
{
	size_t repeats = seeds->n_seeds ? seeds->n_seeds : 1;
	double *y = calloc((study->n + 1) * repeats, sizeof *y);
	int rc = y ? 0 : -1;
	*e = (struct effects){.n = factorial_count(k, order)};
	for (int i = 0; rc == 0 && i < N_EFFECT_METRICS; i++) {
		const struct metric *m = metric_find(effect_metric[i]);
		if (collect(y, study, seeds, m, y + study->n * repeats) < 0)
			continue;
		e->of[i] = calloc(e->n + 1, sizeof *e->of[i]);
		rc = e->of[i]
			 ? factorial_effects(e->of[i], y, repeats, k, order)
			 : -1;
	}
	free(y);
	return rc;
}

void effects_free(struct effects *e)
{
	for (int i = 0; i < N_EFFECT_METRICS; i++)
		free(e->of[i]);
	*e = (struct effects){0};
}
