/* Measured runs as sets. */
#include "arena/runs.h"
#include "measured_runs.h"

static struct arena_runs simulated;
static struct step_set set;
static struct score score;

/* A prompt takes one step, and each further token one. */
static const char rows[] =
    RUNS_HEAD "S-1,mine,mine,10,5,0.2,0.1,0.6,\n"
	      "S-2,mine,mine,10,3,0.1,,0.6,\n"
	      "S-3,mine,mine,10,3,0.1,0.1,0.6,SATURATED\n"
	      "S-4,mine,mine,20,3,0.1,0.1,,SET_ASIDE\n";

static void simulate(struct stored *stored)
{
	char config[400];
	snprintf(config, sizeof config, "%s",
		 scratch_file("arms.ini",
			      CONFIG_SETUP CONFIG_ARM("quick", "100")
				  CONFIG_ARM("slow", "250")
				      CONFIG_BAD_ARM("bad")));
	const struct runs_options o = {.config = config, .stored = stored};
	runs_free(&simulated);
	if (runs_simulate(&simulated, scratch_file("runs.csv", rows),
			  &run_aliases, &o, &why) < 0)
		bail_out(why.text);
}

static void judge(enum run_latency latency, const char *baseline)
{
	score_free(&score);
	step_set_free(&set);
	if (runs_score(&set, &score, &simulated, latency, baseline, (double)NAN,
		       &why) < 0)
		bail_out(why.text);
}

static void sets(void)
{
	judge(RUN_TTFT, "");
	ok(set.n == 2 && set.n_given == 4 && score.n == 3,
	   "rows with that latency, none that is saturated or set aside");
	is(set.row[1].given->name, "S-2", "named after the run");
	near(score.measured[0], 200, 1e-9, "measured, in us");
	near(score.arm[1].us[1], 250, 1e-6, "predicted, in us");
	near(score.arm[0].regime[REGIME_ALL].of[FIGURE_MEAN], .25, 1e-9,
	     "figures are those of steps");
	ok(score.n_pairs == 2 + 1 - 2 && score_pair(&score, 0, 1, REGIME_ALL),
	   "and so are pairs: %zu", score.n_pairs);
	ok(score.arm[2].priced == 0 && score.arm[2].why[0] &&
	       score.baseline == SIZE_MAX,
	   "an arm that fails has a reason");
	is(score.arm[0].plugin, "const_step", "with its plugin");
	judge(RUN_TPOT, "slow");
	ok(set.n == 1 && score.baseline == 1 && score.arm[1].is_baseline,
	   "an arm as the baseline");
	near(score.arm[0].skill, 1, 1e-9, "and a skill");
	judge(RUN_E2EL, "");
	ok(set.n == 2, "the third latency");
}

static void stored(void)
{
	struct stored s;
	const char *path = scratch_path("store.csv");
	ok(stored_open(&s, path, &why) == 0, "no file yet");
	simulate(&s);
	ok(simulated.n_known == 0 && s.n == 9, "all are new: %zu", s.n);
	stored_free(&s);
	ok(stored_open(&s, path, &why) == 0 && s.n == 9, "they are kept");
	simulate(&s);
	ok(simulated.n_known == simulated.v.row_replays.n * 3 && s.n == 9,
	   "and none is simulated again");
	sets();
	stored_free(&s);
}

int main(void)
{
	static const char flags[] = "[flags]\nleave_out = SET_ASIDE\n";
	char text[600];
	scratch_open();
	snprintf(text, sizeof text, "%s%s", single_protocol, flags);
	if (ini_read(&run_aliases, text, strlen(text), &why) < 0)
		bail_out(why.text);
	simulate(NULL);
	sets();
	stored();
	runs_free(&simulated);
	score_free(&score);
	step_set_free(&set);
	(void)runs_open;
	runs_close();
	return done();
}
