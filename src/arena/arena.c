/* arena.c -- Ranks cost models on each set, and over all sets. */
#include "arena/arena.h"
#include "base/file/path.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- sets ---- */

int arena_make(struct arena *a, size_t n_step_files, size_t n_run_files,
	       struct problem *p)
{
	size_t sets = n_step_files + N_RUN_LATENCIES * n_run_files;
	*a = (struct arena){.set = calloc(sets + 1, sizeof *a->set),
			    .runs = calloc(n_run_files + 1, sizeof *a->runs)};
	config_begin(&a->shared);
	return a->set && a->runs ? 0 : problem_no_memory(p);
}

/* Returns the name of the file without folders and ending, and the latency. */
static char *name_of(const char *path, const char *latency)
{
	const char *name = path_name(path);
	const char *dot = strrchr(name, '.');
	int n = dot && dot > name ? (int)(dot - name) : (int)strlen(name);
	char *text;
	return asprintf(&text, "%.*s%s%s", n, name, latency ? " " : "",
			latency ? latency : "") < 0
		   ? NULL
		   : text;
}

struct arena_set *arena_add(struct arena *a, const char *path,
			    const char *latency, struct problem *p)
{
	struct arena_set *s = &a->set[a->n];
	*s = (struct arena_set){.name = name_of(path, latency),
				.is_runs = latency != NULL,
				.best = SIZE_MAX};
	if (!s->name) {
		problem_no_memory(p);
		return NULL;
	}
	a->n++;
	return s;
}

/* ---- who was fitted ---- */

/* Configurations of one GPU, and of one choice of tables, say the same. */
static int is_same(const struct config *a, const struct config *b, size_t arm)
{
	const struct arm_config *x = &a->arm[arm], *y = &b->arm[arm];
	return x->hardware && y->hardware && x->set && y->set &&
	       !strcmp(x->hardware, y->hardware) && !strcmp(x->set, y->set);
}

/* config[n]; refused[n]: not NULL for those that could not be resolved. */
static int find_fitted(struct arena_set *s, size_t arm,
		       const struct config *config, char *const *refused,
		       size_t n, struct problem *p)
{
	const struct config *last = NULL;
	const char *file = s->set.file[0].path;
	for (size_t i = 0; i < n; i++) {
		enum fitted is;
		if (refused[i] || (last && is_same(last, &config[i], arm)))
			continue;
		last = &config[i];
		if (fitted_find(&is, last, arm, file, p) < 0)
			return -1;
		if (is > s->arm[arm].fitted)
			s->arm[arm].fitted = is;
	}
	return 0;
}

static int find_all_fitted(struct arena *a, struct arena_set *s,
			   struct problem *p)
{
	const struct config *config = s->arms.config;
	char *const *refused = s->arms.refused;
	size_t n = s->set.n_deployments;
	for (size_t i = 0; s->is_runs && i < a->n_runs; i++)
		if (!strcmp(a->runs[i].path, s->set.file[0].path)) {
			config = a->runs[i].v.config;
			refused = a->runs[i].v.refused;
			n = a->runs[i].v.row_replays.n;
		}
	for (size_t k = 0; k < a->n_arms; k++)
		if (find_fitted(s, k, config, refused, n, p) < 0)
			return -1;
	return 0;
}

/* ---- ranks ---- */

static double mean_of(const struct arena_set *s, size_t arm)
{
	return s->score.arm[arm].regime[REGIME_ALL].of[FIGURE_MACRO_MEAN];
}

static int rank_set(struct arena *a, struct arena_set *s, struct problem *p)
{
	char *among = calloc(s->score.n + 1, 1);
	if (!among)
		return problem_no_memory(p);
	for (size_t k = 0; k < a->n_arms; k++) {
		struct arena_arm *x = &s->arm[k];
		x->has_most = s->score.arm[k].priced &&
			      (double)s->score.arm[k].priced >=
				  SHARE_OF_A_SET * (double)s->set.n;
		x->is_ranked = x->has_most && x->fitted != FITTED_YES;
		among[k] = (char)x->is_ranked;
		if (x->is_ranked && (s->best == SIZE_MAX ||
				     mean_of(s, k) < mean_of(s, s->best)))
			s->best = k;
	}
	for (size_t k = 0; k < a->n_arms; k++) {
		if (among[k])
			score_rank(&s->score, k, REGIME_ALL, among,
				   s->arm[k].rank);
		if (s->best != SIZE_MAX && k != s->best)
			s->arm[k].to_best =
			    score_pair(&s->score, k, s->best, REGIME_ALL);
	}
	free(among);
	return 0;
}

int arena_beats_baseline(const struct arena_set *s, size_t arm)
{
	size_t b = s->score.baseline;
	const struct step_pair *x =
	    b == SIZE_MAX || b == arm || s->arm[arm].fitted == FITTED_YES
		? NULL
		: score_pair(&s->score, arm, b, REGIME_ALL);
	return x && x->verdict == (x->a == arm ? PAIR_FIRST : PAIR_SECOND);
}

const char *arena_why(const struct arena_set *s, size_t arm)
{
	const struct score_arm *a = &s->score.arm[arm];
	for (size_t d = 0; d < s->set.n_deployments; d++)
		if (a->why[d])
			return a->why[d];
	return NULL;
}

const char *arena_arm_name(const struct arena *a, size_t arm)
{
	return a->set[0].score.arm[arm].name;
}

/* ---- over all sets ---- */

/* The mean error of the arm over that of the baseline, on rows of both. */
static double ratio(const struct arena_set *s, size_t arm)
{
	return arm == s->score.baseline ? 1 : 1 - s->score.arm[arm].skill;
}

static void sum_up(const struct arena *a, struct arena_overall *o)
{
	double logs = 0;
	o->skill = (double)NAN;
	for (size_t i = 0; i < a->n; i++) {
		const struct arena_set *s = &a->set[i];
		if (s->score.baseline == SIZE_MAX || !s->arm[o->arm].has_most)
			continue;
		o->sets++;
		o->fitted_to += s->arm[o->arm].fitted == FITTED_YES;
		logs += log(ratio(s, o->arm));
	}
	if (o->sets && o->sets == a->n_with_baseline)
		o->skill = 1 - exp(logs / (double)o->sets);
}

static int by_skill(const void *x, const void *y)
{
	const struct arena_overall *a = x, *b = y;
	if (isnan(a->skill) != isnan(b->skill))
		return isnan(a->skill) ? 1 : -1;
	if (!isnan(a->skill) && a->skill != b->skill)
		return a->skill > b->skill ? -1 : 1;
	if (a->sets != b->sets)
		return a->sets > b->sets ? -1 : 1;
	return a->arm < b->arm ? -1 : a->arm > b->arm;
}

static int fill_overall(struct arena *a, struct problem *p)
{
	size_t place = 0;
	a->overall = calloc(a->n_arms + 1, sizeof *a->overall);
	if (!a->overall)
		return problem_no_memory(p);
	for (size_t i = 0; i < a->n; i++)
		a->n_with_baseline += a->set[i].score.baseline != SIZE_MAX;
	for (size_t k = 0; k < a->n_arms; k++) {
		a->overall[k].arm = k;
		sum_up(a, &a->overall[k]);
	}
	qsort(a->overall, a->n_arms, sizeof *a->overall, by_skill);
	for (size_t k = 0; k < a->n_arms; k++)
		if (!isnan(a->overall[k].skill) && !a->overall[k].fitted_to)
			a->overall[k].place = ++place;
	return 0;
}

int arena_judge(struct arena *a, struct problem *p)
{
	if (!a->n)
		return problem_set(p, EXIT_INPUT,
				   "none of the files has a measured time");
	a->n_arms =
	    a->set[0].score.n - (size_t)a->set[0].score.has_own_baseline;
	for (size_t i = 0; i < a->n; i++) {
		struct arena_set *s = &a->set[i];
		s->arm = calloc(a->n_arms + 1, sizeof *s->arm);
		if (!s->arm)
			return problem_no_memory(p);
		if (find_all_fitted(a, s, p) < 0 || rank_set(a, s, p) < 0)
			return -1;
	}
	return fill_overall(a, p);
}

void arena_drop_last(struct arena *a)
{
	struct arena_set *s = &a->set[--a->n];
	score_free(&s->score);
	step_arms_free(&s->arms);
	step_set_free(&s->set);
	free(s->arm);
	free(s->name);
}

void arena_free(struct arena *a)
{
	while (a->n)
		arena_drop_last(a);
	for (size_t i = 0; i < a->n_runs; i++)
		runs_free(&a->runs[i]);
	free(a->set);
	free(a->runs);
	free(a->overall);
	config_free(&a->shared);
	*a = (struct arena){0};
}
