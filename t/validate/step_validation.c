/* Measured engine steps, priced by every arm. */
#include "validate/step_validation.h"
#include "config_of.h"

static struct step_validation v;

/* An arm that takes that time for each token. */
#define ARM(name, us)                                                          \
	"[cost_model:" name                                                    \
	"]\nplugin=const_step\nbase_us=0\nper_token_us=" us "\n"

static char name[2][20] = {"llama-3.1-8b", "none-such"};
static struct step_run run[2] = {
    {.name = name[0], .model = name[0], .tensor_parallel_size = 2},
    {.name = name[0], .model = name[0], .tensor_parallel_size = 1},
};
static struct measured_step step[3] = {
    {.run = 0, .n_decode = 4, .running = 4, .context = 100},
    {.run = 1,
     .n_prefill = 3,
     .prefill_tokens = 10,
     .n_decode = 2,
     .running = 5,
     .context = 50},
    {.run = 0, .n_prefill = 2, .prefill_tokens = 1, .context = -1},
};
static const struct measured_steps file = {
    .run = run, .n_runs = 2, .step = step, .n = 3};

static int priced(const char *arms, const struct validate_options *o)
{
	char text[1000];
	why = (struct problem){0};
	step_validation_free(&v);
	snprintf(text, sizeof text, CONFIG_SETUP "%s", arms);
	return validate_steps(&v, scratch_file("arms.ini", text), &file, o,
			      &why);
}

static void steps(void)
{
	const struct validate_options o = {0};
	ok(priced(ARM("a", "10") ARM("b", "3"), &o) == 0 && v.n_arms == 2,
	   "priced: %s", why.text);
	is(v.arm[1], "b", "arms have names");
	near(v.us[0], 40, 1e-12, "four decodes are four tokens");
	near(v.us[1], 120, 1e-12, "prompts share ten tokens: 4 + 3 + 3");
	near(v.us[2], 20, 1e-12, "a prompt has at least a token");
	near(v.us[3 + 1], 36, 1e-12, "the other arm's price");
	ok(!v.why[0] && !v.plugin_failed && !v.interrupted, "all went well");
	ok(v.config[0].engine_keys.tensor_parallel_size == 2 &&
	       v.config[1].engine_keys.tensor_parallel_size == 1,
	   "a run has the split that it says");
}

static void one_fails(void)
{
	const struct validate_options o = {.in_process = 1};
	ok(priced(ARM("a", "10") ARM("bad", "0"), &o) == 0 && v.plugin_failed,
	   "an arm fails");
	ok(v.why[2] && strstr(v.why[2], "total_us = 0") && isnan(v.us[3]),
	   "it is told why, and has no price: %s", v.why[2]);
	near(v.us[0], 40, 1e-12, "the other has");
}

static void refused(void)
{
	const struct validate_options o = {0};
	run[1].model = name[1];
	ok(priced(ARM("a", "10"), &o) < 0 && why.code == EXIT_USAGE &&
	       strstr(why.text, "none-such"),
	   "a model that is not known: %s", why.text);
	run[1].model = name[0];
	const char *const set[] = {"cost_model:a.per_token_us=20"};
	const struct validate_options with = {
	    .set = set, .n_set = 1, .arms = "a"};
	ok(priced(ARM("a", "10") ARM("b", "3"), &with) == 0 && v.n_arms == 1,
	   "one arm, with a knob set");
	near(v.us[0], 80, 1e-12, "which counts");
}

int main(void)
{
	scratch_open();
	steps();
	one_fails();
	refused();
	step_validation_free(&v);
	ok(!v.us && !v.config, "freed");
	return done();
}
