/* setup/engine.h -- the serving engine as configured: the keys of [engine] and
 * [slo], and the plain numbers that a simulation works with.
 *
 * The names are vLLM's.  struct engine_keys is what knobs_fill() stores;
 * engine_resolve() turns it into struct engine, where nothing is "auto" any
 * more and times are integer ns.  [any thread]; no allocation, no printing. */
#ifndef SC_SETUP_ENGINE_H
#define SC_SETUP_ENGINE_H
#include <stdint.h>
#include "base/ini.h"
#include "base/problem.h"
#include "stepcost/plugin.h"

struct engine_keys {
	int64_t tensor_parallel_size;
	int64_t max_num_seqs, max_num_batched_tokens, max_model_len;
	int64_t long_prefill_token_threshold;
	int64_t block_size;
	const char *num_gpu_blocks; /* auto | unlimited | N */
	double gpu_memory_utilization;
	int64_t enable_prefix_caching, async_scheduling, scheduling_policy;
	double api_overhead_us, response_overhead_us, schedule_us;
	const char *graph_max_tokens; /* auto | N */
	int64_t replicas, routing;
	int64_t prefill_replicas;
	const char *decode_cost_model; /* an arm's name; "": the same */
	double kv_transfer_bandwidth_gbs, kv_transfer_latency_us;
};
extern const sc_knob *const engine_key[];
extern const uint32_t engine_n_keys;
/* Of all replicas together. */
uint64_t engine_gpus(const struct engine_keys *k);

struct slo_keys {
	double ttft_ms, tpot_ms, e2el_ms; /* 0: none */
};
extern const sc_knob *const slo_key[];
extern const uint32_t slo_n_keys;

enum scheduling_policy { POLICY_FCFS, POLICY_PRIORITY };
enum routing {
	ROUTE_ROUND_ROBIN,
	ROUTE_LEAST_OUTSTANDING,
	ROUTE_POWER_OF_TWO,
	ROUTE_PREFIX_AFFINITY,
};

/* A request is served within its SLO if each of these holds; 0: no bound. */
struct slo {
	int64_t ttft_ns, tpot_ns, e2el_ns;
};

#define ENGINE_UNLIMITED UINT64_MAX /* of num_gpu_blocks */

struct engine {
	uint32_t tp;
	uint32_t max_num_seqs, max_num_batched_tokens;
	uint32_t max_model_len; /* 0: no bound                               */
	uint32_t long_prefill_token_threshold; /* 0: none                    */
	uint32_t block_size;
	uint64_t num_gpu_blocks; /* of one replica, or ENGINE_UNLIMITED      */
	uint32_t prefix_caching, async_scheduling; /* 0 or 1                 */
	enum scheduling_policy policy;
	int64_t api_overhead_ns; /* from the client to the scheduler         */
	int64_t response_overhead_ns; /* from a step's end to the client     */
	int64_t schedule_ns;
	uint32_t graph_max_tokens; /* 0: eager                               */
	uint32_t replicas; /* all of them                                    */
	enum routing routing;
	uint64_t seed; /* of power_of_two                                    */
	/* Disaggregation: replicas 0 … prefill_replicas − 1 compute prompts
	 * (pool 0), the others generate (pool 1).  0: one pool does both. */
	uint32_t prefill_replicas;
	double kv_bytes_per_token; /* all that a replica holds of a token    */
	double kv_transfer_bytes_per_s;
	int64_t kv_transfer_latency_ns;
	struct slo slo;
	char blocks_text[200]; /* what num_gpu_blocks resolved to, and why   */
};

/* Facts that the keys do not give. */
struct engine_facts {
	uint64_t model_max_len; /* of the model; 0: unknown                  */
	double weight_bytes; /* of all parameters, all ranks; 0: unknown     */
	double kv_bytes_per_token; /* on one GPU at this tp; 0: unknown      */
	double usable_bytes; /* of one GPU's memory; 0: unknown              */
	double link_bytes_per_s; /* between GPUs; 0: unknown                 */
	uint64_t seed;
	const struct ini *cfg; /* for the place of a key in messages, or NULL */
};

/* Checks the keys that knobs_fill() leaves as text: num_gpu_blocks,
 * graph_max_tokens.  0, or -1 with EXIT_USAGE and "file:line: what" in *p. */
int engine_check(const struct engine_keys *k, const struct ini *cfg,
		 struct problem *p);
/* The engine that the keys describe.  0, or -1 with EXIT_USAGE and one line in
 * *p, beginning with the key's place if f->cfg is given. max_num_batched_tokens
 * below max_num_seqs is served (vLLM refuses it); a cache without room for one
 * block is refused. */
int engine_resolve(struct engine *e, const struct engine_keys *k,
		   const struct slo_keys *s, const struct engine_facts *f,
		   struct problem *p);
/* 1: both decide alike which requests are in which step, whatever a step
 * costs. */
int engine_schedules_alike(const struct engine *a, const struct engine *b);
/* As a cost model sees it. */
void engine_view(sc_engine *view, sc_parallel *parallel,
		 const struct engine *e);
/* KV bytes that one GPU keeps of a token:
 *   full, window and chunk layers  2 · max(1, kv_heads / tp) · head_dim
 *   MLA                            kv_lora_rank + qk_rope_dim, on every GPU
 * elements of kv_bits each; linear layers keep none. */
double engine_kv_bytes_per_token(const sc_model *m, uint32_t tp);
#endif
