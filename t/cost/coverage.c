/* How much of the time was measured, and which steps were guessed. */
#include "cost/coverage.h"
#include "tap.h"

static const uint32_t kv[] = {100, 3000, 7};
static const uint32_t new_tokens[] = {500, 12}, before[] = {0, 5000};

static sc_step step_of(uint32_t n_decode, uint32_t n_prefill)
{
	return (sc_step){.size = sizeof(sc_step),
			 .n_decode = n_decode,
			 .decode_ctx = kv,
			 .n_prefill = n_prefill,
			 .prefill_new = new_tokens,
			 .prefill_ctx = before};
}

static void add(struct coverage *c, uint32_t n_decode, uint32_t n_prefill,
		double total_us, uint32_t provenance, double lookup_us)
{
	sc_step s = step_of(n_decode, n_prefill);
	sc_result r = {.size = sizeof r, .total_us = total_us};
	r.lookups[provenance] = 2;
	r.lookup_us[provenance] = lookup_us;
	const sc_result *one = &r;
	coverage_add(c, &s, 1, &one, 0);
}

static double sum(const struct coverage *c)
{
	double all = 0;
	for (uint32_t i = 0; i < COVERAGE_CLASSES; i++)
		all += c->time_us[i];
	return all;
}

static void shares(void)
{
	static struct coverage c;
	add(&c, 1, 0, 100, SC_EXACT, 0);
	ok(c.time_us[COVERAGE_NONE] == 100 && c.total_us == 100,
	   "what no table priced is none");
	add(&c, 1, 0, 100, SC_INTERPOLATED, 60);
	ok(c.time_us[SC_INTERPOLATED] == 60 && c.time_us[COVERAGE_NONE] == 140,
	   "what is left of a step, too");
	add(&c, 1, 0, 100, SC_EXACT, 400);
	ok(c.time_us[SC_EXACT] == 100,
	   "parts that overlap take no more than the step");
	sc_step s = step_of(1, 0);
	sc_result r = {
	    .size = sizeof r, .total_us = 100, .lookup_us = {90, 0, 0, 0, 110}};
	const sc_result *one = &r;
	coverage_add(&c, &s, 1, &one, 0);
	ok(c.time_us[SC_EXACT] == 145 && c.time_us[SC_FALLBACK] == 55,
	   "and share it as they are to each other");
	ok(sum(&c) == c.total_us && c.total_us == 400,
	   "shares sum to the whole");
}

static void shapes(void)
{
	static struct coverage c;
	add(&c, 3, 0, 100, SC_EXACT, 100);
	add(&c, 3, 0, 100, SC_INTERPOLATED, 100);
	ok(c.estimates.n == 0, "what was measured is no guess");
	add(&c, 3, 0, 100, SC_CLAMPED, 10);
	add(&c, 3, 0, 100, SC_CLAMPED, 20);
	add(&c, 3, 2, 100, SC_CLAMPED, 25);
	add(&c, 3, 0, 100, SC_FALLBACK, 90);
	struct guessed_shape g[GUESSED_SHAPES];
	estimates_heaviest(&c.estimates, g);
	ok(c.estimates.n == 3 && g[0].provenance == SC_FALLBACK &&
	       g[0].time_us == 90 && g[1].time_us == 30 && g[1].steps == 2 &&
	       g[2].time_us == 25,
	   "guesses by shape and kind, heaviest first");
	ok(g[1].n_decode == 3 && g[1].n_prefill == 0 &&
	       g[1].max_context == 4096 && g[2].prefill_tokens == 512 &&
	       g[2].max_context == 8192,
	   "lengths are rounded up");
}

/* Wherever it stands among however many. */
static void longest(void)
{
	enum { MOST = 13 };
	uint32_t wrong = 0;
	for (uint32_t n = 0; n <= MOST; n++)
		for (uint32_t at = 0; at < n; at++)
			for (uint32_t prompts = 0; prompts <= 5; prompts++) {
				uint32_t ctx[MOST], cached[5], fresh[5];
				struct coverage c = {0};
				for (uint32_t i = 0; i < n; i++)
					ctx[i] = i == at ? 3000 : 1 + i;
				for (uint32_t i = 0; i < 5; i++) {
					cached[i] = 70;
					fresh[i] = 1;
				}
				sc_step s = step_of(n, prompts);
				s.decode_ctx = ctx;
				s.prefill_ctx = cached;
				s.prefill_new = fresh;
				sc_result r = {.size = sizeof r,
					       .total_us = 1,
					       .lookup_us = {0, 0, 1}};
				const sc_result *one = &r;
				coverage_add(&c, &s, 1, &one, 0);
				wrong +=
				    c.estimates.shape[0].max_context != 4096;
			}
	ok(wrong == 0, "%u times another context is the longest", wrong);
}

static int same(const struct coverage *a, const struct coverage *b)
{
	struct guessed_shape x[GUESSED_SHAPES], y[GUESSED_SHAPES];
	estimates_heaviest(&a->estimates, x);
	estimates_heaviest(&b->estimates, y);
	return a->total_us == b->total_us && a->estimates.n == b->estimates.n &&
	       !memcmp(a->time_us, b->time_us, sizeof a->time_us) &&
	       !memcmp(x, y, a->estimates.n * sizeof *x);
}

/* Steps that follow each other, told at once or one by one. */
static void runs(void)
{
	static struct coverage together, alone;
	enum { N = 9, RUNS = 300 };
	int as_before = 1;
	for (uint32_t run = 0; run < RUNS; run++) {
		uint32_t ctx[N][3], n_decode = run % 4;
		sc_result r[N];
		const sc_result *all[N];
		sc_step s[N];
		for (uint32_t i = 0; i < N; i++) {
			for (uint32_t k = 0; k < 3; k++)
				ctx[i][k] = 1000 + 7 * run + 100 * k + i;
			s[i] = step_of(n_decode, 0);
			s[i].decode_ctx = ctx[i];
			r[i] = (sc_result){.size = sizeof *r,
					   .total_us = 10 + run % 17 + i};
			for (uint32_t k = SC_EXACT; k <= SC_FALLBACK; k++)
				if ((run + i / 2 + k) % 3 == 0)
					r[i].lookup_us[k] = 1 + k + i;
			all[i] = &r[i];
			coverage_add(&alone, &s[i], 1, &all[i], run % 3);
		}
		coverage_add(&together, s, N, all, run % 3);
		as_before = as_before && same(&together, &alone);
	}
	ok(as_before && together.estimates.n == GUESSED_SHAPES,
	   "a run of steps adds what its steps add");
}

int main(void)
{
	shares();
	shapes();
	longest();
	runs();
	return done();
}
