/* What a worker says of a configuration. */
#include "recommend/work.h"
#include <string.h>
#include "jobs/watch.h"
#include "recommended.h"
#include "sweep/prepared_arm.h"

static struct work_task task;
static struct job_status status;
static struct watch watch;
static struct pool_worker worker;
static struct work_answer got;

static int ask(enum work_ask which, size_t point, struct race_question race)
{
	const struct work_question q = {
	    .ask = which, .point = point, .race = race};
	why = (struct problem){0};
	return work_do(&worker, &task, &q, &got, &why);
}

int main(void)
{
	scratch_open();
	ask_small();
	if (recommend_opened(RECOMMENDED) < 0)
		bail_out(why.text);
	task = (struct work_task){.plan = &recommended.sweep.plan,
				  .config = &recommended.sweep.config,
				  .traces = &recommended.traces,
				  .bounds = &recommended.sweep.bounds,
				  .precision = 0.02,
				  .gpus = 1,
				  .one_draw = 1};
	status_begin(&status);
	watch_open(&watch, &status, 0, NULL, 0, &why);
	worker = (struct pool_worker){.status = &status, .watch = &watch};
	ok(ask(WORK_SURVEY, 0, (struct race_question){0}) < 0 &&
	       why.code == EXIT_USAGE && strstr(why.text, "needs 2 GPUs"),
	   "more GPUs than there are: %s", why.text);
	task.gpus = 2;
	ok(ask(WORK_SURVEY, 0, (struct race_question){0}) == 0 &&
	       got.survey.gpus == 2,
	   "as many as there are");
	ok(ask(WORK_RACE, 0,
	       (struct race_question){.ask = RACE_AT, .scale = 1}) == 0 &&
	       got.race.met && got.race.simulations == 1,
	   "one run that meets the bounds");
	near(got.served.mean_tpot_ms, 1, 1e-6, "and how fast it is");
	ok(ask(WORK_RACE, 0,
	       (struct race_question){.ask = RACE_AT, .scale = 1e4}) == 0 &&
	       !got.race.met && got.race.limited_by == 0,
	   "and one that does not");
	ok(ask(WORK_SEARCH, 0, (struct race_question){0}) == 0 &&
	       got.found.verdict == CAPACITY_FOUND &&
	       got.found.request_rate > 5,
	   "a full search: %g", got.found.request_rate);
	ok(got.trusted.support.verdict == SUPPORT_NOT_SCORED,
	   "with its support");
	prepared_arm_leave(&worker, &task);
	ok(worker.own == NULL, "it leaves nothing");
	watch_close(&watch);
	recommend_free(&recommended);
	return done();
}
