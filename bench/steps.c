/* steps -- what a cost model takes to price a step: eval() alone, no engine
 * around it.  Steps of N decodes, whose contexts grow and of which there are
 * now some more and now some less; every twentieth has a prompt of 512 tokens.
 * usage: steps CONFIG
 * prints: arm, nanoseconds of user time a step at 1, 16, 64 and 256 decodes */
#include <config.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "arm/arm.h"

enum { STEPS = 100000, MOST = 256, ROUNDS = 3 };

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static void step_of(sc_step *st, uint32_t *context, uint32_t i, uint32_t n)
{
	static const uint32_t tokens = 512, cached = 0;
	*st = (sc_step){.size = sizeof *st,
			.step_index = i,
			.n_decode = n - (i / 50 % 8) * n / 16,
			.n_prefill = i % 20 == 0,
			.prefill_new = &tokens,
			.prefill_ctx = &cached,
			.decode_ctx = context};
	st->n_sampled = st->n_decode + st->n_prefill;
	for (uint32_t j = 0; j < st->n_decode; j++)
		context[j] = 1000 + 7 * j + i % 2000;
}

/* The least of some rounds, without what making the steps takes; < 0: *p. */
static double ns_per_step(struct cost *c, uint32_t n, struct problem *p)
{
	uint32_t context[MOST];
	sc_step st;
	double least = 0;
	for (int round = 0; round < ROUNDS; round++) {
		double a = now();
		for (uint32_t i = 0; i < STEPS; i++) {
			step_of(&st, context, i, n);
			__asm__ volatile("" : : "r"(context) : "memory");
		}
		double b = now();
		for (uint32_t i = 0; i < STEPS; i++) {
			step_of(&st, context, i, n);
			if (!cost_eval(c, &st, p))
				return -1;
		}
		double ns = (now() - b - (b - a)) / STEPS;
		least = round == 0 || ns < least ? ns : least;
	}
	return least;
}

static int measure(const struct config *c, size_t i, struct problem *p)
{
	static const uint32_t decodes[] = {1, 16, 64, MOST};
	struct arm arm = {0};
	int rc = arm_open(&arm, c, i, NULL, NULL, p);
	if (rc == 0)
		printf("%s", c->arm[i].name);
	for (size_t k = 0; rc == 0 && k < 4; k++) {
		double ns = ns_per_step(&arm.cost, decodes[k], p);
		rc = ns < 0 ? -1 : 0;
		printf(" %.0f", ns);
	}
	puts("");
	arm_close(&arm);
	return rc;
}

int main(int argc, char **argv)
{
	struct config c;
	struct problem p;
	if (argc != 2)
		return 2;
	int rc = config_load(&c, argv[1], NULL, 0, NULL, &p);
	for (size_t i = 0; rc == 0 && i < c.n_arms; i++)
		rc = measure(&c, i, &p);
	if (rc < 0)
		fprintf(stderr, "steps: %s\n", p.text);
	config_free(&c);
	return rc < 0;
}
