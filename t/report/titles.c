/* Names of figures for people: the quantity, the statistic, the unit. */
#include "report/titles.h"
#include "tap.h"

static void named(const char *name, const char *title)
{
	char buf[TITLE_SIZE];
	is(title_of(buf, name), title, "%s", name);
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
	return done();
}
