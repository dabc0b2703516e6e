/* steps -- The time in which a cost model prices a step: eval() alone, no
 * engine around it.  Steps have about N decodes, with contexts that grow; every
 * twentieth has a prompt of 512 tokens.  All arms of all configurations take
 * turns in short rounds, and the quickest round counts, because the other work
 * of the machine slows all of them alike.
 * usage: steps CONFIG...
 * prints: config, arm, nanoseconds of user time a step at 1, 16, 64 and 256
 * decodes */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "arm/arm.h"

enum { STEPS = 2000, MOST = 256, ROUNDS = 200, ARMS = 16, CONFIGS = 4 };
static const uint32_t decodes[] = {1, 16, 64, MOST};
enum { N = sizeof decodes / sizeof *decodes };

struct timed {
	const char *config, *name;
	struct arm arm;
	double ns[N]; /* of a round */
};

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

/* A round's time; c NULL: of making the steps; < 0: *p. */
static double round_ns(struct cost *c, uint32_t n, struct problem *p)
{
	uint32_t context[MOST];
	sc_step st;
	double start = now();
	for (uint32_t i = 0; i < STEPS; i++) {
		step_of(&st, context, i, n);
		__asm__ volatile("" : : "r"(context) : "memory");
		if (c && !cost_eval(c, &st, p))
			return -1;
	}
	return now() - start;
}

/* All arms at decodes[k], less what making the steps takes. */
static int measure(struct timed *t, size_t n_arms, size_t k, struct problem *p)
{
	double none = INFINITY;
	for (int round = 0; round < ROUNDS; round++) {
		none = fmin(none, round_ns(NULL, decodes[k], p));
		for (size_t i = 0; i < n_arms; i++) {
			double ns = round_ns(&t[i].arm.cost, decodes[k], p);
			if (ns < 0)
				return -1;
			if (round == 0 || ns < t[i].ns[k])
				t[i].ns[k] = ns;
		}
	}
	for (size_t i = 0; i < n_arms; i++)
		t[i].ns[k] -= none;
	return 0;
}

static int open_arms(const struct config *c, const char *name, struct timed *t,
		     size_t *n_arms, struct problem *p)
{
	for (size_t i = 0; i < c->n_arms && *n_arms < ARMS; i++) {
		if (arm_open(&t[*n_arms].arm, c, i, NULL, NULL, p) < 0)
			return -1;
		t[*n_arms].config = name;
		t[(*n_arms)++].name = c->arm[i].name;
	}
	return 0;
}

static void print(const struct timed *t)
{
	const char *slash = strrchr(t->config, '/');
	const char *name = slash ? slash + 1 : t->config;
	printf("%.*s %s", (int)strcspn(name, "."), name, t->name);
	for (int k = 0; k < N; k++)
		printf(" %.0f", t->ns[k] / STEPS);
	puts("");
}

int main(int argc, char **argv)
{
	static struct config c[CONFIGS];
	static struct timed t[ARMS];
	struct problem p;
	size_t n_arms = 0;
	int rc = 0;
	if (argc < 2 || argc > CONFIGS + 1)
		return 2;
	for (int i = 1; i < argc && rc == 0; i++) {
		rc = config_load(&c[i - 1], argv[i], NULL, 0, NULL, &p);
		if (rc == 0)
			rc = open_arms(&c[i - 1], argv[i], t, &n_arms, &p);
	}
	for (size_t k = 0; k < N && rc == 0; k++)
		rc = measure(t, n_arms, k, &p);
	for (size_t i = 0; i < n_arms && rc == 0; i++)
		print(&t[i]);
	if (rc < 0)
		fprintf(stderr, "steps: %s\n", p.text);
	for (size_t i = 0; i < n_arms; i++)
		arm_close(&t[i].arm);
	for (int i = 0; i < CONFIGS; i++)
		config_free(&c[i]);
	return rc < 0;
}
