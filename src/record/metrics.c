/* metrics.c -- The table of metrics. */
#include "record/metrics.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "engine/engine.h"
#include "record/usd.h"

/* ---- counts: exact below 2^53, as JSON has them ---- */

static double count(const struct outcome *o, size_t offset)
{
	uint64_t n;
	memcpy(&n, (const char *)o + offset, sizeof n);
	return (double)n;
}

/* ---- rates and shares ---- */

static double duration_s(const struct outcome *o, size_t arg)
{
	(void)arg;
	return o->completed
		   ? (double)(o->last_token_ns - o->first_arrival_ns) / 1e9
		   : NAN;
}

static double per_second(const struct outcome *o, double n)
{
	double s = duration_s(o, 0);
	return s > 0 ? n / s : NAN;
}

static double rate_of(const struct outcome *o, size_t offset)
{
	return per_second(o, count(o, offset));
}

static double goodput(const struct outcome *o, size_t arg)
{
	(void)arg;
	return o->slo_given ? per_second(o, (double)o->good) : NAN;
}

static double token_rate(const struct outcome *o, size_t arg)
{
	(void)arg;
	return per_second(
	    o, (double)(o->total_input_tokens + o->total_output_tokens));
}

static double hit_rate(const struct outcome *o, size_t arg)
{
	(void)arg;
	return o->prefix_queried_tokens ? (double)o->prefix_hit_tokens /
					      (double)o->prefix_queried_tokens
					: 0;
}

static double kv_peak(const struct outcome *o, size_t arg)
{
	(void)arg;
	return o->kv_blocks == ENGINE_UNLIMITED || o->kv_blocks == 0
		   ? NAN
		   : (double)o->kv_blocks_peak / (double)o->kv_blocks;
}

static double kv_blocks(const struct outcome *o, size_t arg)
{
	(void)arg;
	return o->kv_blocks == ENGINE_UNLIMITED ? NAN : (double)o->kv_blocks;
}

/* ---- times ---- */

/* arg: offset in the outcome of a double in ns. */
static double ms(const struct outcome *o, size_t offset)
{
	double ns;
	memcpy(&ns, (const char *)o + offset, sizeof ns);
	return ns / 1e6;
}

static double step_us(const struct outcome *o, size_t arg)
{
	(void)arg;
	return o->num_steps ? o->total_us / (double)o->num_steps : NAN;
}

/* ---- drafts, pipelines, graphs ---- */

static double drafted(const struct outcome *o, size_t offset)
{
	return o->drafts ? count(o, offset) : NAN;
}

static double share_of_drafts(const struct outcome *o, uint64_t n, uint64_t of)
{
	return o->drafts && of ? (double)n / (double)of : NAN;
}

static double acceptance_rate(const struct outcome *o, size_t arg)
{
	(void)arg;
	return share_of_drafts(o, o->accepted.accepted_tokens,
			       o->accepted.draft_tokens);
}

/* Returns the tokens of a verified decode, its own included. */
static double acceptance_length(const struct outcome *o, size_t arg)
{
	(void)arg;
	return 1 + share_of_drafts(o, o->accepted.accepted_tokens,
				   o->accepted.drafts);
}

double metric_acceptance_at(const struct outcome *o, uint32_t position)
{
	return position < o->drafts
		   ? share_of_drafts(o, o->accepted.accepted_at[position],
				     o->accepted.drafts)
		   : NAN;
}

static double acceptance_at(const struct outcome *o, size_t position)
{
	return metric_acceptance_at(o, (uint32_t)position);
}

static double idle_share(const struct outcome *o, size_t arg)
{
	(void)arg;
	return o->stages > 1 && o->completed && o->gpu_s > 0
		   ? 1 - o->busy_gpu_s / o->gpu_s
		   : NAN;
}

/* A share of the time in which the pipeline has work. */
static double bubble_share(const struct outcome *o, size_t arg)
{
	(void)arg;
	return o->stages > 1 && o->occupied_ns > 0
		   ? 1 - (double)o->busy_ns / (double)o->occupied_ns
		   : NAN;
}

/* A share of the time of all steps. */
static double share_of_steps(const struct outcome *o, double ns)
{
	double all_ns = (double)o->busy_ns * o->stages;
	return all_ns > 0 ? ns / all_ns : NAN;
}

static double draft_share(const struct outcome *o, size_t arg)
{
	(void)arg;
	return o->drafts ? share_of_steps(o, 1e3 * o->draft_us) : NAN;
}

static double early_share(const struct outcome *o, size_t arg)
{
	(void)arg;
	return o->stages > 1 ? share_of_steps(o, (double)o->early_ns) : NAN;
}

static double of_graphs(const struct outcome *o, size_t offset)
{
	return o->has_graphs ? count(o, offset) : NAN;
}

static double eager_share(const struct outcome *o, size_t arg)
{
	(void)arg;
	return o->has_graphs ? share_of_steps(o, (double)o->eager_ns) : NAN;
}

static double offloaded(const struct outcome *o, size_t offset)
{
	double x;
	memcpy(&x, (const char *)o + offset, sizeof x);
	return o->offload.is_on > 0 ? x : NAN;
}

static double of_items(const struct outcome *o, size_t offset)
{
	double x;
	memcpy(&x, (const char *)o + offset, sizeof x);
	return o->encoders.is_on > 0 ? x : NAN;
}

static double of_fleet(const struct outcome *o, size_t offset)
{
	double x;
	memcpy(&x, (const char *)o + offset, sizeof x);
	return o->fleet.is_on > 0 ? x : NAN;
}

static double failed(const struct outcome *o, size_t arg)
{
	(void)arg;
	return o->fleet.is_on > 0 ? (double)o->failed : NAN;
}

static double cancelled(const struct outcome *o, size_t arg)
{
	(void)arg;
	return o->cancelled ? (double)o->cancelled : NAN;
}

static double cost(const struct outcome *o, size_t arg)
{
	(void)arg;
	return o->fleet.cost > 0 ? o->fleet.cost : NAN;
}

/* ---- energy of steps ---- */

static double gpu_watts(const struct outcome *o, size_t arg)
{
	const struct energy_sum *e = &o->energy;
	(void)arg;
	return e->is_known > 0 ? e->joules / (e->gpu_s + e->idle_s) : NAN;
}

/* arg: offset of a part in struct usd_per_mtok. */
static double usd(const struct outcome *o, size_t part)
{
	struct usd_per_mtok all = usd_per_mtok_of_run(o);
	double v;
	memcpy(&v, (const char *)&all + part, sizeof v);
	return v;
}

/* arg: offset of a count. */
static double joules_per(const struct outcome *o, size_t offset)
{
	double n = count(o, offset);
	return o->energy.is_known > 0 && n > 0 ? o->energy.joules / n : NAN;
}

static double of_gpu_time(const struct outcome *o, size_t offset)
{
	double s;
	memcpy(&s, (const char *)o + offset, sizeof s);
	return o->energy.is_known > 0 ? s / o->energy.gpu_s : NAN;
}

static double loading_ms(const struct outcome *o, size_t arg)
{
	(void)arg;
	return o->offload.is_on > 0 && o->completed
		   ? o->offload.loading_ms / (double)o->completed
		   : NAN;
}

/* ---- the list ---- */

#define AT(field) offsetof(struct outcome, field)
#define COUNT(name_, field, headline_, better_)                                \
	{                                                                      \
		.name = name_, .unit = "", .kind = METRIC_COUNT,               \
		.headline = headline_, .better = better_, .number = count,     \
		.arg = AT(field)                                               \
	}
#define NUMBER(name_, unit_, decimals_, headline_, better_, number_, arg_)     \
	{                                                                      \
		.name = name_, .unit = unit_, .kind = METRIC_NUMBER,           \
		.decimals = decimals_, .headline = headline_,                  \
		.better = better_, .number = number_, .arg = arg_              \
	}
#define TIME(name_, field, headline_)                                          \
	{                                                                      \
		.name = name_, .unit = "ms", .kind = METRIC_NUMBER,            \
		.decimals = 3, .headline = headline_, .better = -1, .tail = 1, \
		.number = ms, .arg = AT(field)                                 \
	}
#define TIMES(of, field, headline)                                             \
	TIME("mean_" of "_ms", field.mean, headline),                          \
	    TIME("median_" of "_ms", field.p50, headline),                     \
	    TIME("std_" of "_ms", field.std, 0),                               \
	    TIME("p90_" of "_ms", field.p90, 0),                               \
	    TIME("p95_" of "_ms", field.p95, 0),                               \
	    TIME("p99_" of "_ms", field.p99, headline)

/* NaN if it does not apply; it is not shown then. */
#define SPECIAL(name_, decimals_, better_, number_, arg_)                      \
	{                                                                      \
		.name = name_, .unit = "", .kind = METRIC_NUMBER,              \
		.decimals = decimals_, .headline = 1, .better = better_,       \
		.special = 1, .number = number_, .arg = arg_                   \
	}
#define DRAFTS(name_, field)                                                   \
	SPECIAL("spec_decode_" name_, 0, 0, drafted, AT(accepted.field))
#define OFFLOAD(name_, unit_, decimals_, better_, headline_, field)            \
	{                                                                      \
		.name = name_, .unit = unit_, .kind = METRIC_NUMBER,           \
		.decimals = decimals_, .headline = headline_,                  \
		.better = better_, .special = 1, .number = offloaded,          \
		.arg = AT(offload.field)                                       \
	}
#define ENERGY(name_, unit_, decimals_, better_, number_, arg_)                \
	{                                                                      \
		.name = name_, .unit = unit_, .kind = METRIC_NUMBER,           \
		.decimals = decimals_, .better = better_, .special = 1,        \
		.rare = 1, .number = number_, .arg = arg_                      \
	}
#define FLEET(name_, unit_, number_, arg_)                                     \
	{                                                                      \
		.name = name_, .unit = unit_, .kind = METRIC_NUMBER,           \
		.decimals = 3, .headline = 1, .better = -1, .special = 1,      \
		.number = number_, .arg = arg_                                 \
	}
const struct metric metric[] = {
    NUMBER("duration", "s", 3, 1, -1, duration_s, 0),
    COUNT("completed", completed, 1, 1),
    COUNT("rejected", rejected, 1, -1),
    COUNT("unfinished", unfinished, 1, -1),
    COUNT("total_input_tokens", total_input_tokens, 0, 0),
    COUNT("total_output_tokens", total_output_tokens, 0, 0),
    NUMBER("request_throughput", "1/s", 3, 1, 1, rate_of, AT(completed)),
    NUMBER("request_goodput", "1/s", 3, 0, 1, goodput, 0),
    NUMBER("output_throughput", "tok/s", 1, 1, 1, rate_of,
	   AT(total_output_tokens)),
    NUMBER("total_token_throughput", "tok/s", 1, 0, 1, token_rate, 0),
    TIMES("ttft", ttft, 1),
    TIMES("tpot", tpot, 1),
    TIMES("itl", itl, 1),
    TIMES("e2el", e2el, 1),
    TIMES("queueing", queueing, 0),
    COUNT("num_steps", num_steps, 1, 0),
    NUMBER("mean_step_us", "us", 1, 1, -1, step_us, 0),
    COUNT("scheduled_sequences", scheduled_sequences, 0, 0),
    COUNT("preemptions", preemptions, 1, -1),
    NUMBER("prefix_cache_hit_rate", "", 4, 1, 1, hit_rate, 0),
    NUMBER("num_gpu_blocks", "", 0, 0, 0, kv_blocks, 0),
    COUNT("kv_blocks_peak", kv_blocks_peak, 0, -1),
    NUMBER("kv_cache_usage_peak", "", 4, 1, -1, kv_peak, 0),
    OFFLOAD("kv_offload_loads", "", 0, 0, 1, loads),
    OFFLOAD("kv_offload_stores", "", 0, 0, 1, stores),
    OFFLOAD("kv_offload_load_bytes", "B", 0, 0, 0, load_bytes),
    OFFLOAD("kv_offload_store_bytes", "B", 0, 0, 0, store_bytes),
    OFFLOAD("kv_offload_load_s", "s", 3, -1, 0, load_s),
    OFFLOAD("kv_offload_store_s", "s", 3, -1, 0, store_s),
    OFFLOAD("kv_offload_chunks_peak", "", 0, 0, 0, chunks_peak),
    OFFLOAD("kv_offload_evicted", "", 0, 0, 0, evicted),
    OFFLOAD("kv_offload_refused", "", 0, -1, 0, refused),
    OFFLOAD("kv_offload_waited_steps", "", 0, -1, 0, waited_steps),
    OFFLOAD("kv_offload_waited_s", "s", 3, -1, 0, waited_s),
    OFFLOAD("external_prefix_cache_queries", "", 0, 0, 0, queries),
    OFFLOAD("external_prefix_cache_hits", "", 0, 1, 1, hits),
    {.name = "mean_loading_ms",
     .unit = "ms",
     .kind = METRIC_NUMBER,
     .decimals = 3,
     .headline = 1,
     .better = -1,
     .special = 1,
     .number = loading_ms},
    SPECIAL("failed", 0, -1, failed, 0),
    SPECIAL("cancelled", 0, 0, cancelled, 0),
    SPECIAL("retried", 0, -1, of_fleet, AT(fleet.retried)),
    SPECIAL("replica_deaths", 0, 0, of_fleet, AT(fleet.deaths)),
    SPECIAL("replica_starts", 0, 0, of_fleet, AT(fleet.starts)),
    FLEET("gpu_hours", "h", of_fleet, AT(fleet.gpu_hours)),
    FLEET("gpu_hours_idle", "h", of_fleet, AT(fleet.gpu_hours_idle)),
    FLEET("cost", "USD", cost, 0),
    ENERGY("gpu_power_w", "", 1, 0, gpu_watts, 0),
    ENERGY("energy_per_token_j", "", 4, -1, joules_per,
	   AT(total_output_tokens)),
    ENERGY("energy_per_request_j", "", 2, -1, joules_per, AT(completed)),
    NUMBER("gpu_usd_per_million_output_tokens", "USD", 4, 0, -1, usd,
	   offsetof(struct usd_per_mtok, gpus)),
    ENERGY("energy_usd_per_million_output_tokens", "USD", 4, -1, usd,
	   offsetof(struct usd_per_mtok, energy)),
    NUMBER("usd_per_million_output_tokens", "USD", 4, 0, -1, usd,
	   offsetof(struct usd_per_mtok, sum)),
    ENERGY("memory_utilization", "", 4, 0, of_gpu_time, AT(energy.memory_s)),
    ENERGY("compute_utilization", "", 4, 0, of_gpu_time, AT(energy.compute_s)),
    SPECIAL("mm_items_encoded", 0, 0, of_items, AT(encoders.encoded)),
    SPECIAL("mm_items_found", 0, 0, of_items, AT(encoders.found)),
    {.name = "encoder_s",
     .unit = "s",
     .kind = METRIC_NUMBER,
     .decimals = 3,
     .headline = 1,
     .better = -1,
     .special = 1,
     .number = of_items,
     .arg = AT(encoders.encoder_s)},
    DRAFTS("num_drafts", drafts),
    DRAFTS("num_draft_tokens", draft_tokens),
    DRAFTS("num_accepted_tokens", accepted_tokens),
    SPECIAL("spec_decode_acceptance_rate", 4, 1, acceptance_rate, 0),
    {.name = "spec_decode_acceptance_length",
     .unit = "",
     .kind = METRIC_NUMBER,
     .decimals = 3,
     .headline = 1,
     .better = 1,
     .special = 1,
     .positions = 1,
     .number = acceptance_length},
    SPECIAL("spec_decode_draft_share", 4, -1, draft_share, 0),
    SPECIAL("gpu_idle_share", 4, -1, idle_share, 0),
    SPECIAL("pipeline_bubble_share", 4, -1, bubble_share, 0),
    SPECIAL("early_share", 4, -1, early_share, 0),
    SPECIAL("eager_steps", 0, 0, of_graphs, AT(eager_steps)),
    SPECIAL("eager_share", 4, 0, eager_share, 0),
    {.name = "faster_than_hardware",
     .unit = "",
     .kind = METRIC_COUNT,
     .better = -1,
     .rare = 1,
     .number = count,
     .arg = AT(faster.steps)},
};
const size_t n_metrics = sizeof metric / sizeof *metric;

double metric_value(const struct metric *m, const struct outcome *o)
{
	return m->number(o, m->arg);
}

struct metric metric_of_position(uint32_t position, char name[METRIC_NAME_AT])
{
	snprintf(name, METRIC_NAME_AT, "spec_decode_acceptance_at_%" PRIu32,
		 position + 1);
	return (struct metric)SPECIAL(name, 4, 1, acceptance_at, position);
}

const struct metric *metric_find(const char *name)
{
	for (size_t i = 0; i < n_metrics; i++)
		if (!strcmp(metric[i].name, name))
			return &metric[i];
	return NULL;
}

/* ---- disaggregated prefill and decode ---- */

const char *const pool_name[2] = {"prefill", "decode"};

static double ratio(double a, double b)
{
	return b > 0 ? a / b : NAN;
}

static double pool_replicas(const struct outcome *o, uint32_t pool)
{
	return o->pool[pool].replicas;
}

static double pool_steps(const struct outcome *o, uint32_t pool)
{
	return (double)o->pool[pool].num_steps;
}

static double pool_step_us(const struct outcome *o, uint32_t pool)
{
	const struct pool_figures *p = &o->pool[pool];
	return ratio((double)p->busy_ns / 1e3, (double)p->num_steps);
}

static double pool_batch(const struct outcome *o, uint32_t pool)
{
	const struct pool_figures *p = &o->pool[pool];
	return ratio((double)p->scheduled_sequences, (double)p->num_steps);
}

static double pool_busy(const struct outcome *o, uint32_t pool)
{
	const struct pool_figures *p = &o->pool[pool];
	return ratio((double)p->busy_ns / 1e9, p->replicas * duration_s(o, 0));
}

static double pool_preemptions(const struct outcome *o, uint32_t pool)
{
	return (double)o->pool[pool].preemptions;
}

static double pool_hit_rate(const struct outcome *o, uint32_t pool)
{
	const struct pool_figures *p = &o->pool[pool];
	return p->prefix_queried_tokens ? (double)p->prefix_hit_tokens /
					      (double)p->prefix_queried_tokens
					: 0;
}

static double pool_blocks(const struct outcome *o, uint32_t pool)
{
	uint64_t n = o->pool[pool].kv_blocks;
	return n == ENGINE_UNLIMITED ? NAN : (double)n;
}

static double pool_kv_peak(const struct outcome *o, uint32_t pool)
{
	return ratio((double)o->pool[pool].kv_blocks_peak,
		     pool_blocks(o, pool));
}

const struct pool_metric pool_metric[] = {
    {"replicas", 0, pool_replicas},
    {"num_steps", 0, pool_steps},
    {"mean_step_us", 1, pool_step_us},
    {"mean_batch", 1, pool_batch},
    {"gpu_busy", 4, pool_busy},
    {"preemptions", 0, pool_preemptions},
    {"prefix_cache_hit_rate", 4, pool_hit_rate},
    {"num_gpu_blocks", 0, pool_blocks},
    {"kv_cache_usage_peak", 4, pool_kv_peak},
};
const size_t n_pool_metrics = sizeof pool_metric / sizeof *pool_metric;

static double n_transfers(const struct outcome *o)
{
	return (double)o->transfers.n;
}

static double transfer_bytes(const struct outcome *o)
{
	return o->transfers.bytes;
}

static double transfer_mean_ms(const struct outcome *o)
{
	return o->transfers.lasts.n ? o->transfers.lasts.mean / 1e6 : NAN;
}

static double transfer_p99_ms(const struct outcome *o)
{
	return o->transfers.lasts.n ? o->transfers.lasts.p99 / 1e6 : NAN;
}

/* Returns GB/s over the whole run; between transfers a link is idle. */
static double transfer_traffic(const struct outcome *o)
{
	return ratio(o->transfers.bytes / 1e9, duration_s(o, 0));
}

static double held_mean_ms(const struct outcome *o)
{
	return o->transfers.held.n ? o->transfers.held.mean / 1e6 : NAN;
}

static double held_p99_ms(const struct outcome *o)
{
	return o->transfers.held.n ? o->transfers.held.p99 / 1e6 : NAN;
}

const struct transfer_metric transfer_metric[] = {
    {"transfers", 0, n_transfers},
    {"bytes", 0, transfer_bytes},
    {"traffic_gb_per_s", 3, transfer_traffic},
    {"mean_transfer_ms", 3, transfer_mean_ms},
    {"p99_transfer_ms", 3, transfer_p99_ms},
    {"mean_held_ms", 3, held_mean_ms},
    {"p99_held_ms", 3, held_p99_ms},
};
const size_t n_transfer_metrics =
    sizeof transfer_metric / sizeof *transfer_metric;

int metrics_are_equal(const struct outcome *a, const struct outcome *b)
{
	for (size_t i = 0; i < n_metrics; i++) {
		double x = metric_value(&metric[i], a);
		double y = metric_value(&metric[i], b);
		if (x != y && !(isnan(x) && isnan(y)))
			return 0;
	}
	return 1;
}
