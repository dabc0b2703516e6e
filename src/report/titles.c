/* titles.c -- Names figures for people. */
#include "report/titles.h"
#include <string.h>

struct word {
	const char *name, *title;
};
static const struct word latency[] = {
    {"ttft", "TTFT"},
    {"tpot", "TPOT"},
    {"itl", "ITL"},
    {"e2el", "E2E latency"},
    {"queueing", "queueing delay"},
};
static const char *const statistic[] = {"mean", "median", "std", "p50",
					"p90",  "p95",    "p99"};
static const struct word figure[] = {
    {"duration", "duration, s"},
    {"completed", "completed requests"},
    {"rejected", "rejected requests"},
    {"unfinished", "unfinished requests"},
    {"request_throughput", "requests/s served"},
    {"request_goodput", "requests/s within the SLO"},
    {"output_throughput", "output tokens/s"},
    {"output_throughput_per_gpu", "output tokens/s per GPU"},
    {"total_token_throughput", "tokens/s, prompts and outputs"},
    {"num_steps", "steps"},
    {"mean_step_us", "step mean, µs"},
    {"prefix_cache_hit_rate", "prefix cache hit rate"},
    {"kv_cache_usage_peak", "KV cache in use, peak share"},
    {"request_rate", "requests/s"},
    {"gpus", "GPUs"},
    {"energy_per_token_j", "energy of an output token, J"},
    {"energy_per_request_j", "energy of a request, J"},
    {"gpu_usd_per_million_output_tokens",
     "GPU hours, USD per million output tokens"},
    {"energy_usd_per_million_output_tokens",
     "energy, USD per million output tokens"},
    {"gpu_power_w", "power of a GPU in its steps, W"},
    {"memory_utilization", "memory bandwidth in use, share"},
    {"compute_utilization", "FLOP rate in use, share"},
    {"output_throughput_per_user", "output tokens/s per user"},
    {"usd_per_hour", "USD per hour"},
    {"usd_per_million_output_tokens", "USD per million output tokens"},
    {"goodput", "share of requests within the SLO"},
};

/* Returns the number of characters of name before and including an underscore
 * if its first word is this one, else 0. */
static size_t begins_with(const char *name, const char *word)
{
	size_t n = strlen(word);
	return !strncmp(name, word, n) && name[n] == '_' ? n + 1 : 0;
}

/* "p99_ttft_ms", or the other way round. */
static int is_latency(char buf[TITLE_SIZE], const char *name)
{
	for (size_t i = 0; i < sizeof latency / sizeof *latency; i++)
		for (size_t k = 0; k < sizeof statistic / sizeof *statistic;
		     k++) {
			const char *first = latency[i].name;
			const char *second = statistic[k];
			size_t at = begins_with(name, first);
			if (!at) {
				first = statistic[k];
				second = latency[i].name;
				at = begins_with(name, first);
			}
			if (!at || !begins_with(name + at, second) ||
			    strcmp(strrchr(name, '_'), "_ms") != 0)
				continue;
			snprintf(buf, TITLE_SIZE, "%s %s, ms", latency[i].title,
				 statistic[k]);
			return 1;
		}
	return 0;
}

const char *title_of(char buf[TITLE_SIZE], const char *name)
{
	if (is_latency(buf, name))
		return buf;
	for (size_t i = 0; i < sizeof figure / sizeof *figure; i++)
		if (!strcmp(figure[i].name, name)) {
			snprintf(buf, TITLE_SIZE, "%s", figure[i].title);
			return buf;
		}
	snprintf(buf, TITLE_SIZE, "%s", name);
	for (char *at = buf; *at; at++)
		*at = *at == '_' ? ' ' : *at;
	return buf;
}

void title_bound(FILE *f, const char *name, double limit)
{
	char title[TITLE_SIZE];
	size_t n = strcspn(title_of(title, name), ",");
	fprintf(f, "%.*s <= %g%s", (int)n, title, limit, title[n] ? " ms" : "");
}
