/* ranked.h -- an arena of two sets of steps and a file of runs, for tests.  Arm
 * `near` is right on the first set, `far` is 50 % off, `bad` fails, and `known`
 * was fitted to the second set.  The test calls scratch_open() first. */
#ifndef T_RANKED_H
#define T_RANKED_H
#include "arena/arena.h"
#include "config_of.h"

static struct arena arena;
static struct ini ranked_aliases;

#define RANKED_ARMS                                                            \
	CONFIG_ARM("near", "101")                                              \
	CONFIG_ARM("far", "150")                                               \
	CONFIG_BAD_ARM("bad") CONFIG_ARM("known", "100")

static void ranked_steps(const char *name, const char *config, int first,
			 const char *baseline)
{
	static const struct step_set_options rows = {.needs_time = 1};
	const struct score_options how = {.baseline = baseline,
					  .margin = (double)NAN,
					  .strict = strict_of(0)};
	const struct jobs_options jobs = {.answer_limit_s = 10};
	const struct step_arms_options arms = {.path = config};
	char text[4000] = "decode,time_us\n";
	for (int i = 0; i < 40; i++)
		sprintf(text + strlen(text), "%d,%d\n", 10 + i, first + i % 5);
	const char *path = scratch_file(name, text);
	struct arena_set *s = arena_add(&arena, path, NULL, &why);
	if (!s ||
	    step_set_read(&s->set, &path, 1, &ranked_aliases, &rows, &why) <
		0 ||
	    step_arms_open(&s->arms, &s->set, &ranked_aliases, &arms, &why) <
		0 ||
	    score_price(&s->score, &s->arms, 0, &how, &jobs, &why) < 0 ||
	    score_compute(&s->score, &how, &why) < 0)
		bail_out(why.text);
}

/* The file says which plugin was fitted to which file. */
static void ranked_fitted(const char *rows)
{
	char text[600];
	scratch_folder("bench_data/accuracy");
	snprintf(text, sizeof text, "plugin,file,fitted\n%s", rows);
	scratch_file("bench_data/accuracy/fitted_to.csv", text);
	setenv("STEPCOST_DATA_PATH", scratch, 1);
}

/* baseline: of both sets. */
static void ranked_open(const char *baseline)
{
	char config[400];
	snprintf(config, sizeof config, "%s",
		 scratch_file("arms.ini", CONFIG_SETUP RANKED_ARMS));
	arena_free(&arena);
	if (arena_make(&arena, 2, 0, &why) < 0)
		bail_out(why.text);
	ranked_steps("one.csv", config, 99, baseline);
	ranked_steps("two.csv", config, 148, baseline);
	if (arena_judge(&arena, &why) < 0)
		bail_out(why.text);
}
#endif
