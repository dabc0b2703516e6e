/* score.c -- Computes the figures, pairs and ranks of a score. */
#include "steps/score.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const score_time_choice[] = {"exact", "total", "visible", "energy",
					 NULL};
enum { REGIME_ROWS = 10 }; /* for pairs in a regime */

struct step_group score_group(const struct score *s, enum step_regime r)
{
	const struct step_bins *b = &s->group[r];
	return b->n ? (struct step_group){b->bin[0].row, b->bin[0].n}
		    : (struct step_group){NULL, 0};
}

static struct step_times times_of(const struct score_arm *a)
{
	return (struct step_times){a->us, a->exact, a->total};
}

/* ---- groups ---- */

static int add_bins(struct score *s, const char *by, int only_telling,
		    struct problem *p)
{
	struct step_bins *more =
	    realloc(s->bins, (s->n_bins + 1) * sizeof *more);
	if (!more)
		return problem_no_memory(p);
	s->bins = more;
	struct step_bins *b = &more[s->n_bins];
	if (step_bins_sort(b, s->set, by, p) < 0) {
		step_bins_free(b);
		return -1;
	}
	if (only_telling && !step_bins_tell(b))
		step_bins_free(b);
	else
		s->n_bins++;
	return 0;
}

static int make_bins(struct score *s, const char *by, struct problem *p)
{
	int rc = 0;
	if (!by) {
		for (size_t i = 0; rc == 0 && step_bins_default[i]; i++)
			rc = add_bins(s, step_bins_default[i], 1, p);
		return rc;
	}
	char *list = strdup(by), *rest = list, *name;
	rc = list ? 0 : problem_no_memory(p);
	while (rc == 0 && (name = strsep(&rest, ",")))
		rc = add_bins(s, name, 0, p);
	free(list);
	return rc;
}

int score_group_all(struct score *s, struct problem *p)
{
	struct step_bins *every = &s->group[REGIME_ALL];
	every->bin = calloc(1, sizeof *every->bin);
	size_t *row = calloc(s->set->n + 1, sizeof *row);
	if (!every->bin || !row) {
		free(row);
		return problem_no_memory(p);
	}
	for (size_t i = 0; i < s->set->n; i++)
		row[i] = i;
	every->bin[0] = (struct step_bin){.row = row, .n = s->set->n};
	every->n = 1;
	return 0;
}

/* The rows of each regime, as a bin. */
static int make_groups(struct score *s, struct problem *p)
{
	struct step_bins all;
	int rc = step_bins_sort(&all, s->set, "regime", p);
	for (size_t i = 0; rc == 0 && i < all.n; i++)
		for (int r = 0; r < REGIME_ALL; r++)
			if (!strcmp(all.bin[i].name, step_regime_name[r])) {
				s->group[r].bin = calloc(1, sizeof *all.bin);
				if (!s->group[r].bin) {
					rc = problem_no_memory(p);
					break;
				}
				s->group[r].bin[0] = all.bin[i];
				s->group[r].n = 1;
				all.bin[i] = (struct step_bin){0};
				break;
			}
	step_bins_free(&all);
	return rc < 0 ? -1 : score_group_all(s, p);
}

/* ---- figures ---- */

static int fill_bins(struct score *s, struct score_arm *a)
{
	a->bin = arrays_add(&s->arrays, s->n_bins, sizeof *a->bin);
	if (!a->bin)
		return -1;
	for (size_t i = 0; i < s->n_bins; i++) {
		const struct step_bins *b = &s->bins[i];
		a->bin[i] = arrays_add(&s->arrays, b->n, sizeof **a->bin);
		if (!a->bin[i])
			return -1;
		for (size_t k = 0; k < b->n; k++)
			if (step_figures(&a->bin[i][k], s->set, s->measured,
					 a->us,
					 (struct step_group){b->bin[k].row,
							     b->bin[k].n}) < 0)
				return -1;
	}
	return 0;
}

static int fill_figures(struct score *s, struct score_arm *a)
{
	const struct step_set *set = s->set;
	for (int r = 0; r < N_REGIMES; r++)
		if (step_figures(&a->regime[r], set, s->measured, a->us,
				 score_group(s, (enum step_regime)r)) < 0)
			return -1;
	a->priced = a->regime[REGIME_ALL].n;
	a->deployment =
	    arrays_add(&s->arrays, set->n_deployments, sizeof *a->deployment);
	if (!a->deployment)
		return -1;
	for (size_t d = 0; d < set->n_deployments; d++)
		if (step_figures(&a->deployment[d], set, s->measured, a->us,
				 (struct step_group){set->deployment[d].row,
						     set->deployment[d].n}) < 0)
			return -1;
	return fill_bins(s, a);
}

/* 1 - mean |error| / that of the baseline, on the rows that both price. */
static double skill_of(const struct score *s, const struct score_arm *a)
{
	const struct score_arm *b =
	    s->baseline == SIZE_MAX ? NULL : &s->arm[s->baseline];
	double own = 0, theirs = 0;
	for (size_t i = 0; b && i < s->set->n; i++) {
		double e = fabs(a->us[i] / s->measured[i] - 1);
		double f = fabs(b->us[i] / s->measured[i] - 1);
		if (isnan(e) || isnan(f))
			continue;
		own += e;
		theirs += f;
	}
	return theirs > 0 && a != b ? 1 - own / theirs : (double)NAN;
}

static double repeat_of(const struct step_set *set)
{
	double sum = 0, n = 0;
	for (size_t i = 0; i < set->n; i++) {
		const struct given_step *g = set->row[i].given;
		double again = steps_number(g, STEP_AGAIN);
		if (isnan(again))
			continue;
		sum += fabs(again / steps_number(g, STEP_TIME) - 1);
		n++;
	}
	return n > 0 ? sum / n : (double)NAN;
}

/* ---- pairs ---- */

static int add_pair(struct score *s, size_t a, size_t b, enum step_regime r)
{
	struct step_pair *x = &s->pair[s->n_pairs];
	const struct step_times first = times_of(&s->arm[a]),
				second = times_of(&s->arm[b]);
	*x = (struct step_pair){.a = a, .b = b, .regime = r};
	if (step_pair_compare(x, s->set, s->measured, &first, &second,
			      score_group(s, r)) < 0)
		return -1;
	s->n_pairs += x->rows >= (r == REGIME_ALL ? 1 : REGIME_ROWS);
	return 0;
}

/* Adds the pairs of one regime: of the arms with each other, or of each with a
 * baseline that is none of them. */
static int add_family(struct score *s, enum step_regime r, int with_baseline)
{
	size_t first = s->n_pairs;
	size_t arms = s->n - (size_t)s->has_own_baseline;
	for (size_t a = 0; a < arms; a++) {
		size_t from = with_baseline ? s->baseline : a + 1;
		size_t to = with_baseline ? s->baseline + 1 : arms;
		for (size_t b = from; b < to; b++)
			if (add_pair(s, a, b, r) < 0)
				return -1;
	}
	return step_pairs_judge(s->pair + first, s->n_pairs - first);
}

static int fill_pairs(struct score *s, struct problem *p)
{
	static const enum step_regime order[] = {REGIME_ALL, REGIME_DECODE,
						 REGIME_PREFILL, REGIME_CHUNK,
						 REGIME_MIXED};
	s->pair = arrays_add(&s->arrays, N_REGIMES * (s->n * s->n + s->n),
			     sizeof *s->pair);
	int rc = s->pair ? 0 : -1;
	for (int i = 0; rc == 0 && i < N_REGIMES; i++)
		rc = add_family(s, order[i], 0);
	for (int i = 0; rc == 0 && s->has_own_baseline && i < N_REGIMES; i++)
		rc = add_family(s, order[i], 1);
	return rc < 0 ? problem_no_memory(p) : 0;
}

const struct step_pair *score_pair(const struct score *s, size_t a, size_t b,
				   enum step_regime regime)
{
	for (size_t i = 0; i < s->n_pairs; i++)
		if (s->pair[i].regime == regime &&
		    ((s->pair[i].a == a && s->pair[i].b == b) ||
		     (s->pair[i].a == b && s->pair[i].b == a)))
			return &s->pair[i];
	return NULL;
}

void score_rank(const struct score *s, size_t arm, enum step_regime r,
		const char *among, size_t rank[2])
{
	size_t nearer = 0, farther = 0, arms = 0;
	for (size_t k = 0; k < s->n - (size_t)s->has_own_baseline; k++) {
		if (among && !among[k])
			continue;
		if (k == arm) {
			arms += s->arm[k].regime[r].n > 0;
			continue;
		}
		const struct step_pair *x = score_pair(s, arm, k, r);
		if (!x)
			continue;
		arms++;
		enum pair_verdict v = x->verdict;
		nearer += v == (x->a == arm ? PAIR_SECOND : PAIR_FIRST);
		farther += v == (x->a == arm ? PAIR_FIRST : PAIR_SECOND);
	}
	rank[0] = rank[1] = 0;
	if (!s->arm[arm].regime[r].n)
		return;
	rank[0] = 1 + nearer;
	rank[1] = arms - farther;
}

int score_judge(struct score *s, struct problem *p)
{
	for (size_t k = 0; k < s->n; k++)
		if (fill_figures(s, &s->arm[k]) < 0)
			return problem_no_memory(p);
	for (size_t k = 0; k < s->n; k++)
		s->arm[k].skill = skill_of(s, &s->arm[k]);
	if (fill_pairs(s, p) < 0)
		return -1;
	for (size_t k = 0; k < s->n - (size_t)s->has_own_baseline; k++)
		for (int r = 0; r < N_REGIMES; r++)
			score_rank(s, k, (enum step_regime)r, NULL,
				   s->arm[k].rank[r]);
	return 0;
}

int score_compute(struct score *s, const struct score_options *o,
		  struct problem *p)
{
	s->margin = o->margin;
	s->repeat = repeat_of(s->set);
	return make_groups(s, p) < 0 || make_bins(s, o->by, p) < 0
		   ? -1
		   : score_judge(s, p);
}

void score_free(struct score *s)
{
	for (int r = 0; r < N_REGIMES; r++)
		step_bins_free(&s->group[r]);
	for (size_t i = 0; i < s->n_bins; i++)
		step_bins_free(&s->bins[i]);
	free(s->bins);
	arrays_free(&s->arrays);
	names_free(&s->own_tables);
	*s = (struct score){0};
}
