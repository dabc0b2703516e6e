/* The best of a few configurations of known capacity: steps of
 * 1 ms or 0.5 ms, whatever they compute, so more replicas and more sequences
 * are better, and GPUs that share a matrix are lost. */
#include "jobs/watch.h"
#include "recommend/work.h"
#include "recommended.h"
#include "sweep/prepared_arm.h"

static void most(void)
{
	ask_small();
	recommend_good(RECOMMENDED);
	is(won(0, "engine.replicas"), "2", "two replicas");
	is(won(0, "engine.tensor_parallel_size"), "1", "of one GPU each");
	is(won(0, "engine.max_num_seqs"), "8", "with eight sequences at once");
	is(won(1, "engine.max_num_seqs"), "8", "under the fast arm, too");
	ok(recommended.n_shortlist == 2, "winner and runner-up: %zu",
	   recommended.n_shortlist);
	ok(recommended.arm[0].runner_up != SIZE_MAX, "which has another shape");
	ok(recommend_found(&recommended, 1, 0)->capacity.request_rate >
	       1.5 * recommend_found(&recommended, 0, 0)->capacity.request_rate,
	   "each was searched under both arms");
	ok(regret_of(&recommended.regret, 0, 1) == 0 &&
	       regret_agreement(&recommended.regret, 0.05, 0) == AGREE_ROBUST,
	   "they choose alike");
	ok(recommend_code(&recommended) == EXIT_DONE, "exit code 0");
}

static void fewest(void)
{
	ask_small();
	asked.rate = 20;
	recommend_good(RECOMMENDED);
	is(won(0, "engine.replicas"), "1", "one replica is enough for 20/s");
	ok(recommend_serves(&recommended,
			    recommend_found(&recommended, 0, 0)) &&
	       recommend_score(&recommended,
			       recommend_found(&recommended, 0, 0)) == 1,
	   "which is served");
	ok(recommended.objective == OBJECTIVE_GPUS &&
	       recommended.arm[0].survey[recommended.arm[0].winner].gpus == 1,
	   "the fewest GPUs");
}

static void none(void)
{
	ask_small();
	asked.slo = "e2el_mean_ms=1";
	recommend_good(RECOMMENDED);
	ok(recommended.arm[0].winner == SIZE_MAX &&
	       recommend_code(&recommended) == EXIT_SAYS_NO,
	   "bounds that no configuration meets: exit code 1");
	near(recommended.arm[0].miss, 5, 0.05, "missed by a factor of five");
	ok(recommended.arm[0].nearest_run.limited_by == 0, "of that bound");
}

static void closed(void)
{
	ask_small();
	recommend_good(CONFIG_SETUP CONFIG_ARM("slow", "1000") CONFIG_ONE_BY_ONE
		       "");
	ok(recommended.is_closed && recommended.arm[0].race.requests == 16,
	   "8 requests of one client are too few to tell, 16 are enough");
	recommend_good(CONFIG_SETUP CONFIG_ARM(
	    "slow",
	    "1000") "[workload]\nnum_requests=400\nconcurrency=4\n"
		    "input_tokens=constant:10\noutput_tokens=constant:5\n");
	is(won(0, "engine.max_num_seqs"), "8",
	   "a closed loop: the most tokens");
}

static void faulty(void)
{
	ask_small();
	recommend_good(CONFIG_SETUP CONFIG_ARM("slow", "1000")
			   CONFIG_BAD_ARM("bad") RECOMMENDED_WORKLOAD);
	ok(recommended.arm[0].winner != SIZE_MAX &&
	       recommended.arm[1].winner == SIZE_MAX,
	   "an arm that fails does not end the others");
	ok(recommend_code(&recommended) == EXIT_PLUGIN, "exit code 4");
}

/* The rate that a search of one configuration finds, in requests/s; 0: none. */
static double searched(struct pool_worker *w, const struct work_task *task,
		       const struct recommend_arm *a, size_t entry)
{
	const struct work_question q = {.ask = WORK_RACE,
					.point = a->entry[entry].point,
					.race = {.ask = RACE_MEASURE,
						 .entry = (uint32_t)entry,
						 .scale = 1,
						 .requests = a->race.requests}};
	struct work_answer got;
	struct work_task of = *task;
	if (work_do(w, &of, &q, &got, &why) < 0)
		bail_out(why.text);
	return got.race.met ? got.served.request_rate : 0;
}

/* The reference of the race: every configuration, searched by itself. */
static void exhaustive(void)
{
	struct job_status status;
	struct watch watch;
	ask_small();
	recommend_good(RECOMMENDED);
	const struct recommend_arm *a = &recommended.arm[0];
	const struct work_task task = {.plan = &recommended.sweep.plan,
				       .config = &recommended.sweep.config,
				       .traces = &recommended.traces,
				       .bounds = &recommended.sweep.bounds,
				       .precision = asked.precision,
				       .gpus = 2,
				       .one_draw = 1};
	status_begin(&status);
	watch_open(&watch, &status, 0, NULL, 0, &why);
	struct pool_worker w = {.status = &status, .watch = &watch};
	double most = 0, winner = 0;
	for (size_t i = 0; i < a->n; i++) {
		double rate = searched(&w, &task, a, i);
		most = rate > most ? rate : most;
		if (a->entry[i].point == a->winner)
			winner = rate;
	}
	prepared_arm_leave(&w, NULL);
	watch_close(&watch);
	ok(a->n == 4 && winner > 0 &&
	       winner * (1 + 2 * asked.precision) >= most,
	   "no configuration serves 4 %% more than the winner: %g, %g", winner,
	   most);
}

int main(void)
{
	scratch_open();
	most();
	fewest();
	none();
	closed();
	faulty();
	exhaustive();
	recommend_free(&recommended);
	return done();
}
