/* engine.c -- The keys of [engine] and [slo], checked and turned into plain
 * numbers. */
#include <config.h>
#include "setup/engine.h"
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "setup/keys.h"
#include "stepcost/knob.h"

#define INT(field, def, min, max, unit, help)                                  \
	SC_INT(struct engine_keys, field, def, min, max, unit, help)
#define DOUBLE(field, def, min, max, unit, help)                               \
	SC_DOUBLE(struct engine_keys, field, def, min, max, unit, help)
#define BOOL(field, def, help) SC_BOOL(struct engine_keys, field, def, help)
#define TEXT(field, def, help) KEY_TEXT_OF(struct engine_keys, field, def, help)
#define N(array) (uint32_t)(sizeof(array) / sizeof *(array))

static const char *const policies[] = {"fcfs", "priority", NULL};
static const char *const routings[] = {"round_robin", "least_outstanding",
				       "power_of_two", "prefix_affinity", NULL};

static const char *const kv_dtypes[] = {"auto", "bfloat16", "fp8", NULL};
/* In the order of SC_SAMPLING_*, auto in the place of unknown. */
static const char *const samplings[] = {"auto", "greedy", "random", "top_p",
					NULL};

const sc_knob *const engine_key[] = {
    INT(tensor_parallel_size, "1", 1, 1024, "1",
	"GPUs that share each matrix and the heads of attention."),
    INT(pipeline_parallel_size, "1", 1, ENGINE_STAGES, "1",
	"Stages that the layers of a replica are dealt out to."),
    INT(data_parallel_size, "1", 1, 1024, "1",
	"With experts: groups of GPUs of one replica that have requests of "
	"their own and share the experts (attention-DP). Without: so many "
	"times the replicas."),
    BOOL(enable_expert_parallel, "false",
	 "Experts are split by expert over tensor_parallel_size x "
	 "data_parallel_size GPUs, not by width."),
    INT(expert_parallel_size, "0", 0, 1024, "1",
	"Ways that experts are split by expert; what is left of the GPUs "
	"splits them by width. 0: by enable_expert_parallel."),
    INT(max_num_seqs, "256", 1, 65536, "1", "Sequences in one step."),
    INT(max_num_batched_tokens, "2048", 1, 1e9, "1",
	"Tokens in one step, of prompts and decodes together."),
    INT(max_model_len, "0", 0, 1e9, "1",
	"Prompt and output of a request; longer ones are rejected. 0: the "
	"model's."),
    INT(long_prefill_token_threshold, "0", 0, 1e9, "1",
	"Most tokens of one prompt in one step. 0: no such bound."),
    INT(block_size, "16", 1, 65536, "1", "Tokens in one KV block."),
    TEXT(num_gpu_blocks, "auto",
	 "KV blocks of a replica: auto (what the memory has room for), "
	 "unlimited, or a number."),
    DOUBLE(gpu_memory_utilization, "0.9", 0.01, 1, "1",
	   "Share of the GPU's usable memory that `auto` may fill."),
    SC_CHOICE(struct engine_keys, kv_cache_dtype, "auto", kv_dtypes,
	      "Format of the KV cache. auto: as the model's checkpoint asks."),
    BOOL(enable_prefix_caching, "false",
	 "Full blocks of KV are found again by their content."),
    BOOL(async_scheduling, "false",
	 "The next step is scheduled while one runs (vLLM 0.14 and later)."),
    SC_CHOICE(struct engine_keys, scheduling_policy, "fcfs", policies,
	      "Who is admitted first, and who is preempted last."),
    DOUBLE(api_overhead_us, "0", 0, 1e9, "us",
	   "From the client to the scheduler."),
    DOUBLE(response_overhead_us, "0", 0, 1e9, "us",
	   "From the end of a step to the client."),
    DOUBLE(schedule_us, "0", 0, 1e9, "us",
	   "Host work before a step; async scheduling hides it behind the "
	   "step before."),
    TEXT(graph_max_tokens, "auto",
	 "Largest step replayed from a captured graph: auto is min(2 * "
	 "max_num_seqs, 512), 0 is eager."),
    INT(replicas, "1", 1, 4096, "1", "Engines behind one router."),
    SC_CHOICE(struct engine_keys, routing, "round_robin", routings,
	      "Which replica a request goes to."),
    INT(prefill_replicas, "0", 0, 4095, "1",
	"So many of the replicas only compute prompts and hand the KV cache to "
	"the others, which only generate. 0: all do both."),
    TEXT(decode_cost_model, "",
	 "With prefill_replicas: the arm that prices the replicas that "
	 "generate. Empty: the one that prices the prompts."),
    DOUBLE(kv_transfer_bandwidth_gbs, "0", 0, 1e6, "GB/s",
	   "From a prefill replica to a decode replica. 0: the hardware's "
	   "link_bandwidth_gbs."),
    DOUBLE(kv_transfer_latency_us, "0", 0, 1e9, "us",
	   "Added to each transfer."),
    SC_CHOICE(struct engine_keys, sampling, "auto", samplings,
	      "How requests choose their tokens; top_p: by top_p, top_k or "
	      "min_p. auto: as the model's generation_config asks."),
};
const uint32_t engine_n_keys = N(engine_key);

#define SLO(field, help)                                                       \
	SC_DOUBLE(struct slo_keys, field, "0", 0, 1e9, "ms", help)
const sc_knob *const slo_key[] = {
    SLO(ttft_ms, "Time to first token of a good request. 0: any."),
    SLO(tpot_ms, "Time per output token of a good request. 0: any."),
    SLO(e2el_ms, "End-to-end latency of a good request. 0: any."),
};
const uint32_t slo_n_keys = N(slo_key);

uint64_t engine_gpus(const struct engine_keys *k)
{
	return (uint64_t)(k->tensor_parallel_size * k->pipeline_parallel_size *
			  k->data_parallel_size * k->replicas);
}

/* A whole number and nothing else. */
static int whole(uint64_t *n, const char *text)
{
	if (text[0] < '0' || text[0] > '9')
		return -1;
	char *end;
	errno = 0;
	unsigned long long v = strtoull(text, &end, 10);
	if (errno || *end)
		return -1;
	*n = v;
	return 0;
}

int engine_refuse(struct problem *p, const struct ini *cfg, const char *key,
		  const char *fmt, ...)
{
	char why[500];
	const struct ini_item *at = cfg ? ini_find(cfg, "engine", key) : NULL;
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(why, sizeof why, fmt, ap);
	va_end(ap);
	if (at)
		return problem_set(p, EXIT_USAGE, "%s: %s", at->at, why);
	return problem_set(p, EXIT_USAGE, "%s%s[engine] %s",
			   cfg && cfg->path ? cfg->path : "",
			   cfg && cfg->path ? ": " : "", why);
}

static const double activation_bytes = 0.9e9; /* measured on vLLM's servers */

/* Blocks that the memory of a GPU has room for beside its share. */
static double room_for(const struct engine *e, const struct engine_share *share,
		       double bytes)
{
	return floor((bytes - share->weight_bytes - activation_bytes) /
		     share->kv_bytes_per_token / e->block_size);
}

/* The stage whose GPUs have room for the fewest blocks, of those that keep KV;
 * NULL: none does. */
static const struct engine_share *
tightest(const struct engine *e, const struct engine_facts *f, double bytes)
{
	const struct engine_share *least = NULL;
	for (uint32_t i = 0; i < e->parallel.pp; i++) {
		const struct engine_share *s = &f->share[i];
		if (s->kv_bytes_per_token > 0 &&
		    (!least ||
		     room_for(e, s, bytes) < room_for(e, least, bytes)))
			least = s;
	}
	return least;
}

/* The memory that weights and activations leave, in blocks. */
static int auto_blocks(struct engine *e, double utilization,
		       const struct engine_facts *f, struct problem *p)
{
	const char *missing = !f->share ? "the size of the weights ([model])"
			      : f->usable_bytes <= 0
				  ? "the memory of the GPU ([hardware])"
				  : NULL;
	if (missing)
		return engine_refuse(
		    p, f->cfg, "num_gpu_blocks",
		    "num_gpu_blocks = auto: %s is unknown; give a number or "
		    "unlimited",
		    missing);
	double bytes = utilization * f->usable_bytes;
	const struct engine_share *s = tightest(e, f, bytes);
	if (!s) {
		e->num_gpu_blocks = ENGINE_UNLIMITED;
		snprintf(e->blocks_text, sizeof e->blocks_text,
			 "auto: unlimited, no layer keeps KV of each token");
		return 0;
	}
	double blocks = room_for(e, s, bytes) * e->parallel.dp;
	if (blocks < 1)
		return engine_refuse(
		    p, f->cfg, "num_gpu_blocks",
		    "num_gpu_blocks = auto: no room for KV: %.4g of %.4g GB, "
		    "less %.4g GB of weights and 0.9 GB",
		    utilization, f->usable_bytes / 1e9, s->weight_bytes / 1e9);
	e->num_gpu_blocks = (uint64_t)blocks;
	int n = snprintf(e->blocks_text, sizeof e->blocks_text,
			 "auto: %" PRIu64 " blocks = (%.4g * %.4g GB - %.4g GB "
			 "weights - 0.9 GB) / %.8g bytes a token / %" PRIu32,
			 e->num_gpu_blocks, utilization, f->usable_bytes / 1e9,
			 s->weight_bytes / 1e9, s->kv_bytes_per_token,
			 e->block_size);
	if (e->parallel.dp > 1)
		snprintf(e->blocks_text + n, sizeof e->blocks_text - (size_t)n,
			 " * %" PRIu32 " of data_parallel_size",
			 e->parallel.dp);
	return 0;
}

/* As given: AUTO_BLOCKS, ENGINE_UNLIMITED or the number. */
enum { AUTO_BLOCKS = 0 };
static int read_blocks(uint64_t *n, const char *text, const struct ini *cfg,
		       struct problem *p)
{
	*n = !strcmp(text, "auto") ? AUTO_BLOCKS : ENGINE_UNLIMITED;
	if (*n == AUTO_BLOCKS || !strcmp(text, "unlimited"))
		return 0;
	/* Block numbers are 32 bits wide. */
	if (whole(n, text) || *n < 1 || *n > UINT32_MAX / 2)
		return engine_refuse(
		    p, cfg, "num_gpu_blocks",
		    "num_gpu_blocks = %s: not auto, unlimited or a "
		    "whole number in [1, %" PRIu32 "]",
		    text, UINT32_MAX / 2);
	return 0;
}

static int resolve_blocks(struct engine *e, const struct engine_keys *k,
			  const struct engine_facts *f, struct problem *p)
{
	if (read_blocks(&e->num_gpu_blocks, k->num_gpu_blocks, f->cfg, p))
		return -1;
	if (e->num_gpu_blocks == AUTO_BLOCKS)
		return auto_blocks(e, k->gpu_memory_utilization, f, p);
	if (e->num_gpu_blocks == ENGINE_UNLIMITED) {
		snprintf(e->blocks_text, sizeof e->blocks_text,
			 "unlimited, as configured");
		return 0;
	}
	snprintf(e->blocks_text, sizeof e->blocks_text,
		 "%" PRIu64 " blocks, as configured", e->num_gpu_blocks);
	return 0;
}

static int read_graph(uint32_t *tokens, const struct engine_keys *k,
		      const struct ini *cfg, struct problem *p)
{
	uint64_t n;
	const char *text = k->graph_max_tokens;
	if (!strcmp(text, "auto")) {
		n = 2 * (uint64_t)k->max_num_seqs;
		n = n < 512 ? n : 512;
	} else if (whole(&n, text) || n > UINT32_MAX) {
		return engine_refuse(
		    p, cfg, "graph_max_tokens",
		    "graph_max_tokens = %s: not auto or a whole "
		    "number in [0, %" PRIu32 "]",
		    text, UINT32_MAX);
	}
	*tokens = (uint32_t)n;
	return 0;
}

int engine_check(const struct engine_keys *k, const struct ini *cfg,
		 struct problem *p)
{
	uint64_t blocks;
	uint32_t tokens;
	return read_blocks(&blocks, k->num_gpu_blocks, cfg, p) < 0
		   ? -1
		   : read_graph(&tokens, k, cfg, p);
}

static int resolve_pools(struct engine *e, const struct engine_keys *k,
			 const struct engine_facts *f, struct problem *p)
{
	e->prefill_replicas = (uint32_t)k->prefill_replicas;
	if (e->prefill_replicas == 0)
		return 0;
	if (e->prefill_replicas >= e->replicas)
		return engine_refuse(p, f->cfg, "prefill_replicas",
				     "prefill_replicas = %" PRIu32
				     ": fewer than replicas = %" PRIu32,
				     e->prefill_replicas, e->replicas);
	for (uint32_t i = 0; f->share && i < e->parallel.pp; i++)
		e->kv_bytes_per_token +=
		    f->share[i].kv_bytes_per_token * e->parallel.tp;
	e->kv_transfer_bytes_per_s = k->kv_transfer_bandwidth_gbs > 0
					 ? k->kv_transfer_bandwidth_gbs * 1e9
					 : f->link_bytes_per_s;
	if (e->kv_bytes_per_token <= 0 || e->kv_transfer_bytes_per_s <= 0)
		return engine_refuse(
		    p, f->cfg, "prefill_replicas",
		    "prefill_replicas: the KV bytes of a token and "
		    "kv_transfer_bandwidth_gbs must be known");
	return 0;
}

static uint32_t times_dp(int64_t n, uint32_t dp)
{
	return n * dp < UINT32_MAX ? (uint32_t)(n * dp) : UINT32_MAX;
}

struct engine engine_sized(const struct engine_keys *k, const sc_parallel *s)
{
	/* Without experts the model has no attention-DP, and dp is 1. */
	int64_t times = k->data_parallel_size / s->dp;
	return (struct engine){
	    .parallel = *s,
	    .max_num_seqs = times_dp(k->max_num_seqs, s->dp),
	    .max_num_batched_tokens =
		times_dp(k->max_num_batched_tokens, s->dp),
	    .replicas = (uint32_t)(k->replicas * times),
	};
}

int engine_resolve(struct engine *e, const struct engine_keys *k,
		   const struct slo_keys *s, const struct engine_facts *f,
		   struct problem *p)
{
	uint64_t len =
	    k->max_model_len ? (uint64_t)k->max_model_len : f->model_max_len;
	*e = engine_sized(k, &f->parallel);
	e->max_model_len = len < UINT32_MAX ? (uint32_t)len : UINT32_MAX;
	e->long_prefill_token_threshold =
	    (uint32_t)k->long_prefill_token_threshold;
	e->block_size = (uint32_t)k->block_size;
	e->prefix_caching = (uint32_t)k->enable_prefix_caching;
	e->async_scheduling = (uint32_t)k->async_scheduling;
	e->policy = (enum scheduling_policy)k->scheduling_policy;
	e->api_overhead_ns = llround(1e3 * k->api_overhead_us);
	e->response_overhead_ns = llround(1e3 * k->response_overhead_us);
	e->schedule_ns = llround(1e3 * k->schedule_us);
	e->routing = (enum routing)k->routing;
	e->seed = f->seed;
	e->sampling = k->sampling ? (uint32_t)k->sampling : f->model_sampling;
	e->kv_transfer_latency_ns = llround(1e3 * k->kv_transfer_latency_us);
	e->slo =
	    (struct slo){llround(1e6 * s->ttft_ms), llround(1e6 * s->tpot_ms),
			 llround(1e6 * s->e2el_ms)};
	if (read_graph(&e->graph_max_tokens, k, f->cfg, p) ||
	    resolve_pools(e, k, f, p))
		return -1;
	e->graph_max_tokens = times_dp(e->graph_max_tokens, f->parallel.dp);
	return resolve_blocks(e, k, f, p);
}

int engine_schedules_alike(const struct engine *a, const struct engine *b)
{
	return a->max_num_seqs == b->max_num_seqs &&
	       a->max_num_batched_tokens == b->max_num_batched_tokens &&
	       a->max_model_len == b->max_model_len &&
	       a->long_prefill_token_threshold ==
		   b->long_prefill_token_threshold &&
	       a->block_size == b->block_size &&
	       a->num_gpu_blocks == b->num_gpu_blocks &&
	       a->prefix_caching == b->prefix_caching &&
	       a->async_scheduling == b->async_scheduling &&
	       a->policy == b->policy &&
	       a->api_overhead_ns == b->api_overhead_ns &&
	       a->response_overhead_ns == b->response_overhead_ns &&
	       a->schedule_ns == b->schedule_ns && a->replicas == b->replicas &&
	       a->routing == b->routing && a->seed == b->seed &&
	       a->prefill_replicas == b->prefill_replicas &&
	       a->kv_bytes_per_token == b->kv_bytes_per_token &&
	       a->kv_transfer_bytes_per_s == b->kv_transfer_bytes_per_s &&
	       a->kv_transfer_latency_ns == b->kv_transfer_latency_ns;
}

void engine_view(sc_engine *view, sc_parallel *parallel, const struct engine *e)
{
	uint32_t dp = e->parallel.dp;
	*view = (sc_engine){
	    .size = sizeof *view,
	    .max_num_seqs = e->max_num_seqs / dp,
	    .max_num_batched_tokens = e->max_num_batched_tokens / dp,
	    .block_size = e->block_size,
	    .graph_max_tokens = e->graph_max_tokens / dp,
	    .async_scheduling = e->async_scheduling,
	    .sampling = e->sampling,
	};
	*parallel = e->parallel;
}
