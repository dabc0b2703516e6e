/* The winner of an arm, from full searches of three configurations. */
#include "recommend/judge.h"
#include <math.h>
#include <string.h>
#include "tap.h"

enum { N = 3 };
static struct recommend_request from;
static struct recommend_arm arm;
static struct recommend_found found[N];
static size_t shortlist[N] = {10, 11, 12}, best[1];
static int votes[1];
static double score[N];
static struct recommend r;

/* The race chose the first, and the second behind it. */
static void begin(const double rate[N], const uint32_t gpus[N])
{
	from = (struct recommend_request){.precision = 0.02};
	arm = (struct recommend_arm){.winner = 10, .runner_up = 11};
	for (int i = 0; i < N; i++)
		found[i] = (struct recommend_found){
		    .is_done = 1,
		    .survey = {.gpus = gpus[i], .usd_per_hour = 2.0 * gpus[i]},
		    .capacity = {.verdict = rate[i] > 0 ? CAPACITY_FOUND
							: CAPACITY_NONE,
				 .request_rate = rate[i],
				 .output_throughput = 100 * rate[i]},
		    .trusted.support = {.verdict = SUPPORT_MEASURED}};
	memset(best, 0, sizeof best);
	r = (struct recommend){.from = &from,
			       .sweep.arms.n = 1,
			       .objective = OBJECTIVE_RATE,
			       .arm = &arm,
			       .shortlist = shortlist,
			       .n_shortlist = N,
			       .found = found,
			       .best = best,
			       .votes = votes,
			       .score = score};
}

static void stays(void)
{
	begin((const double[]){9.8, 10, 8}, (const uint32_t[]){4, 4, 4});
	judge(&r);
	ok(best[0] == 0 && arm.winner == 10 && arm.runner_up == 11,
	   "of rows that are alike the earlier wins");
	ok(score[1] == 10 && votes[0] && recommend_score(&r, &found[2]) == 8,
	   "scores are rates, and a measured arm has a vote");
	found[0].trusted.support.verdict = SUPPORT_NOT_SCORED;
	r.is_closed = 1;
	judge(&r);
	ok(!votes[0] && fabs(score[0] - 980) < 1e-9,
	   "an arm that is not scored has none; tokens of a closed loop");
}

/* Of rows that are alike, and better by more than 3 %. */
static void preferred(void)
{
	begin((const double[]){9.8, 10, 9.9}, (const uint32_t[]){4, 4, 2});
	judge(&r);
	ok(best[0] == 2, "the cheaper of three that are alike");
	found[1].has_pessimistic = 1;
	found[1].pessimistic.request_rate = 3;
	judge(&r);
	ok(best[0] == 1, "one that serves at all if its arm errs");
	found[0].has_pessimistic = 1;
	found[0].pessimistic.request_rate = 5;
	judge(&r);
	ok(best[0] == 0, "and the one that then serves more");
	begin((const double[]){9, 10, 8}, (const uint32_t[]){4, 8, 4});
	judge(&r);
	ok(best[0] == 1 && arm.winner == 11,
	   "a search that finds more contradicts the race");
}

static void gives_way(void)
{
	begin((const double[]){9, 10, 12}, (const uint32_t[]){2, 4, 8});
	from.rate = 10;
	r.objective = OBJECTIVE_GPUS;
	ok(!recommend_serves(&r, &found[0]) && recommend_serves(&r, &found[1]),
	   "the race's winner does not serve the rate after all");
	judge(&r);
	ok(best[0] == 1 && arm.winner == 11,
	   "it gives way to the fewest GPUs that do");
	ok(arm.runner_up == 10, "and becomes the runner-up");
	begin((const double[]){9, 10, 12}, (const uint32_t[]){2, 4, 8});
	from.rate = 9.1;
	r.objective = OBJECTIVE_USD;
	judge(&r);
	ok(best[0] == 0 && score[0] == 0.25,
	   "within the precision it serves the rate, for 4 USD an hour");
}

static void energy(void)
{
	begin((const double[]){9, 10, 12}, (const uint32_t[]){2, 4, 8});
	from.rate = 9.5;
	r.objective = OBJECTIVE_ENERGY;
	found[0].joules_per_token = 0.1;
	found[1].joules_per_token = 0.5;
	found[2].joules_per_token = 0.4;
	judge(&r);
	ok(best[0] == 2 && score[0] == 0 && score[2] == 2.5,
	   "the least energy of those that serve the rate");
	found[2].joules_per_token = (double)NAN;
	judge(&r);
	ok(score[2] == 0, "one without a power has none");
}

static void none(void)
{
	begin((const double[]){0, 0, 0}, (const uint32_t[]){2, 4, 8});
	judge(&r);
	ok(best[0] == 0 && arm.winner == 10 && score[0] == 0,
	   "without one that serves the race's winner is named");
	begin((const double[]){0, 5, 6}, (const uint32_t[]){2, 4, 8});
	judge(&r);
	ok(best[0] == 2 && arm.winner == 12 && arm.runner_up == 11,
	   "one that meets no bound gives way to the best that does");
	begin((const double[]){0, 0, 0}, (const uint32_t[]){2, 4, 8});
	arm.winner = SIZE_MAX;
	judge(&r);
	ok(best[0] == SIZE_MAX, "a race without winner leaves none");
}

int main(void)
{
	stays();
	preferred();
	gives_way();
	energy();
	none();
	return done();
}
