/* memory.c -- Compares what a GPU would hold with its memory. */
#include "engine/memory/memory.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "engine/keys/source.h"

double memory_stages(const struct engine_facts *f, const struct engine_share *s)
{
	double all = 0;
	for (uint32_t i = 0; i < f->parallel.pp; i++)
		all += f->share[i].kv_bytes_per_token;
	return all / s->kv_bytes_per_token;
}

static int is_known(const struct engine_facts *f)
{
	return f->usable_bytes > 0 && f->share[0].weight_bytes > 0;
}

/* Returns the bytes that n blocks of a replica take on a GPU of the stage. */
static double kv_bytes(const struct engine *e, const struct engine_facts *f,
		       const struct engine_share *s, double n)
{
	const struct kv_groups *g = &e->kv_groups;
	if (!(s->kv_bytes_per_token > 0))
		return 0;
	if (g->n_kinds)
		return n * g->n_layers * g->page_bytes / memory_stages(f, s);
	return n / e->step_ranks * e->block_size * s->kv_bytes_per_token;
}

/* Returns how many blocks the bytes on a GPU of the stage hold. */
static double blocks_in(const struct engine *e, const struct engine_facts *f,
			const struct engine_share *s, double bytes)
{
	if (bytes <= 0)
		return 0;
	if (e->kv_groups.n_kinds)
		return kv_groups_blocks(&e->kv_groups,
					bytes * memory_stages(f, s));
	return floor(bytes / s->kv_bytes_per_token / e->block_size) *
	       e->step_ranks;
}

/* What a GPU of one stage would hold. */
struct held {
	uint32_t stage;
	double kv_bytes, all_bytes;
};

static double beside_weights(const struct engine_keys *k)
{
	return MEMORY_ACTIVATIONS_BYTES + k->graph_memory_bytes;
}

/* Finds the pipeline stage with the fullest GPUs.  Returns its index and its
 * bytes. */
static struct held fullest(const struct engine *e, const struct engine_keys *k,
			   const struct engine_facts *f)
{
	struct held most = {0, 0, 0};
	double blocks = e->num_gpu_blocks == ENGINE_UNLIMITED
			    ? e->step_ranks
			    : (double)e->num_gpu_blocks;
	for (uint32_t i = 0; i < f->parallel.pp; i++) {
		const struct engine_share *s = &f->share[i];
		double kv = kv_bytes(e, f, s, blocks);
		double all = s->weight_bytes + kv + beside_weights(k);
		if (all > most.all_bytes)
			most = (struct held){i, kv, all};
	}
	return most;
}

/* Returns how many blocks of an unlimited cache the memory holds; 0: there is
 * no limit. */
static uint64_t room(const struct engine *e, const struct engine_keys *k,
		     const struct engine_facts *f)
{
	double least = INFINITY;
	if (e->num_gpu_blocks != ENGINE_UNLIMITED)
		return 0;
	for (uint32_t i = 0; i < f->parallel.pp; i++) {
		const struct engine_share *s = &f->share[i];
		double left =
		    f->usable_bytes - s->weight_bytes - beside_weights(k);
		if (s->kv_bytes_per_token > 0)
			least = fmin(least, blocks_in(e, f, s, left));
	}
	return isfinite(least) ? (uint64_t)least : 0;
}

/* "594.2 GB of weights, 0.9 GB of activations and 3 GB of KV"; returns buf. */
static const char *say_held(char *buf, size_t size, const struct held *h,
			    const struct engine_keys *k,
			    const struct engine_facts *f)
{
	char stage[40] = "", graphs[40] = "";
	if (f->parallel.pp > 1)
		snprintf(stage, sizeof stage, " of stage %" PRIu32,
			 h->stage + 1);
	if (k->graph_memory_bytes > 0)
		snprintf(graphs, sizeof graphs, ", %.4g GB of graphs",
			 k->graph_memory_bytes / 1e9);
	snprintf(buf, size,
		 "a GPU%s would hold %.4g GB of weights, %.4g GB of "
		 "activations%s and %.4g GB of KV, and has %.4g GB",
		 stage, f->share[h->stage].weight_bytes / 1e9,
		 MEMORY_ACTIVATIONS_BYTES / 1e9, graphs, h->kv_bytes / 1e9,
		 f->usable_bytes / 1e9);
	return buf;
}

int memory_check(struct engine *e, const struct engine_keys *k,
		 const struct engine_facts *f, struct problem *p)
{
	char text[200];
	int is_on = k->memory_check == MEMORY_CHECK_ON;
	e->kv_room_blocks = is_on && is_known(f) ? room(e, k, f) : 0;
	const struct held most = fullest(e, k, f);
	if (!is_known(f) || most.all_bytes <= f->usable_bytes)
		return 0;
	say_held(text, sizeof text, &most, k, f);
	if (is_on) {
		engine_refuse(p, f->from, "num_gpu_blocks",
			      "num_gpu_blocks = %s: %s; memory_check = off "
			      "simulates it all the same",
			      k->num_gpu_blocks, text);
		return ENGINE_NO_ROOM;
	}
	size_t n = strlen(e->blocks_text);
	snprintf(e->blocks_text + n, sizeof e->blocks_text - n,
		 "; memory_check = off: %s", text);
	return 0;
}
