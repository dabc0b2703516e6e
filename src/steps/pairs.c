/* pairs.c -- Compares two arms on the rows that both price. */
#include "steps/pairs.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "math/holm.h"
#include "math/student.h"

const char *const pair_verdict_name[N_PAIR_VERDICTS] = {
    "equal", "first nearer", "second nearer", "not told apart"};

/* ---- the difference ---- */

struct unit {
	double sum;
	size_t n;
};

/* The mean of |error of a| - |error of b| in each unit.  Returns how many units
 * there are; they come first in unit[]. */
static size_t collect(struct unit *unit, const struct step_pair *x,
		      const struct step_set *set, const double *measured,
		      const struct step_times *a, const struct step_times *b,
		      struct step_group g)
{
	size_t n = 0, at = 0;
	for (size_t i = 0; i < g.n; i++) {
		size_t row = g.row[i];
		double m = measured[row];
		double d = fabs(a->us[row] / m - 1) - fabs(b->us[row] / m - 1);
		if (isnan(d))
			continue;
		size_t k = x->by_deployment ? set->row[row].deployment : at++;
		unit[k].sum += d;
		unit[k].n++;
	}
	size_t all = x->by_deployment ? set->n_deployments : at;
	for (size_t k = 0; k < all; k++)
		if (unit[k].n)
			unit[n++] =
			    (struct unit){unit[k].sum / (double)unit[k].n, 1};
	return n;
}

/* Computes the mean difference, its intervals and p (a t test over the units).
 */
static void judge(struct step_pair *x, const struct unit *unit)
{
	double n = (double)x->units, mean = 0, squares = 0;
	for (size_t k = 0; k < x->units; k++)
		mean += unit[k].sum / n;
	x->difference = mean;
	if (x->units < 2)
		return;
	for (size_t k = 0; k < x->units; k++)
		squares += (unit[k].sum - mean) * (unit[k].sum - mean);
	double error = sqrt(squares / (n - 1) / n);
	double t95 = student_two_sided(.95, n - 1) * error;
	double t90 = student_two_sided(.90, n - 1) * error;
	x->low = mean - t95;
	x->high = mean + t95;
	x->low_90 = mean - t90;
	x->high_90 = mean + t90;
	x->p = error > 0   ? student_outside(fabs(mean) / error, n - 1)
	       : mean != 0 ? 0
			   : 1;
}

static void find_equality(struct step_pair *x, const struct step_times *a,
			  const struct step_times *b, struct step_group g)
{
	for (size_t i = 0; i < g.n; i++) {
		size_t row = g.row[i];
		if (!isnan(a->exact[row]) && !isnan(b->exact[row]))
			equal_steps_add(&x->equal, a->exact[row], b->exact[row],
					a->total[row], b->total[row]);
	}
}

static size_t count_rows(const struct step_times *a, const struct step_times *b,
			 const double *measured, struct step_group g)
{
	size_t n = 0;
	for (size_t i = 0; i < g.n; i++)
		n += !isnan(a->us[g.row[i]]) && !isnan(b->us[g.row[i]]) &&
		     !isnan(measured[g.row[i]]);
	return n;
}

int step_pair_compare(struct step_pair *x, const struct step_set *set,
		      const double *measured, const struct step_times *a,
		      const struct step_times *b, struct step_group g)
{
	const double *both[] = {a->us, b->us, measured};
	struct unit *unit = calloc(g.n + set->n_deployments + 1, sizeof *unit);
	if (!unit)
		return -1;
	x->difference = x->low = x->high = x->p = (double)NAN;
	x->low_90 = x->high_90 = (double)NAN;
	x->by_deployment = step_deployments_of(set, g, both, 3) >= 3;
	x->rows = count_rows(a, b, measured, g);
	x->units = collect(unit, x, set, measured, a, b, g);
	if (x->units)
		judge(x, unit);
	find_equality(x, a, b, g);
	if (x->rows && equal_steps_are_one(&x->equal)) {
		x->difference = x->low = x->high = 0;
		x->low_90 = x->high_90 = 0;
		x->p = 1;
	}
	free(unit);
	return 0;
}

static enum pair_verdict verdict_of(const struct step_pair *x)
{
	if (equal_steps_are_one(&x->equal))
		return PAIR_EQUAL;
	if (isnan(x->p) || !(x->p_adjusted < 0.05))
		return PAIR_UNDECIDED;
	return x->difference < 0 ? PAIR_FIRST : PAIR_SECOND;
}

int step_pair_is_within(const struct step_pair *x, double margin)
{
	return x && x->low_90 >= -margin && x->high_90 <= margin;
}

int step_pairs_judge(struct step_pair *pair, size_t n)
{
	double *p = calloc(2 * n + 1, sizeof *p);
	int rc = p ? 0 : -1;
	for (size_t i = 0; rc == 0 && i < n; i++)
		p[i] = pair[i].p;
	if (rc == 0)
		rc = holm_adjust(p, n, p + n);
	for (size_t i = 0; rc == 0 && i < n; i++) {
		pair[i].p_adjusted = isnan(pair[i].p) ? (double)NAN : p[n + i];
		pair[i].verdict = verdict_of(&pair[i]);
	}
	free(p);
	return rc;
}
