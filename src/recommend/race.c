/* race.c -- Decides which configuration is simulated next, and at what rate. */
#include "recommend/race.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "jobs/pool_task.h"

/* ---- the order ---- */

/* Finds the end of the entries that belong together: of one level, and all the
 * first of their shape or none. */
static size_t end_of_part(const struct race *r, size_t first)
{
	const struct race_entry *x = &r->entry[r->order[first]];
	size_t end = first;
	while (end < r->n && r->entry[r->order[end]].level == x->level &&
	       r->entry[r->order[end]].is_first == x->is_first)
		end++;
	return end;
}

int race_begin(struct race *r, const struct race_how *how,
	       const struct race_entry *entry, size_t n, struct problem *p)
{
	*r = (struct race){.how = *how,
			   .entry = entry,
			   .n = n,
			   .best = RACE_NONE,
			   .requests = how->requests};
	r->track = calloc(n + 1, sizeof *r->track);
	r->order = calloc(n + 1, sizeof *r->order);
	if (!r->track || !r->order)
		return problem_no_memory(p);
	for (size_t i = 0; i < n; i++)
		r->order[i] = i;
	return race_sort(r->order, 0, n, entry, r->track, n) < 0
		   ? problem_no_memory(p)
		   : 0;
}

void race_free(struct race *r)
{
	free(r->track), free(r->order);
	*r = (struct race){0};
}

/* ---- waves ---- */

static double weight_of(const struct race *r, size_t entry)
{
	return r->entry[entry].weight;
}

/* The scale at which an entry is challenged: just above that at which it would
 * be as good as the best. */
static double bar(const struct race *r, size_t entry)
{
	if (r->how.measures)
		return r->how.measured_at > 0 ? r->how.measured_at : 1;
	if (r->best == RACE_NONE)
		return r->how.floor;
	return r->best_scale / weight_of(r, r->best) * weight_of(r, entry) *
	       (1 + r->how.precision);
}

static void begin_wave(struct race *r)
{
	r->n_wave = r->n_asked = r->n_answered = 0;
}

static void add_to_wave(struct race *r, enum race_ask ask, size_t entry,
			double scale)
{
	r->wave[r->n_wave++] = (struct race_question){.ask = ask,
						      .entry = (uint32_t)entry,
						      .scale = scale,
						      .requests = r->requests};
}

/* The first of those that met is searched; then the others are challenged
 * again. */
static void wave_of_met(struct race *r)
{
	size_t first = r->met[0];
	begin_wave(r);
	r->n_met--;
	memmove(r->met, r->met + 1, r->n_met * sizeof *r->met);
	add_to_wave(r, RACE_CLIMB, first, r->track[first].met);
}

static void challenge_met_again(struct race *r)
{
	begin_wave(r);
	for (unsigned i = 0; i < r->n_met; i++)
		add_to_wave(r, RACE_AT, r->met[i], bar(r, r->met[i]));
	r->n_met = 0;
}

static int is_spent(const struct race *r)
{
	return r->how.budget && r->simulations >= r->how.budget;
}

/* Begins the next part of the order if one is over.  Returns 0 if there is none
 * left to try. */
static int begin_part(struct race *r)
{
	if (r->at < r->level_end)
		return 1;
	if (r->at == r->n || is_spent(r))
		return 0;
	const struct race_entry *x = &r->entry[r->order[r->at]];
	/* The best of a lower level is what the user prefers. */
	if (r->at && r->best != RACE_NONE && x->level > r->entry[r->best].level)
		return 0;
	r->level_end = end_of_part(r, r->at);
	/* Without memory the order stays that of the points. */
	if (!x->is_first)
		(void)race_sort(r->order, r->at, r->level_end, r->entry,
				r->track, r->n);
	return 1;
}

static enum race_ask how_to_ask(const struct race *r)
{
	return r->how.measures                               ? RACE_MEASURE
	       : r->best == RACE_NONE && !(r->how.floor > 0) ? RACE_FIRST
							     : RACE_AT;
}

/* Returns 0 if the race is over. */
static int next_wave(struct race *r)
{
	enum race_ask ask = how_to_ask(r);
	unsigned most = ask == RACE_FIRST ? 1 : RACE_WAVE;
	if (r->n_met) {
		wave_of_met(r);
		return 1;
	}
	if (is_spent(r) || !begin_part(r))
		return 0;
	begin_wave(r);
	while (r->n_wave < most && r->at < r->level_end) {
		size_t entry = r->order[r->at++];
		add_to_wave(r, ask, entry, bar(r, entry));
		r->n_tried++;
	}
	return 1;
}

int race_next(struct race *r, struct race_question *q)
{
	if (r->n_answered < r->n_asked && r->n_asked == r->n_wave)
		return POOL_LATER;
	if (r->n_asked == r->n_wave && !next_wave(r))
		return POOL_NO_MORE;
	*q = r->wave[r->n_asked++];
	return POOL_NEXT;
}

/* ---- answers ---- */

static void lead(struct race *r, size_t entry, double scale)
{
	r->best = entry;
	r->best_scale = scale;
	r->n_incumbents++;
}

static int is_better(const struct race *r, size_t entry, double scale)
{
	return r->best == RACE_NONE ||
	       scale / weight_of(r, entry) >
		   r->best_scale / weight_of(r, r->best);
}

/* Notes an answer in the track of its configuration. */
static void note(struct race *r, const struct race_question *q,
		 const struct race_answer *a)
{
	struct race_track *t = &r->track[q->entry];
	t->is_too_short = a->is_too_short;
	if (a->failed) {
		t->state = RACE_FAILED;
	} else if (a->met) {
		t->state = RACE_MET;
		t->met = fmax(t->met, a->scale);
	} else {
		t->state = RACE_OUT;
		t->asked = q->scale;
		t->limited_by = a->limited_by;
	}
}

/* Takes the answers in the order of the questions, not of their arrival. */
static void settle(struct race *r)
{
	int climbed = r->wave[0].ask == RACE_CLIMB;
	for (unsigned i = 0; i < r->n_wave; i++) {
		const struct race_question *q = &r->wave[i];
		const struct race_answer *a = &r->answer[i];
		note(r, q, a);
		r->simulations += a->simulations;
		if (a->requests > r->requests)
			r->requests = a->requests;
		if (!a->met || a->failed)
			continue;
		if (q->ask == RACE_AT)
			r->met[r->n_met++] = q->entry;
		else if (is_better(r, q->entry, a->scale))
			lead(r, q->entry, a->scale);
	}
	begin_wave(r);
	if (climbed && r->n_met)
		challenge_met_again(r);
}

void race_take(struct race *r, const struct race_question *q,
	       const struct race_answer *a)
{
	for (unsigned i = 0; i < r->n_wave; i++)
		if (r->wave[i].entry == q->entry)
			r->answer[i] = *a;
	if (++r->n_answered == r->n_wave)
		settle(r);
}

size_t race_runner_up(const struct race *r)
{
	size_t best = RACE_NONE;
	double most = 0;
	for (size_t i = 0; r->best != RACE_NONE && i < r->n; i++) {
		double score = r->track[i].met / weight_of(r, i);
		if (r->entry[i].shape == r->entry[r->best].shape ||
		    r->entry[i].level > r->entry[r->best].level ||
		    !(score > most))
			continue;
		best = i;
		most = score;
	}
	return best;
}
