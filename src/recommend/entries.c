/* entries.c -- Makes entries of a race from a survey. */
#include "recommend/entries.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "base/hash.h"
#include "base/map64.h"
#include "base/number.h"

/* ---- reasons and warnings ---- */

/* Hashes the letters: numbers differ from configuration to configuration. */
static uint64_t hash_words(const char *text)
{
	uint64_t h = HASH_BEGIN;
	for (; *text; text++)
		if (isalpha((unsigned char)*text))
			h = hash_on(h, text, 1);
	return h;
}

static uint64_t hash_text(const char *text)
{
	return hash_on(HASH_BEGIN, text, strlen(text));
}

static int is_after(const struct recommend_reason *a,
		    const struct recommend_reason *b)
{
	return a->point != b->point ? a->point > b->point : a->words > b->words;
}

/* Answers come in any order; a list is in the order of configurations. */
static void move_up(struct recommend_reasons *l, size_t i)
{
	for (; i > 0 && is_after(&l->item[i - 1], &l->item[i]); i--) {
		struct recommend_reason r = l->item[i];
		l->item[i] = l->item[i - 1];
		l->item[i - 1] = r;
	}
}

/* Returns the item with these words, which may be new, or NULL. */
static struct recommend_reason *reason_of(struct recommend_reasons *l,
					  uint64_t words)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->item[i].words == words)
			return &l->item[i];
	struct recommend_reason *more =
	    realloc(l->item, (l->n + 1) * sizeof *more);
	if (!more)
		return NULL;
	l->item = more;
	more += l->n++;
	*more = (struct recommend_reason){.words = words};
	return more;
}

/* words: the hash of what counts as the same text. */
static int add(struct recommend_reasons *l, uint64_t words, size_t point,
	       const char *says, int is_failure, struct problem *p)
{
	struct recommend_reason *r = reason_of(l, words);
	if (!r)
		return problem_no_memory(p);
	if (!r->n++ || point < r->point) {
		free(r->example);
		r->example = strdup(says);
		r->point = point;
		r->is_failure = is_failure;
	}
	if (!r->example)
		return problem_no_memory(p);
	move_up(l, (size_t)(r - l->item));
	return 0;
}

int entries_refuse(struct recommend_arm *a, size_t point, const char *says,
		   int is_failure, struct problem *p)
{
	a->failures += is_failure != 0;
	return add(&a->reasons, hash_words(says), point, says, is_failure, p);
}

int entries_warn(struct recommend_arm *a, size_t point, const char *says,
		 struct problem *p)
{
	return add(&a->warnings, hash_text(says), point, says, 0, p);
}

void entries_free_reasons(struct recommend_reasons *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->item[i].example);
	free(l->item);
	*l = (struct recommend_reasons){0};
}

/* ---- shapes ---- */

static int is_limit(const char *key)
{
	return domain_is_limit(key, DOMAIN_TOKENS) ||
	       domain_is_limit(key, DOMAIN_SEQS);
}

/* Equal for points that differ in limits of a step alone. */
static uint64_t shape_of(const struct plan *l, size_t point)
{
	uint64_t h = HASH_BEGIN;
	for (size_t a = 0; a < l->n_axes; a++) {
		const char *value = plan_value(l, point, a);
		if (!is_limit(l->axis[a].name))
			h = hash_on(h, value, strlen(value) + 1);
	}
	return h;
}

/* The value of a limit at a point; 0: the plan does not have it. */
static int64_t limit_at(const struct plan *l, size_t point, int which)
{
	int64_t v = 0;
	for (size_t a = 0; a < l->n_axes; a++)
		if (domain_is_limit(l->axis[a].name, which))
			number_parse_whole(plan_value(l, point, a), &v);
	return v;
}

static int has_defaults(const struct recommend *r, size_t point)
{
	const struct plan *l = &r->sweep.plan;
	int64_t tokens = limit_at(l, point, DOMAIN_TOKENS);
	int64_t seqs = limit_at(l, point, DOMAIN_SEQS);
	return (!tokens || tokens == r->default_limit[0]) &&
	       (!seqs || seqs == r->default_limit[1]);
}

/* Returns 1 if a shape is tried with the limits of point a before those of
 * b. */
static int is_before(const struct recommend *r, size_t a, size_t b)
{
	const struct plan *l = &r->sweep.plan;
	int of_a = has_defaults(r, a), of_b = has_defaults(r, b);
	int64_t more =
	    limit_at(l, a, DOMAIN_TOKENS) - limit_at(l, b, DOMAIN_TOKENS);
	if (of_a != of_b)
		return of_a;
	if (!more)
		more =
		    limit_at(l, a, DOMAIN_SEQS) - limit_at(l, b, DOMAIN_SEQS);
	return more > 0;
}

static int mark_first(const struct recommend *r, struct recommend_arm *a,
		      struct problem *p)
{
	struct map64 first = {0}; /* shape -> index of an entry               */
	int rc = 0;
	for (size_t i = 0; rc == 0 && i < a->n; i++) {
		int is_new;
		uint64_t *at = map64_at(&first, a->entry[i].shape, &is_new);
		if (!at)
			rc = problem_no_memory(p);
		else if (is_new ||
			 is_before(r, a->entry[i].point, a->entry[*at].point))
			*at = i;
	}
	for (size_t i = 0; rc == 0 && i < a->n; i++)
		a->entry[i].is_first =
		    *map64_at(&first, a->entry[i].shape, NULL) == i;
	map64_free(&first);
	return rc;
}

/* ---- entries ---- */

static double price(const struct work_survey *s)
{
	return s->usd_per_hour > 0 ? s->usd_per_hour : 1;
}

static double weight_of(const struct recommend *r, const struct work_survey *s)
{
	if (r->from->rate > 0)
		return 1;
	return r->objective == OBJECTIVE_USD    ? price(s)
	       : r->objective == OBJECTIVE_GPUS ? s->gpus
						: 1;
}

/* With a rate to serve what takes less comes first. */
static double level_of(const struct recommend *r, const struct work_survey *s)
{
	if (!(r->from->rate > 0))
		return 0;
	return r->objective == OBJECTIVE_USD    ? price(s)
	       : r->objective == OBJECTIVE_GPUS ? s->gpus
						: 0;
}

int entries_make(const struct recommend *r, struct recommend_arm *a,
		 struct problem *p)
{
	const struct plan *l = &r->sweep.plan;
	a->entry = calloc(l->n_points + 1, sizeof *a->entry);
	if (!a->entry)
		return problem_no_memory(p);
	for (size_t i = 0; i < l->n_points; i++) {
		const struct work_survey *s = &a->survey[i];
		if (!s->gpus)
			continue;
		a->entry[a->n++] =
		    (struct race_entry){.point = i,
					.shape = shape_of(l, i),
					.room = s->kv_tokens,
					.weight = weight_of(r, s),
					.level = level_of(r, s)};
	}
	return mark_first(r, a, p);
}
