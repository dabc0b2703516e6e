/* Arms on the deployments of a set of steps. */
#include "steps/arms.h"
#include "config_of.h"

static struct step_set set;
static struct step_arms arms;
static struct ini aliases;

static int price(struct job *j, struct arm *a, const struct step_deployment *d,
		 void *ctx, struct problem *p)
{
	double *us = j->shared;
	sc_step step;
	(void)ctx;
	for (size_t i = 0; i < d->n; i++) {
		const sc_result *r =
		    step_price(a, set.row[d->row[i]].given, &step, p);
		if (!r)
			return -1;
		us[2 * i] = r->total_us;
		us[2 * i + 1] = step.flags & SC_STEP_GRAPH;
	}
	return 0;
}

static int run(const char *ini, const char *steps, const char *extra)
{
	static const struct step_set_options how = {.all_flags = 1};
	const char *path = scratch_file("steps.csv", steps);
	const struct step_arms_options o = {
	    .path = scratch_file("arms.ini", ini), .extra = extra};
	const struct jobs_options jobs = {.shared_bytes = 64 * sizeof(double),
					  .answer_limit_s = 10};
	step_arms_free(&arms);
	step_set_free(&set);
	return step_set_read(&set, &path, 1, &aliases, &how, &why) < 0 ||
		       step_arms_open(&arms, &set, &aliases, &o, &why) < 0 ||
		       step_arms_run(&arms, price, NULL, &jobs, &why) < 0
		   ? -1
		   : 0;
}

static const double *us_of(size_t arm, size_t deployment)
{
	return step_arms_job(&arms, arm, deployment)->shared;
}

int main(void)
{
	scratch_open();
	ok(run(CONFIG_SETUP "[engine]\ngraph_max_tokens=4\n"
			    "[cost_model:a]\nplugin=const_step\nbase_us=0\n"
			    "per_token_us=1\n" CONFIG_ARM("b", "9"),
	       "decode,prefill,graph,tensor_parallel_size\n1x3,,,\n1x5,,,2\n"
	       "1,0:7,1,\n1x2,,0,2\n",
	       NULL) == 0 &&
	       set.n_deployments == 2 && arms.n_arms == 2,
	   "two arms on two deployments");
	ok(us_of(0, 0)[0] == 5 && us_of(0, 0)[2] == 2 && us_of(0, 1)[0] == 3 &&
	       us_of(0, 1)[2] == 8 && us_of(1, 1)[2] == 9,
	   "each row under each arm");
	ok(arms.config[0].engine_keys.tensor_parallel_size == 2 &&
	       arms.config[1].engine_keys.tensor_parallel_size == 1,
	   "the deployment is laid over the configuration");
	ok(us_of(0, 1)[3] == 1 && us_of(0, 0)[3] == 0 && us_of(0, 0)[1] == 0,
	   "a graph as the row says");
	ok(!step_arms_why(&arms, 0, 0) && !step_arms_why(&arms, 1, 1),
	   "nothing failed");
	ok(run(CONFIG_SETUP CONFIG_ARM("a", "1"), "decode\n1\n", "more") == 0 &&
	       arms.n_arms == 2 && !strcmp(arms.arm[1], "more"),
	   "one more arm");
	ok(run(CONFIG_SETUP CONFIG_BAD_ARM("bad") CONFIG_ARM("a", "1"),
	       "decode\n1\n", NULL) == 0 &&
	       step_arms_why(&arms, 0, 0) && !step_arms_why(&arms, 1, 0),
	   "an arm that fails costs only itself");
	ok(run(CONFIG_SETUP CONFIG_ARM("a", "1"),
	       "decode,tensor_parallel_size\n1,\n1,1000\n", NULL) == 0,
	   "a deployment that cannot be configured is no error");
	ok(run("[model]\n", "decode\n1\n", NULL) < 0, "no arm at all");
	step_arms_free(&arms);
	step_set_free(&set);
	return done();
}
