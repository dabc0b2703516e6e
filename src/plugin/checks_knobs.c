/* checks_knobs.c -- Checks that knobs act where they say so. */
#include "plugin/checks_knobs.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "keys/keys.h"
#include "keys/when.h"

/* A knob under check, and a copy of the block that is changed. */
struct tried {
	struct subject *s;
	const sc_knob *knob;
	struct when_of of; /* of.block is `block` */
	char *block;
	/* 1: in some state of the other knobs its condition held; its value
	 * changed a price. */
	int holds, acts;
};

static void *field(const struct tried *t, const sc_knob *k)
{
	return t->block + k->offset;
}

static int64_t n_choices(const sc_knob *k)
{
	int64_t n = 0;
	if (k->type == SC_KNOB_BOOL)
		return 2;
	while (k->type == SC_KNOB_CHOICE && k->choices[n])
		n++;
	return n;
}

/* Returns another value in the range of a number. */
static double other_number(const sc_knob *k, double v)
{
	double half = v / 2, more = k->max < 1e3 ? (v + k->max) / 2 : v + 7;
	return half < v && half >= k->min ? half : fmin(more, k->max);
}

/* Gives the knob another value.  Returns 0 if it has none. */
static int change(const struct tried *t)
{
	static const double edge[] = {2000, 9000};
	static const sc_numbers edges = {sizeof edges, 2, edge};
	static const char *const text = "another";
	static const sc_numbers *const numbers = &edges;
	const sc_knob *k = t->knob;
	int64_t n, choices = n_choices(k);
	double v, other;
	memcpy(&n, field(t, k), sizeof n);
	memcpy(&v, field(t, k), sizeof v);
	switch (k->type) {
	case SC_KNOB_DOUBLE:
		other = other_number(k, v);
		memcpy(field(t, k), &other, sizeof other);
		return other < v || other > v;
	case SC_KNOB_INT:
		n = (int64_t)other_number(k, (double)n);
		memcpy(field(t, k), &n, sizeof n);
		return 1;
	case SC_KNOB_TEXT:
		memcpy(field(t, k), &text, sizeof(char *));
		return 1;
	case SC_KNOB_NUMBERS:
		memcpy(field(t, k), &numbers, sizeof(void *));
		return 1;
	default:
		n = (n + 1) % choices;
		memcpy(field(t, k), &n, sizeof n);
		return choices > 1;
	}
}

/* Asks all steps under the block.  NULL with *refused = 1: create() refuses the
 * state. */
static sc_result *answers(const struct tried *t, int *refused,
			  struct problem *p)
{
	struct subject s = *t->s;
	struct cost c;
	s.knobs = t->block;
	*refused = subject_create(&s, &c, p) < 0;
	if (*refused)
		return NULL;
	sc_result *r = subject_ask_all(&s, &c, p);
	subject_destroy(&s, &c);
	return r;
}

/* Compares answers in the block's state with and without another value. */
static int compare(struct tried *t, int holds, const sc_result *was,
		   const sc_result *is, struct problem *p)
{
	struct problem why;
	char state[WHEN_STATE];
	for (size_t i = 0; i < t->s->steps->n; i++) {
		if (answers_compare(&was[i], &is[i], &why) == 0)
			continue;
		t->acts = 1;
		if (holds)
			return 0;
		subject_note_step(t->s, &t->s->steps->item[i].step);
		when_state(state, knob_when(t->knob), &t->of);
		return problem_set(p, EXIT_SAYS_NO,
				   "%s has an effect with %s, though its "
				   "condition is '%s': %s",
				   t->knob->name, state, knob_when(t->knob),
				   why.text);
	}
	return 0;
}

static int try_state(struct tried *t, struct problem *p)
{
	char kept[8];
	int refused, holds = when_holds(knob_when(t->knob), &t->of), rc = 0;
	sc_result *was = answers(t, &refused, p), *is = NULL;
	if (!was)
		return refused ? 0 : -1;
	t->holds |= holds;
	memcpy(kept, field(t, t->knob), sizeof kept);
	if (change(t)) {
		is = answers(t, &refused, p);
		rc = is || refused ? 0 : -1;
	}
	memcpy(field(t, t->knob), kept, sizeof kept);
	if (is)
		rc = compare(t, holds, was, is, p);
	free(was);
	free(is);
	return rc;
}

/* The state of the block, and those with one value of a choice that the
 * condition asks for. */
static int try_states(struct tried *t, struct problem *p)
{
	int rc = try_state(t, p);
	for (uint32_t i = 0; rc == 0 && i < t->of.n; i++) {
		const sc_knob *k = t->of.knob[i];
		int64_t kept;
		if (!when_asks(knob_when(t->knob), k->name))
			continue;
		memcpy(&kept, field(t, k), sizeof kept);
		for (int64_t n = 0; rc == 0 && n < n_choices(k); n++) {
			memcpy(field(t, k), &n, sizeof n);
			if (n != kept)
				rc = try_state(t, p);
		}
		memcpy(field(t, k), &kept, sizeof kept);
	}
	return rc;
}

int check_knobs_act(struct subject *s, struct problem *p)
{
	const sc_plugin *d = &s->plugin->p;
	char *block = malloc(d->knob_block + (size_t)1);
	int rc = block ? 0 : problem_no_memory(p);
	for (uint32_t i = 0; rc == 0 && i < d->n_knobs; i++) {
		struct tried t = {.s = s,
				  .knob = d->knob[i],
				  .of = {d->knob, d->n_knobs, block},
				  .block = block};
		if (!knob_when(t.knob))
			continue;
		memcpy(block, s->knobs, d->knob_block);
		rc = try_states(&t, p);
		if (rc == 0 && t.holds && !t.acts)
			fprintf(s->notes,
				"%s changes no price of these steps\n",
				t.knob->name);
	}
	free(block);
	return rc;
}
