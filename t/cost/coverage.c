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
	coverage_add(c, &s, &r, 0);
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
	coverage_add(&c, &s, &r, 0);
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
	ok(c.n_guessed == 0, "what was measured is no guess");
	add(&c, 3, 0, 100, SC_CLAMPED, 10);
	add(&c, 3, 0, 100, SC_CLAMPED, 20);
	add(&c, 3, 2, 100, SC_CLAMPED, 25);
	add(&c, 3, 0, 100, SC_FALLBACK, 90);
	coverage_sort(&c);
	const struct guessed_shape *g = c.guessed;
	ok(c.n_guessed == 3 && g[0].provenance == SC_FALLBACK &&
	       g[0].time_us == 90 && g[1].time_us == 30 && g[1].steps == 2 &&
	       g[2].time_us == 25,
	   "guesses by shape and kind, heaviest first");
	ok(g[1].n_decode == 3 && g[1].n_prefill == 0 &&
	       g[1].max_context == 4096 && g[2].prefill_tokens == 512 &&
	       g[2].max_context == 8192,
	   "lengths are rounded up");
}

static void many(void)
{
	static struct coverage c;
	double weight = 0;
	for (uint32_t round = 0; round < 50; round++)
		for (uint32_t n = 0; n < 3; n++)
			add(&c, n + 1, 0, 100, SC_SUBSTITUTED, 100);
	/* Light ones, each of its own kind, more than there are places. */
	for (uint32_t i = 0; i < 2; i++)
		for (uint32_t n = 0; n <= 3; n++)
			for (uint32_t p = 1; p <= 2; p++)
				for (uint32_t class = SC_CLAMPED;
				     class <= SC_FALLBACK; class ++)
					add(&c, n, p, 1, class, 0.5);
	coverage_sort(&c);
	for (uint32_t i = 0; i < c.n_guessed; i++)
		weight += c.guessed[i].time_us;
	ok(c.n_guessed <= GUESSED_SHAPES && c.guessed[2].time_us == 5000 &&
	       c.guessed[3].time_us < 50,
	   "the heaviest keep their places among many");
	near(weight, 15000 + 24, 1e-12, "and no time is lost");
}

int main(void)
{
	shares();
	shapes();
	many();
	return done();
}
