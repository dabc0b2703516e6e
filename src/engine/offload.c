/* offload.c -- Resolves the keys of KV offloading. */
#include "engine/offload.h"
#include <inttypes.h>
#include <math.h>
#include "engine/keys/source.h"

/* The key that switches it on; NULL: it is off. */
static const char *switch_of(const struct engine_keys *k)
{
	return k->cpu_bytes_to_use > 0     ? "cpu_bytes_to_use"
	       : k->kv_offloading_size > 0 ? "kv_offloading_size"
					   : NULL;
}

/* Returns 1 if all groups have blocks of the same number of tokens. */
static int is_even(const struct kv_groups *g)
{
	return g->hit_unit == g->key_unit;
}

/* Returns the part of the engine that offloading is not simulated with; NULL:
 * there is none. */
static const char *offload_conflict(const struct engine *e,
				    const struct engine_facts *f)
{
	if (engine_stages(e) > 1)
		return "pipeline_parallel_size";
	if (e->lockstep_ranks > 1)
		return "ranks in lockstep";
	if (e->prefill_replicas || (f->from && f->from->pool))
		return "prefill and decode apart";
	if (e->kv_groups.n_kinds == 0)
		return "a model of unknown KV";
	if (kv_groups_have_states(&e->kv_groups))
		return "layers that keep states";
	if (!is_even(&e->kv_groups))
		return "layers with blocks of different sizes";
	if (e->num_gpu_blocks == ENGINE_UNLIMITED)
		return "num_gpu_blocks = unlimited";
	if (e->empty_sleep_ns == 0)
		return "empty_sleep_us = 0";
	return NULL;
}

/* Computes the rules of offloading from the keys; refuses a host without room
 * for a chunk, or with a link of unknown speed. */
static int resolve(struct offload_rules *r, const struct engine *e,
		   const struct engine_keys *k, const struct engine_facts *f,
		   struct problem *p)
{
	const char *by = switch_of(k);
	double bytes = k->cpu_bytes_to_use > 0
			   ? (double)k->cpu_bytes_to_use
			   : k->kv_offloading_size * 1073741824.;
	double chunk_bytes = (double)k->blocks_per_chunk *
			     e->kv_groups.page_bytes * e->kv_groups.n_layers;
	r->blocks_per_chunk = (uint32_t)k->blocks_per_chunk;
	r->policy = (enum eviction_policy)k->eviction_policy;
	r->store_threshold = (uint32_t)k->store_threshold;
	r->prompt_only = (uint32_t)k->offload_prompt_only;
	r->bytes_per_ns = k->kv_offload_bandwidth_gbs;
	r->latency_ns = llround(1e3 * k->kv_offload_latency_us);
	bytes = floor(bytes / (chunk_bytes * e->parallel.tp));
	if (bytes < 1 || bytes > UINT32_MAX / 4)
		return engine_refuse(
		    p, f->from, by,
		    "%s: has room for %g chunks of %" PRIu32
		    " blocks; from 1 to %" PRIu32 " are simulated",
		    by, bytes, r->blocks_per_chunk, UINT32_MAX / 4);
	r->chunks = (uint64_t)bytes;
	if (r->bytes_per_ns > 0)
		return 0;
	return engine_refuse(p, f->from, "kv_offload_bandwidth_gbs",
			     "%s: how fast the link to the host copies is not "
			     "known; give kv_offload_bandwidth_gbs, about 50 "
			     "for PCIe 5 x16 and 25 for PCIe 4 x16",
			     by);
}

int offload_resolve(struct engine *e, const struct engine_keys *k,
		    const struct engine_facts *f, struct problem *p)
{
	const char *by = switch_of(k),
		   *what = by ? offload_conflict(e, f) : NULL;
	if (!by)
		return 0;
	if (k->cpu_bytes_to_use > 0 && k->kv_offloading_size > 0)
		return engine_refuse(p, f->from, by,
				     "cpu_bytes_to_use and kv_offloading_size: "
				     "give only one of the two");
	if (what)
		return engine_refuse(p, f->from, by,
				     "%s: offloading is not simulated with %s",
				     by, what);
	return resolve(&e->offload, e, k, f, p);
}
