/* pessimistic_ends.c -- Writes whether winners still win at the worse end of
 * intervals. */
#include "recommend/pessimistic.h"
#include "report/recommend/parts.h"

static const char *unit(const struct recommend *r)
{
	return r->is_closed ? "output tokens/s" : "requests/s";
}

static double now(const struct recommend *r, size_t arm)
{
	const struct capacity *c =
	    &recommend_found(r, arm, r->best[arm])->capacity;
	return r->is_closed ? c->output_throughput : c->request_rate;
}

static void one_arm(const struct recommend *r, size_t arm, FILE *f)
{
	const struct recommend_arm *a = &r->arm[arm];
	size_t rival = pessimistic_rival(r, arm);
	fprintf(f, "%s, at the worse end of its %g %% intervals: ",
		recommend_arm_name(r, arm), 100 * INTERVAL_COVERAGE);
	if (pessimistic_rate(r, arm, 0) > 0)
		fprintf(f, "the winner serves %.3g %s instead of %.4g",
			pessimistic_rate(r, arm, 0), unit(r), now(r, arm));
	else
		fputs("the winner meets the bounds at no rate", f);
	if (rival) {
		fprintf(f, ", and ");
		recommend_point(r, a->entry[a->pessimistic[rival].entry].point,
				f);
		fprintf(f,
			" serves %.3g: within its error %s cannot rank the "
			"first two.\n",
			pessimistic_rate(r, arm, rival),
			recommend_arm_name(r, arm));
	} else if (a->n_pessimistic > 1 && pessimistic_rate(r, arm, 0) > 0) {
		fprintf(f, ", and no other of the first %zu shapes more.\n",
			a->n_pessimistic);
	} else {
		fputs(".\n", f);
	}
}

void recommend_pessimistic_ends(const struct recommend *r, FILE *f)
{
	for (size_t i = 0; i < r->sweep.arms.n; i++)
		if (pessimistic_is_known(&r->arm[i]))
			one_arm(r, i, f);
}
