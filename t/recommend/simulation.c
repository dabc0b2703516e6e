/* Simulations of one configuration: steps of 1 ms, requests of 5 tokens. */
#include "recommend/simulation.h"
#include "jobs/watch.h"
#include "recommended.h"

static struct work_task task;
static struct job_status status;
static struct watch watch;
static struct pool_worker worker;
static struct prepared_arm prepared_arm;
static struct candidate_run trial;
static struct work_answer got;

static void begin(uint64_t requests)
{
	got = (struct work_answer){.race = {.simulations = 0}};
	if (recommend_simulation_begin(&trial, &task, &prepared_arm, requests,
				       &why) < 0)
		bail_out(why.text);
}

static int race(enum race_ask ask, double scale)
{
	const struct race_question q = {.ask = ask, .scale = scale};
	begin(0);
	return recommend_simulation_race(&trial, &q, &got, &why);
}

static void races(void)
{
	ok(race(RACE_AT, 1) == 0 && got.race.met && got.race.scale == 1,
	   "5 requests/s are met");
	ok(race(RACE_AT, 1000) == 0 && !got.race.met, "5,000 are not");
	ok(race(RACE_CLIMB, 1) == 0 && got.race.met && got.race.scale > 2 &&
	       got.race.simulations > 5,
	   "upward from there: %g", got.race.scale);
	double climbed = got.race.scale;
	ok(race(RACE_FIRST, 0) == 0 && got.race.met,
	   "unloaded, and then a search");
	near(got.race.scale, climbed, 0.04, "which finds the same");
	ok(race(RACE_MEASURE, 0) == 0 && got.race.scale > 2,
	   "measured by its rate");
}

static void lengths(void)
{
	begin(800);
	ok(trial.keys.num_requests == 800, "runs as long as the race's");
	task.runs_are_fixed = 1;
	begin(0);
	ok(trial.rules.most_requests == 0 && trial.rules.must_be_long,
	   "runs whose number of requests stands");
	task.runs_are_fixed = 0;
}

static void searches(void)
{
	begin(0);
	ok(recommend_simulation_search(&trial, &got, &why) == 0 &&
	       got.found.verdict == CAPACITY_FOUND &&
	       got.found.basis == BASIS_ONE_DRAW,
	   "of one draw");
	ok(got.trusted.support.verdict == SUPPORT_NOT_SCORED,
	   "with its support");
	task.one_draw = 0;
	begin(0);
	ok(recommend_simulation_search(&trial, &got, &why) == 0 &&
	       got.found.basis == BASIS_REPLICATIONS,
	   "or of a workload without end");
	begin(0);
	ok(recommend_simulation_miss(&trial, 0, &got, &why) == 0 &&
	       !(got.miss > 1),
	   "bounds that are met are not missed: %g", got.miss);
}

/* Requests of one token have no TPOT: another bound is told. */
static void misses(void)
{
	struct bounds bounds = {0};
	if (bounds_parse(&bounds, "--slo", "tpot_mean_ms=1,ttft_mean_ms=0.5",
			 &why) < 0)
		bail_out(why.text);
	task.bounds = &bounds;
	begin(0);
	trial.keys.output_tokens = "1";
	if (recommend_simulation_miss(&trial, 0, &got, &why) < 0)
		bail_out(why.text);
	ok(isnan(got.found.seen.value[0]) && got.found.limited_by == 1,
	   "a bound without samples is not the one that is missed: %d",
	   got.found.limited_by);
	near(got.miss, 2, 0.01, "the other is missed twofold");
	task.bounds = &recommended.sweep.bounds;
}

int main(void)
{
	scratch_open();
	ask_small();
	if (recommend_opened(RECOMMENDED) < 0)
		bail_out(why.text);
	task = (struct work_task){.config = &recommended.sweep.config,
				  .bounds = &recommended.sweep.bounds,
				  .precision = 0.02,
				  .gpus = 2,
				  .one_draw = 1};
	status_begin(&status);
	watch_open(&watch, &status, 0, NULL, 0, &why);
	worker = (struct pool_worker){.status = &status, .watch = &watch};
	char warning[STORE_WARNING] = "";
	if (prepared_arm_open(&prepared_arm, &worker, &recommended.sweep.plan,
			      &recommended.sweep.config, 0, &why) < 0 ||
	    prepared_arm_prepare(&prepared_arm, 0, &why) < 0 ||
	    prepared_arm_create(&prepared_arm, warning, &why) < 0)
		bail_out(why.text);
	races();
	lengths();
	searches();
	misses();
	ok(prepared_arm_destroy(&prepared_arm, 1, 0, &why) == 0,
	   "the plugin did no harm");
	prepared_arm_close(&prepared_arm);
	watch_close(&watch);
	recommend_free(&recommended);
	return done();
}
