/* baseline.c -- Predicts measured steps out of fold by five fitted numbers. */
#include "steps/baseline.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/hash.h"
#include "math/nnls.h"
#include "stepcost/kernel/floor.h"
#include "stepcost/sum.h"

void baseline_features(const sc_step *step, double f[N_FEATURES])
{
	f[0] = 1;
	f[1] = (double)sc_sum(step->prefill_new, step->n_prefill);
	f[2] = step->n_decode;
	f[3] = (double)sc_decode_ctx_sum(step);
	f[4] = 0;
	for (uint32_t i = 0; i < step->n_prefill; i++)
		f[4] += sc_pairs(step->prefill_new[i], step->prefill_ctx[i], 0);
}

uint32_t baseline_fold(const struct step_row *r)
{
	const struct steps *s = &r->file->steps;
	const char *decode = steps_cell(s, r->given, STEP_DECODE);
	const char *prefill = steps_cell(s, r->given, STEP_PREFILL);
	uint64_t hash = hash_on(HASH_BEGIN, decode, strlen(decode));
	hash = hash_on(hash, "|", 1);
	hash = hash_on(hash, prefill, strlen(prefill));
	return (uint32_t)(hash % BASELINE_FOLDS);
}

struct work {
	const struct step_set *set;
	const double *measured;
	double *a, *b; /* [N_FEATURES][rows]; [rows] */
};

/* Fits to the rows of a deployment that are in another fold.  Returns 1, or 0
 * without data, -1 if memory is out. */
static int fit(const struct work *w, const struct step_deployment *d,
	       uint32_t fold, double x[N_FEATURES])
{
	size_t m = 0, n = 0;
	for (size_t i = 0; i < d->n; i++)
		m += baseline_fold(&w->set->row[d->row[i]]) != fold &&
		     !isnan(w->measured[d->row[i]]);
	for (size_t i = 0; i < d->n; i++) {
		const struct step_row *r = &w->set->row[d->row[i]];
		double f[N_FEATURES], us = w->measured[d->row[i]];
		if (baseline_fold(r) == fold || isnan(us))
			continue;
		baseline_features(&r->given->step, f);
		for (size_t k = 0; k < N_FEATURES; k++)
			w->a[k * m + n] = f[k] / us;
		w->b[n++] = 1;
	}
	if (!m)
		return 0;
	return nnls(w->a, w->b, N_FEATURES, m, x) < 0 ? -1 : 1;
}

/* Predicts each row by a fit to the other folds. */
static int predict(const struct work *w, const struct step_deployment *d,
		   double *us)
{
	for (uint32_t fold = 0; fold < BASELINE_FOLDS; fold++) {
		double x[N_FEATURES], f[N_FEATURES];
		int fitted = fit(w, d, fold, x);
		if (fitted < 0)
			return -1;
		for (size_t i = 0; fitted && i < d->n; i++) {
			const struct step_row *r = &w->set->row[d->row[i]];
			if (baseline_fold(r) != fold)
				continue;
			baseline_features(&r->given->step, f);
			double sum = 0;
			for (size_t k = 0; k < N_FEATURES; k++)
				sum += x[k] * f[k];
			us[d->row[i]] = sum > 0 ? sum : (double)NAN;
		}
	}
	return 0;
}

int baseline_predict(const struct step_set *set, const double *measured,
		     double *us)
{
	size_t most = step_set_most(set);
	struct work w = {set, measured, calloc(N_FEATURES * most + 1, 8),
			 calloc(most + 1, 8)};
	int rc = w.a && w.b ? 0 : -1;
	for (size_t i = 0; i < set->n; i++)
		us[i] = (double)NAN;
	for (size_t d = 0; rc == 0 && d < set->n_deployments; d++)
		if (set->deployment[d].n >= BASELINE_ROWS)
			rc = predict(&w, &set->deployment[d], us);
	free(w.a);
	free(w.b);
	return rc;
}
