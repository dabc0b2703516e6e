/* regret.c -- Compares the choices of arms. */
#include "decide/regret.h"
#include <math.h>
#include <stdint.h>

const char *const agreement_name[] = {"robust", "depends", "one arm", "none"};

static double score(const struct regret *r, size_t arm, size_t config)
{
	return r->score[arm * r->n_configs + config];
}

double regret_of(const struct regret *r, size_t chooser, size_t right)
{
	double best = 0;
	if (r->winner[chooser] == SIZE_MAX)
		return NAN;
	for (size_t i = 0; i < r->n_configs; i++)
		best = fmax(best, score(r, right, i));
	return best > 0 ? 1 - score(r, right, r->winner[chooser]) / best : NAN;
}

int regret_any_votes(const struct regret *r)
{
	for (size_t i = 0; i < r->n; i++)
		if (r->votes[i])
			return 1;
	return 0;
}

enum agreement regret_agreement(const struct regret *r, double tolerance,
				int voters_only)
{
	int any = regret_any_votes(r);
	size_t choosers = 0;
	enum agreement says = AGREE_ROBUST;
	for (size_t i = 0; i < r->n; i++) {
		if (r->winner[i] == SIZE_MAX ||
		    (voters_only && any && !r->votes[i]))
			continue;
		choosers++;
		for (size_t k = 0; k < r->n; k++)
			if ((!any || r->votes[k]) &&
			    regret_of(r, i, k) > tolerance)
				says = AGREE_DEPENDS;
	}
	return choosers == 0   ? AGREE_NONE
	       : choosers == 1 ? AGREE_ONE_ARM
			       : says;
}
