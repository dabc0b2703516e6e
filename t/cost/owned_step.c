/* The smallest step that still shows something. */
#include "cost/owned_step.h"
#include "tap.h"

static struct owned_step s;
static int tried, most = 100000;

/* Two decodes of 1000 and more, one of them past 5000. */
static int pair(void *user, const struct owned_step *t)
{
	int n = 0, far = 0;
	(void)user;
	for (uint32_t i = 0; i < t->n_decode; i++) {
		n += t->decode_ctx[i] >= 1000;
		far += t->decode_ctx[i] > 5000;
	}
	return ++tried > most ? -1 : n >= 2 && far;
}

/* 300 new tokens in all behind a cached one. */
static int tokens(void *user, const struct owned_step *t)
{
	uint32_t n = 0, cached = 0;
	(void)user;
	for (uint32_t i = 0; i < t->n_prefill; i++) {
		n += t->prefill_new[i];
		cached += t->prefill_ctx[i];
	}
	return n >= 300 && cached;
}

static void fill(void)
{
	s.n_prefill = 40;
	s.n_decode = 4096;
	for (uint32_t i = 0; i < 4096; i++)
		s.decode_ctx[i] = 700 + 2 * i;
	for (uint32_t i = 0; i < 40; i++) {
		s.prefill_new[i] = 64 + i;
		s.prefill_ctx[i] = i % 2 ? 512 : 0;
	}
}

int main(void)
{
	fill();
	owned_step_shrink(&s, pair, NULL);
	ok(s.n_prefill == 0 && s.n_decode == 2, "two decodes are left");
	uint32_t a = s.decode_ctx[0], b = s.decode_ctx[1];
	ok((a == 1000 && b == 5001) || (a == 5001 && b == 1000),
	   "right at the thresholds: %u and %u", a, b);
	ok(tried < 2000, "in %d trials", tried);

	fill();
	owned_step_shrink(&s, tokens, NULL);
	uint32_t sum = 0, cached = 0;
	for (uint32_t i = 0; i < s.n_prefill; i++) {
		sum += s.prefill_new[i];
		cached += s.prefill_ctx[i];
	}
	ok(s.n_decode == 0 && sum == 300 && cached == 1,
	   "%u prefills of %u tokens behind %u", s.n_prefill, sum, cached);

	fill();
	most = tried + 10;
	owned_step_shrink(&s, pair, NULL);
	ok(tried == most + 1 && pair(NULL, &s) != 0,
	   "it stops when told to, with a step that shows it");

	sc_step step = owned_step_step(&s);
	static struct owned_step copy;
	owned_step_from(&copy, &step);
	ok(copy.n_decode == s.n_decode &&
	       step.n_sampled == step.n_decode + step.n_prefill &&
	       !memcmp(copy.decode_ctx, s.decode_ctx,
		       s.n_decode * sizeof *s.decode_ctx),
	   "a copy of a step");
	return done();
}
