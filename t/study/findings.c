/* A study, and the jobs that follow from it, have one exit code and one signal.
 */
#include "study/findings.h"
#include "studied.h"

static struct findings w;

static void none(void)
{
	ok(findings_code(&w) == EXIT_DONE && findings_interrupted(&w) == 0,
	   "nothing was run: nothing went wrong");
	findings_free(&w);
	ok(!w.study.job && !w.seeds.job && !w.explain.pair && !w.swap.task,
	   "and nothing is there to be freed");
}

/* Makes one job with that exit code. */
static void code(struct jobs *all, struct job *job, struct problem *p, int code)
{
	*p = (struct problem){.code = code};
	job->problem = p;
	*all = (struct jobs){.job = job, .n = 1};
}

static void highest(void)
{
	struct job explained = {0}, swapped = {0};
	struct problem p[2];
	code(&w.explain.arms, &explained, &p[0], EXIT_USAGE);
	ok(findings_code(&w) == EXIT_USAGE, "one that failed");
	code(&w.swap.arms, &swapped, &p[1], EXIT_PLUGIN);
	ok(findings_code(&w) == EXIT_PLUGIN, "of two the higher code");
	code(&w.explain.arms, &explained, &p[0], EXIT_PLUGIN);
	code(&w.swap.arms, &swapped, &p[1], EXIT_INPUT);
	ok(findings_code(&w) == EXIT_PLUGIN, "whichever it is");
	w = (struct findings){0};
}

static void signals(void)
{
	w.swap.arms.interrupted = 2;
	ok(findings_interrupted(&w) == 2, "one was interrupted");
	w.study.arms.interrupted = 15;
	ok(findings_interrupted(&w) == 15, "of two the first to be run");
	w = (struct findings){0};
	w.explain.arms.interrupted = 1;
	ok(findings_interrupted(&w) == 1, "in explaining");
	w = (struct findings){0};
	struct jobs batch = {.interrupted = 3};
	w.seeds.arms = &batch;
	w.seeds.n_batches = 1;
	ok(findings_interrupted(&w) == 3, "or under another seed");
	w = (struct findings){0};
}

/* All of them, of a true study. */
static void all(void)
{
	const size_t place[2] = {0, 1};
	const struct seeds_plan two = {.low = 2, .high = 2};
	config_good(&config, CONFIG_SETUP CONFIG_ONE_BY_ONE CONFIG_ARM(
				 "a", "100") CONFIG_ARM("b", "250"));
	struct study_options o = study_defaults;
	o.why = 1;
	ok(study_run(&w.study, "compare", &config, 2, &o, NULL, NULL, &why) ==
		   0 &&
	       seeds_run(&w.seeds, &w.study, &two, &why) == 0 &&
	       explain_run(&w.explain, &w.study, NULL, &why) == 0 &&
	       swap_run(&w.swap, &w.study, place, &why) == 0,
	   "all run: %s", why.text);
	ok(findings_code(&w) == EXIT_DONE && !findings_interrupted(&w),
	   "and all went well");
	findings_free(&w);
	ok(!w.study.job && !w.seeds.job && !w.explain.pair && !w.swap.task,
	   "all is freed");
	config_free(&config);
}

int main(void)
{
	scratch_open();
	none();
	highest();
	signals();
	all();
	return done();
}
