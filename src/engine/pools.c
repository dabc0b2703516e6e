/* pools.c -- Resolves prefill and decode apart. */
#include "engine/pools.h"
#include <inttypes.h>
#include <string.h>

static int is_pool(const struct engine_facts *f)
{
	return f->from && f->from->pool;
}

/* Returns 1 if it only generates, under a scheduler without vLLM's
 * connectors. */
static int is_receiver(const struct engine *e, const struct engine_facts *f)
{
	return is_pool(f) && !strcmp(f->from->pool, engine_pool_section[1]) &&
	       e->scheduler != SCHEDULER_VLLM;
}

/* The links of a decode replica that its bytes pass at once. */
static uint32_t links_of(const struct engine *e, const struct engine_keys *k)
{
	return k->kv_transfer_links == LINK_OF_GPU
		   ? e->parallel.tp * e->parallel.pp
		   : 1;
}

static int check_pools(const struct engine *e, const struct engine_keys *k,
		       const struct engine_facts *f, struct problem *p)
{
	if (is_receiver(e, f) && e->trtllm.capacity != CAPACITY_NO_EVICT)
		return engine_refuse(
		    p, f->from, "capacity_scheduler_policy",
		    "capacity_scheduler_policy = %s: not simulated in [%s]",
		    capacity_policy_words[e->trtllm.capacity],
		    engine_pool_section[1]);
	if (e->scheduler != SCHEDULER_VLLM && k->num_speculative_tokens &&
	    !is_receiver(e, f))
		return engine_refuse(
		    p, f->from, "num_speculative_tokens",
		    "num_speculative_tokens = %" PRId64
		    ": under scheduler = %s drafts are simulated in [%s] alone",
		    k->num_speculative_tokens,
		    engine_scheduler_words[e->scheduler],
		    engine_pool_section[1]);
	if (is_pool(f) && e->prefill_replicas)
		return engine_refuse(
		    p, f->from, "prefill_replicas",
		    "prefill_replicas = %" PRIu32
		    ": prefill and decode replicas are counted separately; set "
		    "replicas in [%s] and [%s]",
		    e->prefill_replicas, engine_pool_section[0],
		    engine_pool_section[1]);
	if (e->prefill_replicas && e->prefill_replicas >= e->replicas)
		return engine_refuse(p, f->from, "prefill_replicas",
				     "prefill_replicas = %" PRIu32
				     ": must be fewer than replicas = %" PRIu32
				     ", so that one generates",
				     e->prefill_replicas / e->ranks,
				     e->replicas / e->ranks);
	return 0;
}

int pools_resolve(struct engine *e, const struct engine_keys *k,
		  const struct engine_facts *f, struct problem *p)
{
	e->prefill_replicas = (uint32_t)k->prefill_replicas * e->ranks;
	if (check_pools(e, k, f, p) < 0)
		return -1;
	if (e->prefill_replicas == 0 && !is_pool(f))
		return 0;
	for (uint32_t i = 0; i < e->parallel.pp; i++)
		e->kv_bytes_per_token +=
		    f->share[i].kv_bytes_per_token * e->parallel.tp;
	e->kv_transfer_bytes_per_s = k->kv_transfer_bandwidth_gbs > 0
					 ? k->kv_transfer_bandwidth_gbs * 1e9
					 : f->link_bytes_per_s;
	e->kv_transfer_bytes_per_s *= links_of(e, k);
	if (e->kv_bytes_per_token <= 0 || e->kv_transfer_bytes_per_s <= 0)
		return engine_refuse(p, f->from,
				     is_pool(f) ? "kv_transfer_bandwidth_gbs"
						: "prefill_replicas",
				     "%s: the KV bytes of a token and "
				     "kv_transfer_bandwidth_gbs must be known",
				     is_pool(f) ? f->from->pool
						: "prefill_replicas");
	return 0;
}

int engine_join(struct engine *e, const struct engine *decode,
		const struct engine_source *from, struct problem *p)
{
	const char *key =
	    e->kv_connector != decode->kv_connector       ? "kv_connector"
	    : e->pd_first_token != decode->pd_first_token ? "pd_first_token"
	    : e->proxy_ns != decode->proxy_ns             ? "proxy_us"
	    : e->pd_fixed_ns != decode->pd_fixed_ns       ? "pd_fixed_us"
							  : NULL;
	if (key)
		return engine_refuse(
		    p, from, key, "%s: must be the same in [%s] and [%s]", key,
		    engine_pool_section[0], engine_pool_section[1]);
	e->prefill_replicas = e->replicas;
	e->replicas += decode->replicas;
	e->decode = decode;
	return 0;
}
