/* adapters.c -- Draws the adapters of generated requests. */
#include "workload/generate/adapters.h"
#include <math.h>
#include <stdlib.h>
#include "math/rng.h"

int generated_adapters_open(struct generated_adapters *g,
			    const struct workload_keys *k, const struct ini *c,
			    struct problem *p)
{
	double sum = 0;
	*g = (struct generated_adapters){.seed = (uint64_t)k->seed,
					 .n = (uint32_t)k->adapters};
	if (!g->n)
		return !workload_given(c, "adapter_skew")
			   ? 0
			   : problem_set(p, EXIT_USAGE,
					 "%s: adapter_skew needs adapters, "
					 "their number",
					 workload_at(c, "adapter_skew"));
	g->until = malloc(g->n * sizeof *g->until);
	if (!g->until)
		return problem_no_memory(p);
	for (uint32_t i = 0; i < g->n; i++)
		g->until[i] = sum += pow(i + 1.0, -k->adapter_skew);
	return 0;
}

uint64_t generated_adapters_draw(const struct generated_adapters *g,
				 uint64_t session)
{
	if (!g->n)
		return 0;
	struct rng r = rng_stream(g->seed, RNG_ADAPTER, session);
	double at = rng_uniform(&r) * g->until[g->n - 1];
	uint32_t from = 0, to = g->n - 1;
	while (from < to) {
		uint32_t middle = from + (to - from) / 2;
		if (at < g->until[middle])
			to = middle;
		else
			from = middle + 1;
	}
	return from + 1u;
}

void generated_adapters_free(struct generated_adapters *g)
{
	free(g->until);
	*g = (struct generated_adapters){0};
}
