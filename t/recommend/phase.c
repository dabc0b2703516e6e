/* The phases of a recommendation, one after the other. */
#include "recommend/phase.h"
#include "recommended.h"

int main(void)
{
	scratch_open();
	ask_small();
	if (recommend_opened(RECOMMENDED) < 0)
		bail_out(why.text);
	struct recommend_arm *a = &recommended.arm[0];
	size_t n = recommended.sweep.plan.n_points;
	for (size_t i = 0; i < 2; i++) {
		recommended.arm[i].survey = calloc(n, sizeof *a->survey);
		recommended.arm[i].served = calloc(n, sizeof *a->served);
		recommended.arm[i].winner = SIZE_MAX;
		recommended.arm[i].nearest = SIZE_MAX;
	}
	ok(phase_run(&recommended, PHASE_SURVEY, &why) == 0, "the survey");
	int known = 0;
	for (size_t i = 0; i < n; i++)
		known += a->survey[i].gpus > 0 && a->survey[i].kv_tokens > 0;
	ok(known == (int)n, "says what each takes: %d of %zu", known, n);
	ok(a->survey[0].usd_per_hour == 2.0 * a->survey[0].gpus,
	   "and what its GPUs cost");
	ok(phase_run(&recommended, PHASE_RACE, &why) == 0 &&
	       a->race.simulations == 0,
	   "a race without entries is over");
	ok(phase_run(&recommended, PHASE_SEARCH, &why) == 0 &&
	       recommended.found == NULL,
	   "an empty shortlist takes no search");
	ok(phase_run(&recommended, PHASE_MISS, &why) == 0 &&
	       a->nearest == SIZE_MAX,
	   "without entries none is near");
	recommend_free(&recommended);
	return done();
}
