/* distribution.c -- Any text as a distribution, or as stages; after a line
 * "empirical", any bytes as its file.  If it is accepted, its draws are within
 * its limits, and arrivals do not go back. */
#include <stdlib.h>
#include <string.h>
#include "fuzz.h"
#include "workload/arrival.h"
#include "workload/distribution.h"

enum { MOST_ARRIVALS = 2000 };

static void arrivals(struct arrival *a)
{
	int64_t ns, before = 0;
	arrival_start(a, 1);
	for (int i = 0; i < MOST_ARRIVALS && arrival_next(a, &ns) == 1; i++) {
		if (ns < before)
			abort();
		before = ns;
	}
}

/* Stages by each process, and it alone at the rate of the first. */
static void stages(const char *text)
{
	struct problem p;
	struct arrival a = {.cv = 2, .burst = 3};
	uint64_t most = 0;
	if (arrival_parse_stages(text, "f:1", "stages", &a.stage, &a.n_stages,
				 &p) < 0)
		return;
	for (uint32_t i = 0; i < a.n_stages; i++)
		most += arrival_stage_count(&a.stage[i]);
	for (int k = ARRIVAL_POISSON; k <= ARRIVAL_DIURNAL; k++) {
		struct arrival alone = {.process = (enum arrival_process)k,
					.rate = a.stage[0].rate,
					.cv = 2,
					.burst = 3,
					.peak_to_trough = 3,
					.period_ns = 60000000000,
					.on_ns = 1000000000,
					.off_ns = 1000000000};
		a.process = (enum arrival_process)k;
		if (most < 5 * MOST_ARRIVALS)
			arrivals(&a);
		if (alone.rate > 0)
			arrivals(&alone);
	}
	free(a.stage);
}

static void draw(const char *text)
{
	struct distribution d;
	struct problem p;
	struct rng r = {1};
	if (distribution_parse(&d, text, OF_TOKENS, "f:1", "k", NULL, &p) < 0)
		return;
	for (int i = 0; i < 20; i++) {
		double v = distribution_draw(&d, &r);
		if (!(v >= d.min && v <= d.max) ||
		    distribution_tokens(&d, &r) < 1)
			abort();
	}
	distribution_free(&d);
}

static void of_file(const uint8_t *data, size_t size)
{
	char text[100];
	snprintf(text, sizeof text, "empirical:%s", fuzz_file(data, size));
	draw(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char empirical[] = "empirical\n";
	size_t n = sizeof empirical - 1;
	if (size >= n && memcmp(data, empirical, n) == 0) {
		of_file(data + n, size - n);
		return 0;
	}
	char *text = fuzz_text(data, size, 300);
	if (text && strncmp(text, empirical, n - 1) != 0) {
		stages(text);
		draw(text);
	}
	free(text);
	return 0;
}
