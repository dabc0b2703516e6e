/* Measured runs under every arm: predictions, errors, and arms that fail. */
#include "validate/validation.h"
#include "measured_runs.h"

static struct validate_options options;

#define TWO_ARMS CONFIG_ARM("quick", "100") CONFIG_ARM("slow", "250")

static double mean_ms(size_t arm, size_t row, enum run_latency k)
{
	return validation_of(&v, arm, row)->time[k].of[STATISTIC_MEAN];
}

static double error(size_t arm, size_t row, enum run_latency k)
{
	return validation_error(&v, arm, row, k, STATISTIC_MEAN);
}

/* A prompt takes one step, and each further token one. */
static void predicted(void)
{
	ok(runs_open(TWO_ARMS,
		     "S-1,mine,mine,10,5,0.2,0.1,0.6,\n"
		     "S-2,mine,mine,20,3,0.1,0.25,0.6,\n",
		     &options) == 0 &&
	       v.n_arms == 2 && !strcmp(v.arm[1], "slow"),
	   "runs are laid over the configuration: %s", why.text);
	ok(!validation_of(&v, 0, 0)->priced && isnan(error(0, 0, RUN_TTFT)),
	   "nothing is simulated yet");
	ok(validation_run(&v, &options, &why) == 0 && !v.plugin_failed,
	   "simulated: %s", why.text);
	near(mean_ms(0, 0, RUN_TTFT), .1, 1e-6, "TTFT of the first arm");
	near(mean_ms(1, 0, RUN_TTFT), .25, 1e-6, "of the second");
	near(mean_ms(1, 1, RUN_E2EL), .75, 1e-6, "E2EL of three tokens");
	near(error(0, 0, RUN_TTFT), -.5, 1e-6, "an error is a ratio - 1");
	near(error(1, 1, RUN_TTFT), 1.5, 1e-6, "above or below");
	ok(validation_of(&v, 0, 0)->input_tokens == 10 &&
	       validation_of(&v, 0, 1)->output_tokens == 3 &&
	       validation_of(&v, 0, 0)->running == 1,
	   "a prediction knows its load");
	is(validation_of(&v, 0, 0)->version, "2", "and the plugin's version");
	ok(validation_common(&v, 0) && validation_config(&v, 1) != NULL,
	   "every arm prices every row");
}

static void one_fails(void)
{
	ok(runs_open(CONFIG_ARM("quick", "100") CONFIG_BAD_ARM("bad"),
		     "S-1,mine,mine,10,5,0.2,0.1,0.6,\n", &options) == 0 &&
	       validation_run(&v, &options, &why) == 0,
	   "an arm fails: %s", why.text);
	ok(v.plugin_failed && v.why[1] && strstr(v.why[1], "total_us = 0"),
	   "it is told why: %s", v.why[1]);
	ok(!v.why[0] && validation_of(&v, 0, 0)->priced &&
	       !validation_of(&v, 1, 0)->priced && !validation_common(&v, 0),
	   "the other has its predictions");
}

static unsigned n_done;
static void count(void *user, const struct job *job)
{
	(void)job;
	n_done += user == &n_done;
}

/* Rows of a model that is not known have no configuration. */
static void refused(void)
{
	struct validate_options o = {.done = count, .done_user = &n_done};
	ok(runs_open(CONFIG_ARM("quick", "100"),
		     "S-1,llama-3.1-8b,h100-sxm,10,5,0.2,0.1,0.6,\n"
		     "S-2,no-such-model,h100-sxm,10,5,0.2,0.1,0.6,\n",
		     &o) == 0 &&
	       v.row_replays.n == 1 && v.trial_of[1] == SIZE_MAX,
	   "a row of an unknown model is left out: %s", why.text);
	ok(validation_run(&v, &o, &why) == 0 && n_done == 1,
	   "the other is simulated, and told when done");
	ok(validation_config(&v, 0) && !validation_config(&v, 1) &&
	       !validation_of(&v, 0, 1)->priced,
	   "each by itself");
	is(validation_config(&v, 0)->model.view.name, "llama-3.1-8b",
	   "under the model that it names");
	ok(runs_open(CONFIG_ARM("a", "100"),
		     "S-1,none,h100-sxm,10,5,0.2,0.1,0.6,\n"
		     "S-2,other,h100-sxm,10,5,0.2,0.1,0.6,\n",
		     &options) < 0 &&
	       why.code == EXIT_INPUT &&
	       strstr(why.text, "none of its rows can be simulated"),
	   "no row is left: %s", why.text);
}

/* What the user sets wins over what a run says. */
static void set(void)
{
	const char *const set[] = {"cost_model:quick.base_us=300"};
	struct validate_options o = {.set = set, .n_set = 1, .in_process = 1};
	ok(runs_open(TWO_ARMS, "S-1,mine,mine,10,5,0.2,0.1,0.6,\n", &o) == 0 &&
	       validation_run(&v, &o, &why) == 0,
	   "with a knob set, in this process: %s", why.text);
	near(mean_ms(0, 0, RUN_TTFT), .3, 1e-6, "the knob counts");
	near(mean_ms(1, 0, RUN_TTFT), .25, 1e-6, "for its arm alone");
	o = (struct validate_options){.arms = "slow"};
	ok(runs_open(TWO_ARMS, "S-1,mine,mine,10,5,0.2,0.1,0.6,\n", &o) == 0 &&
	       v.n_arms == 1 && !strcmp(v.arm[0], "slow"),
	   "one arm alone");
}

static void requests(void)
{
	char *text = NULL;
	size_t size;
	struct validate_options o = {.requests = open_memstream(&text, &size)};
	runs_open(CONFIG_ARM("quick", "100"),
		  "S-1,mine,mine,10,5,0.2,0.1,0.6,\n", &o);
	ok(validation_run(&v, &o, &why) == 0, "with a line per request");
	fclose(o.requests);
	int n = 0;
	for (const char *s = text; (s = strstr(s, "S-1,")); s++)
		n++;
	ok(n == 3, "three requests of the row: %d", n);
	free(text);
}

/* Several values of a knob in one call. */
static void asked(void)
{
	static const char *const name[] = {"base_us"};
	const double value[] = {50, 400};
	struct prediction is[4] = {0};
	const struct knob_points k = {.arm = 1,
				      .name = name,
				      .n_knobs = 1,
				      .n_points = 2,
				      .value = value};
	runs_open(TWO_ARMS,
		  "S-1,mine,mine,10,5,0.2,0.1,0.6,\n"
		  "S-2,mine,mine,20,3,0.1,0.25,0.6,\n",
		  &options);
	ok(validation_ask(&v, &k, &options, is, &why) == 0, "two points: %s",
	   why.text);
	near(is[0].time[RUN_TTFT].of[STATISTIC_MEAN], .05, 1e-6, "the first");
	near(is[3].time[RUN_TPOT].of[STATISTIC_MEAN], .4, 1e-6,
	     "the second, of the second row");
	ok(!validation_of(&v, 1, 0)->priced,
	   "predictions of the validation itself stay as they were");
	const double bad[] = {50, 0};
	struct knob_points wrong = k;
	wrong.value = bad;
	ok(validation_ask(&v, &wrong, &options, is, &why) < 0 &&
	       why.code == EXIT_PLUGIN,
	   "one point that fails is a failure: %s", why.text);
	ok(!v.why[2] && !v.why[3],
	   "which is told to the caller, and not of the arm");
}

static void questions(void)
{
	struct measured_row r = {0};
	ok(!validation_saturated(&r), "a row without flags");
	r.flags = (char *)(uintptr_t) "X|NEAR_KV_SATURATION";
	ok(validation_saturated(&r), "one that says so");
	runs_open(CONFIG_ARM("quick", "100"), "S-1,mine,mine,10,5,,0.1,0.6,\n",
		  &options);
	validation_run(&v, &options, &why);
	runs.row[0].time[RUN_TTFT].of[STATISTIC_P50] = .05;
	near(error(0, 0, RUN_TTFT), 1, 1e-6,
	     "a median stands for a mean that was not measured");
	ok(isnan(validation_throughput_error(&v, 0, 0)),
	   "a row with latencies is no offline run");
	for (int k = 0; k < N_RUN_LATENCIES; k++)
		runs.row[0].time[k] = measured_no_times;
	runs.row[0].output_throughput =
	    validation_of(&v, 0, 0)->output_throughput / 2;
	near(validation_throughput_error(&v, 0, 0), 1, 1e-9, "one without is");
}

int main(void)
{
	scratch_open();
	predicted();
	one_fails();
	refused();
	set();
	requests();
	asked();
	questions();
	runs_close();
	return done();
}
