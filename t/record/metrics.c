/* The metrics of a run: each is a figure of the outcome, or does not apply. */
#include "record/metrics.h"
#include <math.h>
#include "engine/engine.h"
#include "tap.h"

static struct outcome o;

static double value(const char *name)
{
	const struct metric *m = metric_find(name);
	if (!m)
		bail_out(name);
	return metric_value(m, &o);
}

static void is_value(const char *name, double want)
{
	double got = value(name);
	int same = isnan(want) ? isnan(got) : fabs(got - want) < 1e-9;
	ok(same, "%s is %g", name, got);
}

/* Ten seconds, in which 4 of 6 requests were completed. */
static void begin(void)
{
	o = (struct outcome){.first_arrival_ns = 2000000000,
			     .last_token_ns = 12000000000,
			     .requests = 6,
			     .completed = 4,
			     .rejected = 1,
			     .unfinished = 1,
			     .total_input_tokens = 300,
			     .total_output_tokens = 50,
			     .num_steps = 20,
			     .total_us = 5000,
			     .replicas = 2,
			     .stages = 1,
			     .kv_blocks = ENGINE_UNLIMITED,
			     .busy_ns = 8000000000};
}

static void rates(void)
{
	begin();
	is_value("duration", 10);
	is_value("completed", 4);
	is_value("rejected", 1);
	is_value("unfinished", 1);
	is_value("request_throughput", .4);
	is_value("output_throughput", 5);
	is_value("total_token_throughput", 35);
	is_value("mean_step_us", 250);
	is_value("request_goodput", NAN);
	o.slo_given = 1;
	o.good = 3;
	is_value("request_goodput", .3);
	o.completed = 0;
	is_value("duration", NAN);
	is_value("output_throughput", NAN);
	o.num_steps = 0;
	is_value("mean_step_us", NAN);
}

static void times(void)
{
	begin();
	o.ttft = (struct stats_summary){.mean = 1e6,
					.p50 = 2e6,
					.std = 3e6,
					.p90 = 4e6,
					.p95 = 5e6,
					.p99 = 6e6};
	o.queueing.p99 = 7.5e6;
	is_value("mean_ttft_ms", 1);
	is_value("median_ttft_ms", 2);
	is_value("std_ttft_ms", 3);
	is_value("p90_ttft_ms", 4);
	is_value("p95_ttft_ms", 5);
	is_value("p99_ttft_ms", 6);
	is_value("p99_queueing_ms", 7.5);
	is_value("mean_tpot_ms", 0);
	ok(metric_find("p99_ttft_ms")->tail && !metric_find("duration")->tail,
	   "an overload makes latencies meaningless");
}

static void memory(void)
{
	begin();
	o.kv_blocks_peak = 30;
	is_value("num_gpu_blocks", NAN);
	is_value("kv_cache_usage_peak", NAN);
	o.kv_blocks = 120;
	is_value("num_gpu_blocks", 120);
	is_value("kv_blocks_peak", 30);
	is_value("kv_cache_usage_peak", .25);
	is_value("prefix_cache_hit_rate", 0);
	o.prefix_queried_tokens = 200;
	o.prefix_hit_tokens = 50;
	is_value("prefix_cache_hit_rate", .25);
}

static void drafts(void)
{
	char name[METRIC_NAME_AT];
	begin();
	o.accepted = (struct acceptance_sum){.drafts = 10,
					     .draft_tokens = 30,
					     .accepted_tokens = 12,
					     .accepted_at = {8, 4, 0}};
	is_value("spec_decode_num_drafts", NAN);
	is_value("spec_decode_acceptance_rate", NAN);
	is_value("spec_decode_draft_share", NAN);
	o.drafts = 3;
	o.draft_us = 2e6;
	is_value("spec_decode_num_drafts", 10);
	is_value("spec_decode_num_draft_tokens", 30);
	is_value("spec_decode_num_accepted_tokens", 12);
	is_value("spec_decode_acceptance_rate", .4);
	is_value("spec_decode_acceptance_length", 2.2);
	is_value("spec_decode_draft_share", .25);
	const struct metric second = metric_of_position(1, name);
	is(second.name, "spec_decode_acceptance_at_2",
	   "positions count from 1");
	ok(fabs(metric_value(&second, &o) - .4) < 1e-9 &&
	       metric_acceptance_at(&o, 2) == 0 &&
	       isnan(metric_acceptance_at(&o, 3)),
	   "the share of each of them");
}

static void stages_and_graphs(void)
{
	begin();
	o.early_ns = 4000000000;
	o.occupied_ns = 16000000000;
	o.eager_steps = 7;
	o.eager_ns = 2000000000;
	is_value("gpu_idle_share", NAN);
	is_value("pipeline_bubble_share", NAN);
	is_value("early_share", NAN);
	is_value("eager_steps", NAN);
	is_value("eager_share", NAN);
	o.has_graphs = 1;
	is_value("eager_steps", 7);
	is_value("eager_share", .25);
	o.stages = 2;
	o.gpu_s = 40;
	o.busy_gpu_s = 16;
	is_value("gpu_idle_share", .6);
	is_value("pipeline_bubble_share", .5);
	is_value("early_share", .25);
	is_value("eager_share", .125);
}

static double of_pool(const char *name, uint32_t pool)
{
	for (size_t i = 0; i < n_pool_metrics; i++)
		if (!strcmp(pool_metric[i].name, name))
			return pool_metric[i].number(&o, pool);
	bail_out(name);
	return 0;
}

static void pools(void)
{
	begin();
	o.pool[1] = (struct pool_figures){.replicas = 2,
					  .num_steps = 4,
					  .scheduled_sequences = 10,
					  .busy_ns = 5000000000,
					  .kv_blocks = 40,
					  .kv_blocks_peak = 10};
	ok(of_pool("replicas", 1) == 2 && of_pool("num_steps", 1) == 4 &&
	       of_pool("mean_step_us", 1) == 1.25e6 &&
	       of_pool("mean_batch", 1) == 2.5,
	   "steps of a pool");
	ok(of_pool("gpu_busy", 1) == .25 &&
	       of_pool("kv_cache_usage_peak", 1) == .25,
	   "its GPUs, and its blocks");
	ok(isnan(of_pool("mean_batch", 0)) && of_pool("num_steps", 0) == 0,
	   "one without steps has no batches");
	o.pool[1].kv_blocks = ENGINE_UNLIMITED;
	ok(isnan(of_pool("num_gpu_blocks", 1)) &&
	       isnan(of_pool("kv_cache_usage_peak", 1)),
	   "no share of unlimited blocks");
}

static void table(void)
{
	int twice = 0, units = 0;
	for (size_t i = 0; i < n_metrics; i++) {
		const char *name = metric[i].name;
		size_t n = strlen(name);
		twice += metric_find(name) != &metric[i];
		units += !strcmp(metric[i].unit, "ms") !=
			 !strcmp(name + n - 3, "_ms");
	}
	ok(n_metrics >= 50 && twice == 0, "no name comes twice");
	ok(units == 0, "names of times end in their unit");
	ok(!metric_find("no_such") && metric_find("mean_itl_ms"),
	   "found by its whole name");
	ok(metric_find("completed")->better == 1 &&
	       metric_find("rejected")->better == -1 &&
	       metric_find("num_steps")->better == 0,
	   "which direction is better");
}

int main(void)
{
	rates();
	times();
	memory();
	drafts();
	stages_and_graphs();
	pools();
	table();
	return done();
}
