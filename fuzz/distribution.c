/* distribution.c -- Any text as a distribution, or as stages; what is taken
 * draws within its limits. */
#include <stdlib.h>
#include <string.h>
#include "fuzz.h"
#include "workload/arrival.h"
#include "workload/distribution.h"

static void stages(const char *text)
{
	struct problem p;
	struct arrival a = {.process = ARRIVAL_GAMMA, .cv = 2};
	int64_t ns, before = 0;
	uint64_t most = 0;
	if (arrival_parse_stages(text, "f:1", "stages", &a.stage, &a.n_stages,
				 &p) < 0)
		return;
	for (uint32_t i = 0; i < a.n_stages; i++)
		most += arrival_stage_count(&a.stage[i]);
	arrival_start(&a, 1);
	while (most < 10000 && arrival_next(&a, &ns)) {
		if (ns < before)
			abort();
		before = ns;
	}
	free(a.stage);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char text[300];
	struct distribution d;
	struct problem p;
	struct rng r = {1};
	if (size >= sizeof text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	stages(text);
	if (!strncmp(text, "empirical:", 10) ||
	    distribution_parse(&d, text, OF_TOKENS, "f:1", "k", NULL, &p) < 0)
		return 0;
	for (int i = 0; i < 20; i++) {
		double v = distribution_draw(&d, &r);
		if (!(v >= d.min && v <= d.max) ||
		    distribution_tokens(&d, &r) < 1)
			abort();
	}
	distribution_free(&d);
	return 0;
}
