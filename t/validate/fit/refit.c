/* Knobs as parameters of a fit: bounds, memory of simulations, and a fit with a
 * known answer. */
#include "validate/fit/refit.h"
#include "measured_runs.h"

static const sc_knob base = {
    .name = "base_us", .type = SC_KNOB_DOUBLE, .min = 0, .max = 1e9};
static struct calibrated_knob knob = {
    .knob = &base, .before = 100, .configured = 100, .high = 1e9};
static const char *const name[] = {"base_us"};
static unsigned n_jobs;
static struct refit f;

static void count(void *user, const struct job *job)
{
	(void)user, (void)job;
	n_jobs++;
}

static const struct validate_options options = {.done = count, .in_process = 1};
static const size_t run_of[] = {0, 1, SIZE_MAX};

static void parameters(void)
{
	double x;
	f.knob = &knob;
	f.n = 1;
	refit_start(&f, &x);
	near(refit_value(&knob, x), 100, 1e-12, "a fit begins where it was");
	near(refit_value(&knob, x + log(2)), 200, 1e-12,
	     "a parameter is a logarithm");
	near(refit_value(&knob, refit_max(&knob)), 1e9, 1e-9,
	     "up to the knob's maximum");
	ok(refit_value(&knob, refit_max(&knob) + 1) == 1e9, "and no further");
	struct calibrated_knob zero = {.knob = &base, .high = 1e9};
	f.knob = &zero;
	refit_start(&f, &x);
	ok(x == 0 && refit_value(&zero, 0) == 0, "a knob that starts from 0");
	near(refit_value(&zero, 1), exp(1) - 1, 1e-12,
	     "is fitted by the logarithm of 1 + v");
	ok(refit_value(&zero, -1) == 0, "not below its minimum");
}

/* Three runs; the third is not used. */
static void open_runs(void)
{
	if (runs_open(CONFIG_ARM("a", "100"),
		      "S-1,mine,mine,10,5,0.25,0.25,1.25,\n"
		      "S-2,mine,mine,20,3,0.25,0.25,0.75,\n"
		      "S-3,mine,mine,20,3,9,9,27,\n",
		      &options) < 0)
		bail_out(why.text);
	f = (struct refit){.v = &v,
			   .validate = &options,
			   .knob = &knob,
			   .name = name,
			   .n = 1,
			   .run_of = run_of,
			   .left_out = SIZE_MAX};
	n_jobs = 0;
}

static double ttft(double x, size_t row)
{
	return refit_recall(&f, &x)[row].time[RUN_TTFT].of[STATISTIC_MEAN];
}

static void memory(void)
{
	const double x[] = {log(100), log(300), log(100)};
	open_runs();
	ok(refit_learn(&f, 3, x, &why) == 0 && f.memory.n == 2,
	   "a point that comes twice is learnt once: %s", why.text);
	ok(n_jobs == 2 * 3, "each with every run");
	near(ttft(x[0], 0), .1, 1e-6, "a point is recalled");
	near(ttft(x[1], 2), .3, 1e-6, "and so is the other one");
	ok(refit_learn(&f, 2, x, &why) == 0 && n_jobs == 6,
	   "no point is simulated again");
	/* More points than fit at first. */
	for (int i = 0; i < 70; i++) {
		double y = log(500 + i);
		if (refit_learn(&f, 1, &y, &why) < 0)
			bail_out(why.text);
	}
	near(ttft(x[1], 2), .3, 1e-6, "memory grows, and keeps all");
	near(ttft(log(569), 0), .569, 1e-6, "the last too");
	refit_free(&f);
}

/* TTFT and TPOT of both used runs are 0.25 ms: base_us is 250. */
static void solved(void)
{
	double x;
	open_runs();
	refit_start(&f, &x);
	ok(refit_solve(&f, &x, 30, &why) == 0, "a fit: %s", why.text);
	near(refit_value(&knob, x), 250, .01, "finds the knob");
	runs.row[1].time[RUN_TTFT].of[STATISTIC_MEAN] = .5;
	runs.row[1].time[RUN_TPOT].of[STATISTIC_MEAN] = .5;
	f.left_out = 1;
	refit_start(&f, &x);
	refit_solve(&f, &x, 30, &why);
	near(refit_value(&knob, x), 250, .01,
	     "a run that is left out is not "
	     "met");
	f.left_out = 0;
	refit_start(&f, &x);
	refit_solve(&f, &x, 30, &why);
	near(refit_value(&knob, x), 500, .02, "without the other run");
	refit_free(&f);
}

static unsigned n_iterations;
static void progress(void *user, const char *what, uint32_t iteration,
		     double cost)
{
	(void)iteration;
	n_iterations +=
	    user == &n_iterations && !strcmp(what, "all runs") && cost >= 0;
}

static void told(void)
{
	double x;
	open_runs();
	f.progress = progress;
	f.user = &n_iterations;
	snprintf(f.what, sizeof f.what, "all runs");
	refit_start(&f, &x);
	refit_solve(&f, &x, 3, &why);
	ok(n_iterations > 0 && n_iterations <= 3, "%u iterations are told",
	   n_iterations);
	refit_free(&f);
}

int main(void)
{
	scratch_open();
	parameters();
	memory();
	solved();
	told();
	runs_close();
	return done();
}
