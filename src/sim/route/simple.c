/* simple.c -- Routers that look at no prompt: random, session. */
#include "base/hash.h"
#include "sim/route/arrivals.h"
#include "sim/route/route.h"

static uint32_t choose_random(struct route *r, const struct route_prompt *q,
			      struct route_ticket *t)
{
	(void)q, (void)t;
	return r->choice[rng_below(&r->rng, r->n_choices)];
}

const struct route_rule route_random = {.size = sizeof(struct route),
					.pick = choose_random};

/* ---- session ---- */

struct by_session {
	struct route is;
	struct arrivals arrivals;
};

static int init_session(struct route *r)
{
	return arrivals_init(&((struct by_session *)r)->arrivals, r->n,
			     r->e->router.request_stats_window_ns);
}

static void free_session(struct route *r)
{
	arrivals_free(&((struct by_session *)r)->arrivals);
}

/* Each replica draws a number for the session, and the highest has it: as on a
 * ring of hashes, sessions are spread evenly and stay where they are. */
static uint32_t home_of(const struct route *r, uint64_t session)
{
	uint32_t best = r->choice[0];
	uint64_t most = 0;
	for (uint32_t k = 0; k < r->n_choices; k++) {
		uint32_t i = r->choice[k];
		uint64_t drawn = hash_mix(hash_mix(session) + i + 1);
		if (drawn > most) {
			most = drawn;
			best = i;
		}
	}
	return best;
}

static uint32_t choose_session(struct route *r, const struct route_prompt *q,
			       struct route_ticket *t)
{
	struct by_session *s = (struct by_session *)r;
	(void)t;
	uint32_t i = q->session ? home_of(r, q->session)
				: arrivals_fewest(&s->arrivals, r->choice,
						  r->n_choices, q->now_ns);
	arrivals_add(&s->arrivals, i, q->now_ns);
	r->out_of_memory |= s->arrivals.out_of_memory;
	return i;
}

static void forget_session(struct route *r, uint32_t replica)
{
	arrivals_forget(&((struct by_session *)r)->arrivals, replica);
}

const struct route_rule route_session = {.size = sizeof(struct by_session),
					 .init = init_session,
					 .free = free_session,
					 .pick = choose_session,
					 .forget = forget_session};
