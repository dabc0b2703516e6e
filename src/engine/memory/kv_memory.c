/* kv_memory.c -- Finds out how many KV blocks there are. */
#include "engine/memory/kv_memory.h"
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "engine/count.h"
#include "engine/memory/memory.h"

/* Refuses auto, and returns ENGINE_NO_ROOM. */
__attribute__((format(printf, 3, 4))) static int
no_room(struct problem *p, const struct engine_facts *f, const char *fmt, ...)
{
	char why[200];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(why, sizeof why, fmt, ap);
	va_end(ap);
	engine_refuse(p, f->from, "num_gpu_blocks", "num_gpu_blocks = auto: %s",
		      why);
	return ENGINE_NO_ROOM;
}

/* Refuses weights that leave nothing for KV on the GPUs of a stage. */
static int no_rest(struct problem *p, const struct engine_facts *f,
		   const struct engine_keys *k, const struct engine_share *s)
{
	double weights = s->weight_bytes / 1e9, all = f->usable_bytes / 1e9;
	if (weights > all)
		return no_room(p, f,
			       "no room for KV: the weights alone take %.4g GB "
			       "of each GPU, which has %.4g GB",
			       weights, all);
	return no_room(p, f,
		       "no room for KV: %.4g of %.4g GB, less %.4g GB of "
		       "weights and 0.9 GB",
		       k->gpu_memory_utilization, all, weights);
}

/* As vLLM counts them.  vLLM never gives out one of them, and refuses a memory
 * without room for one request of max_model_len. */
static int grouped_blocks(struct engine *e, double room,
			  const struct engine_facts *f, struct problem *p)
{
	const struct kv_groups *g = &e->kv_groups;
	uint64_t in_flight = engine_tokens_in_flight(e);
	double ids = kv_groups_blocks(g, room);
	uint32_t kept = e->scheduler == SCHEDULER_VLLM;
	if (!kept && ids < 1)
		return no_room(p, f, "%.4g GB for KV have no room for a block",
			       room / 1e9);
	if (kept && ids < 2)
		return no_room(p, f,
			       "%.4g GB for KV have no room for two blocks",
			       room / 1e9);
	if (kept && e->max_model_len &&
	    kv_groups_concurrency(g, ids, in_flight, e->max_model_len) < 1)
		return no_room(p, f,
			       "%.4g GB for KV have no room for one request of "
			       "max_model_len = %" PRIu32 " tokens",
			       room / 1e9, e->max_model_len);
	e->num_gpu_blocks = (uint64_t)ids - kept;
	snprintf(e->blocks_text, sizeof e->blocks_text,
		 "auto: %" PRIu64 " blocks = %.4g GB for KV / %.8g bytes a "
		 "page / %" PRIu32 " layers%s",
		 e->num_gpu_blocks, room / 1e9, g->page_bytes, g->n_layers,
		 kept ? " - 1" : "");
	return 0;
}

/* Returns the memory of a GPU that weights, activations and graphs leave for
 * the KV cache. */
static double room_beside(const struct engine_share *share,
			  const struct engine_keys *k,
			  const struct engine_facts *f)
{
	const double activations = MEMORY_ACTIVATIONS_BYTES;
	double part = k->gpu_memory_utilization;
	switch ((enum engine_scheduler)k->scheduler) {
	case SCHEDULER_SGLANG:
		return part * f->usable_bytes - share->weight_bytes;
	case SCHEDULER_TENSORRT_LLM:
		return part *
		       (f->usable_bytes - share->weight_bytes - activations);
	default:
		return part * f->usable_bytes - share->weight_bytes -
		       activations - k->graph_memory_bytes;
	}
}

/* Returns the stage with room for the fewest tokens on its GPUs, among the
 * stages that keep KV; NULL: no stage does. */
static const struct engine_share *tightest(const struct engine_keys *k,
					   const struct engine_facts *f)
{
	const struct engine_share *least = NULL;
	for (uint32_t i = 0; i < f->parallel.pp; i++) {
		const struct engine_share *s = &f->share[i];
		if (s->kv_bytes_per_token > 0 &&
		    (!least ||
		     room_beside(s, k, f) / s->kv_bytes_per_token <
			 room_beside(least, k, f) / least->kv_bytes_per_token))
			least = s;
	}
	return least;
}

/* What auto came to, in words. */
static void say_blocks(struct engine *e, const struct engine_keys *k,
		       const struct engine_facts *f,
		       const struct engine_share *s)
{
	double part = k->gpu_memory_utilization, all = f->usable_bytes / 1e9,
	       weights = s->weight_bytes / 1e9;
	char room[100];
	if (e->scheduler == SCHEDULER_SGLANG)
		snprintf(room, sizeof room,
			 "(%.4g * %.4g GB - %.4g GB weights)", part, all,
			 weights);
	else if (e->scheduler == SCHEDULER_TENSORRT_LLM)
		snprintf(room, sizeof room,
			 "%.4g * (%.4g GB - %.4g GB weights - 0.9 GB)", part,
			 all, weights);
	else
		snprintf(room, sizeof room,
			 "(%.4g * %.4g GB - %.4g GB weights - 0.9 GB)", part,
			 all, weights);
	int n = snprintf(e->blocks_text, sizeof e->blocks_text,
			 "auto: %" PRIu64 " blocks = %s / %.8g bytes a token / "
			 "%" PRIu32,
			 e->num_gpu_blocks, room, s->kv_bytes_per_token,
			 e->block_size);
	if (e->step_ranks > 1)
		snprintf(e->blocks_text + n, sizeof e->blocks_text - (size_t)n,
			 " * %" PRIu32 " of data_parallel_size", e->step_ranks);
}

/* Blocks of a model that keeps states alone, which all stages of a
 * pipeline share by their layers. */
static int state_blocks(struct engine *e, const struct engine_keys *k,
			const struct engine_facts *f, struct problem *p)
{
	const struct engine_share *least = &f->share[0];
	for (uint32_t i = 1; i < f->parallel.pp; i++)
		if (room_beside(&f->share[i], k, f) < room_beside(least, k, f))
			least = &f->share[i];
	double room = room_beside(least, k, f);
	if (!(room > 0))
		return no_rest(p, f, k, least);
	return grouped_blocks(e, room * f->parallel.pp, f, p);
}

/* The memory that weights and activations leave, in blocks. */
static int auto_blocks(struct engine *e, const struct engine_keys *k,
		       const struct engine_facts *f, struct problem *p)
{
	const char *missing = !(f->share[0].weight_bytes > 0)
				  ? "the size of the weights is unknown; add "
				    "[model] config = NAME"
			      : f->usable_bytes <= 0
				  ? "the memory of the GPU is unknown; add "
				    "[hardware] config = NAME"
				  : NULL;
	if (missing)
		return engine_refuse(
		    p, f->from, "num_gpu_blocks",
		    "num_gpu_blocks = auto: %s, or give a number of blocks or "
		    "unlimited",
		    missing);
	const struct engine_share *s = tightest(k, f);
	if (!s && e->kv_groups.n_kinds)
		return state_blocks(e, k, f, p);
	if (!s) {
		e->num_gpu_blocks = ENGINE_UNLIMITED;
		snprintf(e->blocks_text, sizeof e->blocks_text,
			 "auto: unlimited, no layer keeps KV of each token");
		return 0;
	}
	double room = room_beside(s, k, f);
	if (room > 0 && e->kv_groups.n_kinds)
		return grouped_blocks(e, room * memory_stages(f, s), f, p);
	double blocks = floor(room / s->kv_bytes_per_token / e->block_size);
	if (blocks < 1)
		return no_rest(p, f, k, s);
	e->num_gpu_blocks = (uint64_t)blocks * e->step_ranks;
	say_blocks(e, k, f, s);
	return 0;
}

/* As given: AUTO_BLOCKS, ENGINE_UNLIMITED or the number. */
enum { AUTO_BLOCKS = 0 };
static int read_blocks(uint64_t *n, const char *text,
		       const struct engine_source *from, struct problem *p)
{
	*n = !strcmp(text, "auto") ? AUTO_BLOCKS : ENGINE_UNLIMITED;
	if (*n == AUTO_BLOCKS || !strcmp(text, "unlimited"))
		return 0;
	/* Block numbers are 32 bits wide. */
	if (count_read(n, text) || *n < 1 || *n > UINT32_MAX / 2)
		return engine_refuse(
		    p, from, "num_gpu_blocks",
		    "num_gpu_blocks = %s: not auto, unlimited or a "
		    "whole number in [1, %" PRIu32 "]",
		    text, UINT32_MAX / 2);
	return 0;
}

int kv_memory_check(const struct engine_keys *k,
		    const struct engine_source *from, struct problem *p)
{
	uint64_t blocks;
	return read_blocks(&blocks, k->num_gpu_blocks, from, p);
}

int kv_memory_resolve(struct engine *e, const struct engine_keys *k,
		      const struct engine_facts *f, struct problem *p)
{
	if (read_blocks(&e->num_gpu_blocks, k->num_gpu_blocks, f->from, p))
		return -1;
	if (e->num_gpu_blocks == AUTO_BLOCKS)
		return auto_blocks(e, k, f, p);
	if (e->num_gpu_blocks == ENGINE_UNLIMITED) {
		snprintf(e->blocks_text, sizeof e->blocks_text,
			 "unlimited, as configured");
		return 0;
	}
	snprintf(e->blocks_text, sizeof e->blocks_text,
		 "%" PRIu64 " blocks, as configured", e->num_gpu_blocks);
	return 0;
}
