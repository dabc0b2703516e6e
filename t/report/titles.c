/* Names of figures for people: the quantity, the statistic, the unit. */
#include <string.h>
#include "record/metrics.h"
#include "report/titles.h"
#include "rendered.h"
#include "tap.h"

static void named(const char *name, const char *title)
{
	char buf[TITLE_SIZE];
	is(title_of(buf, name), title, "%s", name);
}

/* A latency of a new name or a new percentile has words of its own. */
static void every_latency(void)
{
	char buf[TITLE_SIZE];
	for (size_t i = 0; i < n_metrics; i++) {
		const char *unit = strstr(metric[i].name, "_ms");
		if (metric[i].tail && unit && !unit[3])
			ok(strstr(title_of(buf, metric[i].name), ", ms") !=
			       NULL,
			   "%s: %s", metric[i].name, buf);
	}
}

int main(void)
{
	named("p99_ttft_ms", "TTFT p99, ms");
	named("ttft_p99_ms", "TTFT p99, ms");
	named("mean_e2el_ms", "E2E latency mean, ms");
	named("median_queueing_ms", "queueing delay median, ms");
	named("output_throughput", "output tokens/s");
	named("usd_per_million_output_tokens", "USD per million output tokens");
	named("kv_blocks_peak", "kv blocks peak");
	named("mean_transfer_ms", "mean transfer ms");
	named("", "");
	every_latency();
	title_bound(rendered_begin(), "ttft_p99_ms", 500);
	is(rendered_end(), "TTFT p99 <= 500 ms", "a bound");
	title_bound(rendered_begin(), "goodput", 0.95);
	is(rendered_end(), "share of requests within the SLO <= 0.95",
	   "a bound without a unit");
	return done();
}
