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

const sc_knob *const engine_key[] = {
    INT(tensor_parallel_size, "1", 1, 1024, "1", "GPUs of one replica."),
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
	return (uint64_t)(k->tensor_parallel_size * k->replicas);
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

/* Refuses the value of a key; returns -1. */
static int refuse(struct problem *p, const struct ini *cfg, const char *key,
		  const char *fmt, ...) __attribute__((format(printf, 4, 5)));
static int refuse(struct problem *p, const struct ini *cfg, const char *key,
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

/* The memory that weights and activations leave, in blocks. */
static int auto_blocks(struct engine *e, double utilization,
		       const struct engine_facts *f, struct problem *p)
{
	const double activations = 0.9e9; /* measured on vLLM's servers */
	const char *missing =
	    f->weight_bytes <= 0         ? "the size of the weights ([model])"
	    : f->usable_bytes <= 0       ? "the memory of the GPU ([hardware])"
	    : f->kv_bytes_per_token <= 0 ? "the KV bytes of a token"
					 : NULL;
	if (missing)
		return refuse(p, f->cfg, "num_gpu_blocks",
			      "num_gpu_blocks = auto: %s is unknown; give "
			      "a number or unlimited",
			      missing);
	double weights = f->weight_bytes / e->tp;
	double room = utilization * f->usable_bytes - weights - activations;
	double blocks = floor(room / f->kv_bytes_per_token / e->block_size);
	if (blocks < 1)
		return refuse(
		    p, f->cfg, "num_gpu_blocks",
		    "num_gpu_blocks = auto: no room for KV: %.4g of %.4g GB, "
		    "less %.4g GB of weights and 0.9 GB",
		    utilization, f->usable_bytes / 1e9, weights / 1e9);
	e->num_gpu_blocks = (uint64_t)blocks;
	snprintf(e->blocks_text, sizeof e->blocks_text,
		 "auto: %" PRIu64 " blocks = (%.4g * %.4g GB - %.4g GB weights "
		 "- 0.9 GB) / %.8g bytes a token / %" PRIu32,
		 e->num_gpu_blocks, utilization, f->usable_bytes / 1e9,
		 weights / 1e9, f->kv_bytes_per_token, e->block_size);
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
		return refuse(p, cfg, "num_gpu_blocks",
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
		return refuse(p, cfg, "graph_max_tokens",
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
		return refuse(p, f->cfg, "prefill_replicas",
			      "prefill_replicas = %" PRIu32
			      ": fewer than replicas = %" PRIu32,
			      e->prefill_replicas, e->replicas);
	e->kv_bytes_per_token = f->kv_bytes_per_token * e->tp;
	e->kv_transfer_bytes_per_s = k->kv_transfer_bandwidth_gbs > 0
					 ? k->kv_transfer_bandwidth_gbs * 1e9
					 : f->link_bytes_per_s;
	if (e->kv_bytes_per_token <= 0 || e->kv_transfer_bytes_per_s <= 0)
		return refuse(p, f->cfg, "prefill_replicas",
			      "prefill_replicas: the KV bytes of a token and "
			      "kv_transfer_bandwidth_gbs must be known");
	return 0;
}

int engine_resolve(struct engine *e, const struct engine_keys *k,
		   const struct slo_keys *s, const struct engine_facts *f,
		   struct problem *p)
{
	uint64_t len =
	    k->max_model_len ? (uint64_t)k->max_model_len : f->model_max_len;
	*e = (struct engine){
	    .tp = (uint32_t)k->tensor_parallel_size,
	    .max_num_seqs = (uint32_t)k->max_num_seqs,
	    .max_num_batched_tokens = (uint32_t)k->max_num_batched_tokens,
	    .max_model_len = len < UINT32_MAX ? (uint32_t)len : UINT32_MAX,
	    .long_prefill_token_threshold =
		(uint32_t)k->long_prefill_token_threshold,
	    .block_size = (uint32_t)k->block_size,
	    .prefix_caching = (uint32_t)k->enable_prefix_caching,
	    .async_scheduling = (uint32_t)k->async_scheduling,
	    .policy = (enum scheduling_policy)k->scheduling_policy,
	    .api_overhead_ns = llround(1e3 * k->api_overhead_us),
	    .response_overhead_ns = llround(1e3 * k->response_overhead_us),
	    .schedule_ns = llround(1e3 * k->schedule_us),
	    .replicas = (uint32_t)k->replicas,
	    .routing = (enum routing)k->routing,
	    .seed = f->seed,
	    .kv_transfer_latency_ns = llround(1e3 * k->kv_transfer_latency_us),
	    .slo = {llround(1e6 * s->ttft_ms), llround(1e6 * s->tpot_ms),
		    llround(1e6 * s->e2el_ms)},
	};
	if (read_graph(&e->graph_max_tokens, k, f->cfg, p) ||
	    resolve_pools(e, k, f, p))
		return -1;
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
	*view = (sc_engine){
	    .size = sizeof *view,
	    .max_num_seqs = e->max_num_seqs,
	    .max_num_batched_tokens = e->max_num_batched_tokens,
	    .block_size = e->block_size,
	    .graph_max_tokens = e->graph_max_tokens,
	    .async_scheduling = e->async_scheduling,
	};
	*parallel = (sc_parallel){
	    .size = sizeof *parallel,
	    .tp = e->tp,
	    .pp = 1,
	    .ep = 1,
	    .dp = 1,
	};
}

double engine_kv_bytes_per_token(const sc_model *m, uint32_t tp)
{
	double elements = 0;
	for (uint32_t i = 0; i < m->n_groups; i++) {
		const sc_layers *g = m->group[i];
		uint32_t heads = g->n_kv_heads / tp;
		double layer = 2.0 * (heads ? heads : 1) * g->head_dim;
		if (g->attention == SC_ATTN_MLA)
			layer = (double)g->kv_lora_rank + g->qk_rope_dim;
		else if (g->attention == SC_ATTN_NONE ||
			 g->attention == SC_ATTN_LINEAR)
			layer = 0;
		elements += g->n_layers * layer;
	}
	return elements * m->kv_bits / 8;
}
