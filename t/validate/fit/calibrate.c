/* Knobs refitted to measured runs, and whether that helps on runs left out. */
#include "validate/fit/calibrate.h"
#include "measured_runs.h"

static const struct validate_options validate = {.in_process = 1};
static const struct calibrate_options options = {.validate = &validate};
static struct calibration c;

/* The knobs of const_step, by which arm a starts at 100 us and nothing. */
struct knobs {
	double base_us, per_token_us;
	int64_t whole;
};
static const sc_knob base = {.name = "base_us",
			     .type = SC_KNOB_DOUBLE,
			     .offset = offsetof(struct knobs, base_us),
			     .max = 1e9};
static const sc_knob per_token = {.name = "per_token_us",
				  .type = SC_KNOB_DOUBLE,
				  .offset =
				      offsetof(struct knobs, per_token_us),
				  .max = 1e6};
static const sc_knob whole = {.name = "whole",
			      .type = SC_KNOB_INT,
			      .offset = offsetof(struct knobs, whole)};
static const sc_knob *const knobs[] = {&base, &per_token, &whole};
static const sc_plugin plugin = {.name = "mine", .n_knobs = 3, .knob = knobs};
static struct knobs start = {.base_us = 100};

static int fit(const char *const *name, size_t n,
	       const struct calibrate_options *o)
{
	calibration_free(&c);
	why = (struct problem){0};
	return calibrate(&c, &v, 0, &plugin, &start, name, n, o, &why);
}

static void open_runs(const char *rows)
{
	if (runs_open(CONFIG_ARM("a", "100"), rows, &validate) < 0)
		bail_out(why.text);
}

static const char *const one[] = {"base_us"};
static const char *const both[] = {"base_us", "per_token_us"};

/* Steps took 200 us in one run, 220 in the other. */
static void one_knob(void)
{
	open_runs("S-1,mine,mine,10,5,0.2,0.2,1,\n"
		  "S-2,mine,mine,20,3,0.22,0.22,0.66,\n");
	ok(fit(one, 1, &options) == 0 && c.n == 1 && c.n_runs == 2 &&
	       c.n_rows == 2,
	   "one knob to two runs: %s", why.text);
	ok(c.knob[0].before == 100 && c.knob[0].after > 195 &&
	       c.knob[0].after < 225,
	   "between both: %.1f", c.knob[0].after);
	near(c.before.metric[RUN_TTFT], (.5 + 12. / 22) / 2, 1e-6,
	     "errors before");
	near(c.before.score,
	     (c.before.metric[RUN_TPOT] + .7 * c.before.metric[RUN_TTFT]) / 1.7,
	     1e-12, "a score weighs TPOT and TTFT");
	ok(c.after.score < .06, "errors after, on the runs: %.3f",
	   c.after.score);
	near(c.left_out.score, (.02 / .22 + .02 / .2) / 2, .05,
	     "a run that is left out is predicted by the other");
	ok(c.accepted, "the refit helps on runs it has not seen");
}

static void one_run(void)
{
	open_runs("S-1,mine,mine,10,5,0.2,0.2,1,\n");
	ok(fit(one, 1, &options) == 0 && !c.accepted &&
	       c.left_out.score == c.before.score,
	   "one run proves nothing");
	near(c.knob[0].after, 200, .01, "but can be fitted");
}

/* A saturated row is not fitted to. */
static void saturated(void)
{
	open_runs("S-1,mine,mine,10,5,0.2,0.2,1,\n"
		  "S-2,mine,mine,10,5,0.2,0.2,1,\n"
		  "S-3,mine,mine,10,5,9,9,45,SATURATED\n");
	ok(fit(one, 1, &options) == 0 && c.n_runs == 2 && c.n_rows == 2,
	   "saturated runs do not count");
	near(c.knob[0].after, 200, .01, "nor move the knob");
}

/* Three models: a prompt took 100 us and 2 us a token, a token 102 us. */
#define THREE                                                                  \
	"S-1,llama-3.1-8b,h100-sxm,10,5,0.12,0.102,0.528,\n"                   \
	"S-2,llama-2-7b,h100-sxm,100,5,0.3,0.102,0.708,\n"                     \
	"S-3,mistral-nemo-12b,h100-sxm,50,5,0.2,0.102,0.608,\n"

static void two_knobs(void)
{
	start.per_token_us = 1;
	open_runs(THREE "S-4,llama-3.1-8b,h100-sxm,30,5,0.16,0.102,0.568,\n");
	ok(fit(both, 2, &options) == 0 && c.n_runs == 4, "two knobs: %s",
	   why.text);
	near(c.knob[0].after, 100, .03, "the time of a step");
	near(c.knob[1].after, 2, .1, "and of a token");
	ok(c.accepted, "both are right on unseen runs");
	start.per_token_us = 0;
}

/* One model with prompts of several lengths; a step took 100 us and 2 us a
 * token. */
static void one_model(void)
{
	start.per_token_us = 1;
	open_runs("S-1,mine,mine,10,5,0.12,0.102,0.528,\n"
		  "S-2,mine,mine,100,5,0.3,0.102,0.708,\n"
		  "S-3,mine,mine,50,5,0.2,0.102,0.608,\n"
		  "S-4,mine,mine,30,5,0.16,0.102,0.568,\n");
	ok(fit(both, 2, &options) == 0 && c.n == 2 && c.n_alike == 0,
	   "two knobs to one model: %s", why.text);
	near(c.knob[0].after, 100, .03, "its steps");
	near(c.knob[1].after, 2, .1, "its tokens");
	ok(c.accepted, "right on the runs left out");
	/* With prompts of one token, each step has one token. */
	open_runs("S-1,mine,mine,1,5,0.102,0.102,0.51,\n"
		  "S-2,mine,mine,1,9,0.102,0.102,0.918,\n"
		  "S-3,mine,mine,1,7,0.102,0.102,0.714,\n"
		  "S-4,mine,mine,1,3,0.102,0.102,0.306,\n");
	ok(fit(both, 2, &options) == 0 && c.n == 1 && c.n_alike == 1,
	   "runs that do not tell both apart: %s", why.text);
	is(c.alike[0].name, "per_token_us", "the second stays");
	is(c.alike[0].like, "base_us", "because it acts as the first");
	near(c.alike[0].at, 1, 1e-12, "where it was");
	near(c.knob[0].after, 101, .01, "and the first is fitted");
	start.per_token_us = 0;
}

static void refused(const char *rows, const char *const *name, size_t n,
		    int code, const char *want)
{
	open_runs(rows);
	if (!ok(fit(name, n, &options) < 0 && why.code == code &&
		    strstr(why.text, want),
		"%s", want))
		printf("# got %d %s\n", why.code, why.text);
}

static void too_few(void)
{
	static const char *const other[] = {"base"};
	static const char *const integer[] = {"whole"};
	refused("S-1,mine,mine,10,5,1,1,5,\nS-2,mine,mine,10,5,1,1,5,\n"
		"S-3,mine,mine,10,5,1,1,5,\n",
		both, 2, EXIT_USAGE,
		"too few data: 3 rows for 2 knobs; give at least two rows for "
		"each knob");
	refused("S-1,mine,mine,10,5,1,1,5,\nS-2,mine,mine,10,5,1,1,5,\n", both,
		2, EXIT_USAGE,
		"too few data: 2 runs; to fit more than one knob, give at "
		"least 3, of several models or at several rates");
	refused(
	    THREE, both, 2, EXIT_USAGE,
	    "too few data: 3 rows for 2 knobs; give at least two rows for each "
	    "knob");
	refused(
	    THREE, other, 1, EXIT_USAGE,
	    "--knobs: base is no knob of mine that can be fitted; there are: ");
	refused(THREE, integer, 1, EXIT_USAGE,
		"--knobs: whole is not a real number");
	start.base_us = -1;
	refused(THREE, one, 1, EXIT_USAGE, "--knobs: base_us starts below 0");
	start.base_us = 100;
}

int main(void)
{
	scratch_open();
	one_knob();
	one_run();
	saturated();
	two_knobs();
	one_model();
	too_few();
	calibration_free(&c);
	runs_close();
	return done();
}
