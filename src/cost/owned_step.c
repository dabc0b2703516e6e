/* owned_step.c -- Copies, changes and shrinks steps. */
#include "cost/owned_step.h"
#include <stdlib.h>
#include <string.h>

sc_step owned_step_step(const struct owned_step *s)
{
	return (sc_step){.size = sizeof(sc_step),
			 .n_prefill = s->n_prefill,
			 .n_decode = s->n_decode,
			 .n_sampled = s->n_prefill + s->n_decode,
			 .prefill_new = s->prefill_new,
			 .prefill_ctx = s->prefill_ctx,
			 .decode_ctx = s->decode_ctx};
}

static uint32_t copy_column(uint32_t *to, const uint32_t *from, uint32_t n)
{
	if (n > OWNED_STEP_MOST)
		n = OWNED_STEP_MOST;
	if (n)
		memcpy(to, from, n * sizeof *to);
	return n;
}

void owned_step_from(struct owned_step *s, const sc_step *step)
{
	copy_column(s->prefill_new, step->prefill_new, step->n_prefill);
	s->n_prefill =
	    copy_column(s->prefill_ctx, step->prefill_ctx, step->n_prefill);
	s->n_decode =
	    copy_column(s->decode_ctx, step->decode_ctx, step->n_decode);
}

static void copy(struct owned_step *to, const struct owned_step *from)
{
	const sc_step step = owned_step_step(from);
	owned_step_from(to, &step);
}

struct shrink {
	/* the best step so far, which shows the fault; the trial */
	struct owned_step *best, *next;
	owned_step_fn shows;
	void *user;
	int stop;
};

/* Keeps the trial if it shows the fault.  Afterwards the trial equals the best
 * step. */
static int keep_if_shown(struct shrink *k)
{
	int shown = k->stop ? 0 : k->shows(k->user, k->next);
	k->stop |= shown < 0;
	if (shown > 0)
		copy(k->best, k->next);
	else
		copy(k->next, k->best);
	return shown > 0;
}

static void cut(uint32_t *column, uint32_t n, uint32_t at, uint32_t times)
{
	memmove(column + at, column + at + times,
		(n - at - times) * sizeof *column);
}

/* Leaves out `times` sequences wherever the step then still shows the fault. */
static int fewer(struct shrink *k, int decode, uint32_t times)
{
	uint32_t *n = decode ? &k->next->n_decode : &k->next->n_prefill;
	int any = 0;
	for (uint32_t at = 0; times && at + times <= *n && !k->stop;) {
		if (decode) {
			cut(k->next->decode_ctx, *n, at, times);
		} else {
			cut(k->next->prefill_new, *n, at, times);
			cut(k->next->prefill_ctx, *n, at, times);
		}
		*n -= times;
		if (keep_if_shown(k))
			any = 1;
		else
			at += times;
	}
	return any;
}

/* Lowers one number, or all of a column (one < 0), by bisection. */
static int lower(struct shrink *k, size_t column, int64_t one, uint32_t least)
{
	uint32_t *v[] = {k->next->prefill_new, k->next->prefill_ctx,
			 k->next->decode_ctx};
	uint32_t n = column == 2 ? k->next->n_decode : k->next->n_prefill;
	uint32_t from = one < 0 ? 0 : (uint32_t)one,
		 to = one < 0 ? n : from + 1;
	uint32_t most = 0;
	int any = 0;
	for (uint32_t i = from; i < to; i++)
		if (v[column][i] > most)
			most = v[column][i];
	if (most <= least)
		return 0;
	/* Tries the whole way first, then half of it, a quarter … */
	for (uint32_t by = most - least; by && !k->stop; by /= 2)
		for (int again = 1; again && !k->stop;) {
			int changed = 0;
			for (uint32_t i = from; i < to; i++) {
				uint32_t room = v[column][i] - least;
				uint32_t down = room < by ? room : by;
				if (v[column][i] > least) {
					v[column][i] -= down;
					changed = 1;
				}
			}
			again = changed && keep_if_shown(k);
			any |= again;
		}
	return any;
}

void owned_step_shrink(struct owned_step *s, owned_step_fn shows, void *user)
{
	/* the least that a request has */
	static const uint32_t least[] = {1, 0, 1};
	struct shrink k = {.best = s, .shows = shows, .user = user};
	int more = 1;
	k.next = malloc(sizeof *k.next);
	if (!k.next)
		return;
	copy(k.next, s);
	while (more && !k.stop) {
		more = 0;
		for (uint32_t t = s->n_prefill; t; t /= 2)
			more |= fewer(&k, 0, t);
		for (uint32_t t = s->n_decode; t; t /= 2)
			more |= fewer(&k, 1, t);
		for (size_t c = 0; c < 3; c++) {
			uint32_t n = c == 2 ? s->n_decode : s->n_prefill;
			more |= lower(&k, c, -1, least[c]);
			for (uint32_t i = 0; n <= 4 && i < n; i++)
				more |= lower(&k, c, i, least[c]);
		}
	}
	free(k.next);
}
