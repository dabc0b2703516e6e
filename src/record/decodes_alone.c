/* decodes_alone.c -- Prices steps without their prompts. */
#include "record/decodes_alone.h"
#include "base/whole.h"
#include "engine/engine.h"

/* The step of all ranks: what it costs, and what it decodes. */
struct together {
	const struct engine *e;
	int64_t price_ns;
	uint32_t n_prefill, n_decoding; /* prompts; ranks that decode */
	uint32_t tokens, most; /* decoded, dummies included; by one rank */
};

static uint32_t decode_tokens(const sc_step *s)
{
	uint32_t n = 0;
	if (!s->decode_new)
		return s->n_decode;
	for (uint32_t i = 0; i < s->n_decode; i++)
		n += s->decode_new[i];
	return n;
}

/* Returns the time that the engine waits for a price. */
static int64_t waits_ns(const struct engine *e, const sc_result *r)
{
	double hidden = e->async_scheduling && r->host_us > 0 ? r->host_us : 0;
	return whole_round(1e3 * (r->total_us - hidden));
}

/* Sums up the parts of one step, one a rank, from the log's entries in [from,
 * end).  A rank in lockstep without requests computes one dummy token. */
static struct together add_up(const struct engine *e, const struct steplog *l,
			      size_t from, size_t end)
{
	struct together t = {.e = e};
	struct logged_step s;
	uint32_t dummy = 1 + e->speculation.drafts;
	for (size_t at = from; at < end && steplog_next_step(l, &at, &s);) {
		uint32_t tokens = decode_tokens(&s.step);
		int64_t ns = waits_ns(e, &s.result);
		t.price_ns = ns > t.price_ns ? ns : t.price_ns;
		t.n_prefill += s.step.n_prefill;
		t.n_decoding += tokens > 0;
		t.tokens += tokens;
		t.most = tokens > t.most ? tokens : t.most;
	}
	if (e->lockstep_ranks > t.n_decoding) {
		t.tokens += (e->lockstep_ranks - t.n_decoding) * dummy;
		t.most = t.most > dummy ? t.most : dummy;
	}
	return t;
}

/* Takes the prompts out of the part of one rank. */
static void drop_prompts(sc_step *s, const struct together *t)
{
	for (uint32_t i = 0; i < s->n_prefill; i++)
		s->n_sampled -= s->prefill_last[i] != 0;
	s->n_prefill = 0;
	s->flags &= ~(uint32_t)SC_STEP_GRAPH;
	if (t->most <= t->e->graph_max_tokens)
		s->flags |= SC_STEP_GRAPH;
	if (!s->dp_tokens)
		return;
	s->dp_tokens = t->tokens;
	s->dp_max_tokens = engine_padded_tokens(t->e, t->most);
}

int decodes_alone(struct prompt_share *share, const struct engine *e,
		  struct cost *cost, const struct steplog *l, size_t from,
		  size_t end, struct problem *p)
{
	struct together t = add_up(e, l, from, end);
	struct logged_step s;
	int64_t alone_ns = 0;
	*share = (struct prompt_share){.price_ns = t.price_ns};
	if (!t.n_prefill || !t.n_decoding)
		return 0;
	for (size_t at = from; at < end && steplog_next_step(l, &at, &s);) {
		if (s.step.n_decode == 0)
			continue;
		drop_prompts(&s.step, &t);
		const sc_result *r = cost_eval(cost, &s.step, p);
		if (!r)
			return -1;
		int64_t ns = waits_ns(e, r);
		alone_ns = ns > alone_ns ? ns : alone_ns;
	}
	if (alone_ns < t.price_ns)
		share->added_ns = t.price_ns - (alone_ns > 0 ? alone_ns : 0);
	return 0;
}

int64_t prompt_share_of(const struct prompt_share *share, int64_t ns)
{
	if (share->added_ns <= 0)
		return 0;
	/* Whole numbers: the product may have more than 64 bits. */
	return (int64_t)((__int128)ns * share->added_ns / share->price_ns);
}
