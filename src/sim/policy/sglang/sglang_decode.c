/* sglang_decode.c -- Decodes, and retracts requests where memory is short. */
#include "sim/policy/sglang/sglang_decode.h"
#include "sim/policy/sglang/sglang_pages.h"

enum { RETRACT_STEPS = 20 }; /* future decodes assumed after a retraction */

void sglang_drop_ended(struct sglang *s)
{
	uint32_t n = 0;
	for (uint32_t k = 0; k < s->n; k++)
		if (s->running[k] != NO_SEQUENCE)
			s->running[n++] = s->running[k];
	s->n = n;
}

/* ---- memory ---- */

static int begins_page(const struct sglang *s, const struct sequence *q)
{
	return q->progress.computed == q->radix.pages * sglang_page(s);
}

/* Returns how many new pages begin if these requests make a token. */
static int64_t pages_begun(const struct sglang *s, const uint32_t *of,
			   uint32_t n)
{
	int64_t pages = 0;
	for (uint32_t k = 0; k < n; k++)
		pages += begins_page(s, scheduler_sequence(&s->is, of[k]));
	return pages;
}

/* Returns how many pages 0.5.6 takes for them: it counts the tokens that it
 * knows. */
static int64_t pages_counted(const struct sglang *s, const uint32_t *of,
			     uint32_t n)
{
	uint32_t ahead = s->is.e->async_scheduling ? 0 : 1;
	int64_t pages = 0;
	for (uint32_t k = 0; k < n; k++)
		pages += (scheduler_sequence(&s->is, of[k])->progress.known -
			  ahead) %
			     sglang_page(s) ==
			 0;
	return pages;
}

/* Makes room for their tokens.  Returns 0 if there is too little.  Where 0.5.6
 * would count wrong and die, memory is too little, too. */
static int suffices(struct sglang *s, const uint32_t *of, uint32_t n)
{
	int64_t begun = pages_begun(s, of, n), pages = begun;
	if (s->is_old && sglang_page(s) > 1)
		pages = pages_counted(s, of, n);
	sglang_make_room(s, (uint64_t)pages * sglang_page(s));
	return sglang_is_free(s, pages) && begun <= sglang_pages_left(s);
}

static void decode_all(struct sglang *s)
{
	sglang_make_room(s, (uint64_t)s->n * sglang_page(s));
	for (uint32_t k = 0; k < s->n; k++) {
		uint32_t i = s->running[k];
		struct sequence *q = scheduler_sequence(&s->is, i);
		if (begins_page(s, q))
			sglang_take(s, q, 1);
		members_add(&s->members, &s->is, i, 1, 0);
	}
}

/* ---- retraction ---- */

/* Returns 1 if a gives way before b: it has made fewer tokens, or its prompt is
 * longer. */
static int gives_way(const struct sequence *a, const struct sequence *b)
{
	uint32_t x = a->progress.known - a->request.input_tokens;
	uint32_t y = b->progress.known - b->request.input_tokens;
	if (x != y)
		return x < y;
	return a->request.input_tokens > b->request.input_tokens;
}

/* Orders running requests, the first to give way at the end; equal ones stay in
 * order. */
static void rank_running(struct sglang *s)
{
	for (uint32_t k = 1; k < s->n; k++) {
		uint32_t i = s->running[k], at = k;
		const struct sequence *q = scheduler_sequence(&s->is, i);
		for (; at > 0 &&
		       gives_way(scheduler_sequence(&s->is, s->running[at - 1]),
				 q);
		     at--)
			s->running[at] = s->running[at - 1];
		s->running[at] = i;
	}
}

void sglang_retract(struct sglang *s, uint32_t i, uint32_t others)
{
	struct sequence *q = scheduler_sequence(&s->is, i);
	sglang_give_back(s, q);
	q->radix.looked_prefix = 0;
	members_forget(&s->members, &s->is, i);
	members_put_back(&s->is, i);
	sglang_make_room(s, (uint64_t)RETRACT_STEPS * others);
}

void sglang_wait(struct sglang *s, uint32_t i)
{
	scheduler_sequence(&s->is, i)->radix.entry = 0;
	scheduler_push(&s->is, &s->is.waiting, i);
}

/* The last running request has no room, because a prompt in progress has all:
 * SGLang ends it with an error. */
static void give_up(struct sglang *s)
{
	uint32_t i = s->running[--s->n];
	struct sequence *q = scheduler_sequence(&s->is, i);
	sglang_give_back(s, q);
	members_forget(&s->members, &s->is, i);
	q->generated = q->progress.known - q->request.input_tokens;
	q->is_unschedulable = 1;
	s->is.given_up = i;
}

/* Sets the share as if each remaining request made RETRACT_STEPS more
 * tokens. */
static void raise_share(struct sglang *s)
{
	uint64_t made = (uint64_t)RETRACT_STEPS * s->n, most = 1;
	for (uint32_t k = 0; k < s->n; k++) {
		const struct sequence *q =
		    scheduler_sequence(&s->is, s->running[k]);
		made += q->progress.known - q->request.input_tokens;
		most += request_planned(&q->request);
	}
	s->share = (double)made / (double)most;
	if (s->share > 1)
		s->share = 1;
}

/* At least one stays, and one goes if there are two. */
static void retract(struct sglang *s)
{
	rank_running(s);
	int is_short = 1;
	while (s->n > 1 && is_short) {
		uint32_t i = s->running[--s->n];
		sglang_retract(s, i, s->n);
		sglang_wait(s, i);
		is_short = !suffices(s, s->running, s->n);
	}
	if (is_short && !suffices(s, s->running, s->n))
		give_up(s);
	raise_share(s);
}

/* ---- steps ---- */

void sglang_decode(struct sglang *s)
{
	uint32_t before = s->n;
	sglang_drop_ended(s);
	if (s->n && suffices(s, s->running, s->n)) {
		double next = s->share - s->fall;
		s->share = next > s->least_share ? next : s->least_share;
	} else if (s->n) {
		retract(s);
	}
	if (s->n < before)
		s->is_full = 0;
	decode_all(s);
}

void sglang_mix(struct sglang *s)
{
	uint32_t n = s->n, live = 0;
	int64_t pages = 0;
	for (uint32_t k = 0; k < n; k++) {
		const struct sequence *q = sglang_at(s, s->running[k]);
		pages += q && begins_page(s, q);
		live += q != NULL;
	}
	/* SGLang does not ask, and dies. */
	if (live && pages > sglang_pages_left(s))
		return;
	sglang_drop_ended(s);
	decode_all(s);
	for (uint32_t k = 0; k < s->n; k++) {
		struct sequence *q = scheduler_sequence(&s->is, s->running[k]);
		q->radix.end = q->progress.known;
	}
	s->n = 0;
}
