/* stepcost/exec/cache.h -- header-only helper for plugins: keeps answers by the
 * shape of a step.  The shape is everything in the step except its index.
 *
 *   slot = hash(shape) mod SC_EXEC_CACHE_SLOTS, then the next one
 *
 *   size_t n = sc_exec_key(&cache, step);   0: too large to be kept
 *   struct sc_exec_slot *slot = sc_exec_find(&cache, n);
 *   if (slot->n)
 *           *out = slot->result;            asked before
 *   else
 *           sc_exec_keep(&cache, slot, n, &answer);
 */
#ifndef SC_EXEC_CACHE_H
#define SC_EXEC_CACHE_H
#include <stdlib.h>
#include <string.h>
#include "stepcost/plugin.h"

#ifndef SC_EXEC_CACHE_SLOTS
#define SC_EXEC_CACHE_SLOTS 65536u /* a power of two */
#endif
#define SC_EXEC_CACHE_BYTES ((size_t)64 << 20)

struct sc_exec_slot {
	uint64_t hash;
	size_t at, n; /* place of the key in keys[]; n is 0: free */
	sc_result result;
};

/* The memory is reserved at create() and not touched before it is used.  A
 * cache that is three quarters full forgets everything. */
struct sc_exec_cache {
	struct sc_exec_slot *slot;
	unsigned char *keys;
	size_t used, n;
	double *sigma_us; /* [slots][n_sigma] numbers behind the answers' */
	uint32_t n_sigma;
};

/* Returns SC_OK or SC_ENOMEM.  The caller frees the cache in either case. */
static inline int32_t sc_exec_cache_new(struct sc_exec_cache *c,
					uint32_t n_sigma)
{
	c->n_sigma = n_sigma;
	c->sigma_us = (double *)calloc(
	    (size_t)SC_EXEC_CACHE_SLOTS * n_sigma + 1, sizeof *c->sigma_us);
	c->slot =
	    (struct sc_exec_slot *)calloc(SC_EXEC_CACHE_SLOTS, sizeof *c->slot);
	c->keys = (unsigned char *)calloc(1, SC_EXEC_CACHE_BYTES);
	return c->slot && c->keys && c->sigma_us ? SC_OK : SC_ENOMEM;
}

static inline void sc_exec_cache_free(struct sc_exec_cache *c)
{
	free(c->slot);
	free(c->keys);
	free(c->sigma_us);
}

static inline void sc_exec_forget(struct sc_exec_cache *c)
{
	for (size_t i = 0; i < SC_EXEC_CACHE_SLOTS; i++)
		c->slot[i].n = 0;
	c->used = c->n = 0;
}

/* Writes the key of a step behind the keys in use: everything that the program
 * is told, except the step's index.  Returns the length of the key, or 0 if the
 * key is larger than an empty cache. */
static inline size_t sc_exec_key(struct sc_exec_cache *c, const sc_step *s)
{
	const uint32_t *prompt =
	    SC_HAS(s, prefill_prompt) ? s->prefill_prompt : NULL;
	const uint32_t head[] = {s->flags,
				 s->n_sampled,
				 s->n_prefill,
				 s->n_decode,
				 s->prefill_last != NULL,
				 s->decode_new != NULL,
				 prompt != NULL};
	size_t np = s->n_prefill * sizeof(uint32_t);
	size_t nd = s->n_decode * sizeof(uint32_t);
	size_t most = sizeof head + 4 * np + 2 * nd;
	if (most > SC_EXEC_CACHE_BYTES)
		return 0;
	if (c->used + most > SC_EXEC_CACHE_BYTES)
		sc_exec_forget(c);
	unsigned char *at = c->keys + c->used, *from = at;
	const struct {
		const void *v;
		size_t n;
	} part[] = {{head, sizeof head},
		    {s->prefill_new, np},
		    {s->prefill_ctx, np},
		    {s->prefill_last, s->prefill_last ? np : 0},
		    {s->decode_ctx, nd},
		    {s->decode_new, s->decode_new ? nd : 0},
		    {prompt, prompt ? np : 0}};
	for (size_t i = 0; i < sizeof part / sizeof *part; i++)
		if (part[i].n) {
			memcpy(at, part[i].v, part[i].n);
			at += part[i].n;
		}
	return (size_t)(at - from);
}

/* Finds the key of n bytes that sc_exec_key() wrote.  Returns its slot, or the
 * free slot where it belongs. */
static inline struct sc_exec_slot *sc_exec_find(struct sc_exec_cache *c,
						size_t n)
{
	const unsigned char *key = c->keys + c->used;
	uint64_t h = n;
	for (size_t i = 0; i < n; i += sizeof(uint32_t)) {
		uint32_t word;
		memcpy(&word, key + i, sizeof word);
		h = (h ^ word) * UINT64_C(0x9e3779b97f4a7c15);
		h ^= h >> 29;
	}
	size_t i = h & (SC_EXEC_CACHE_SLOTS - 1);
	while (c->slot[i].n && (c->slot[i].hash != h || c->slot[i].n != n ||
				memcmp(c->keys + c->slot[i].at, key, n)))
		i = (i + 1) & (SC_EXEC_CACHE_SLOTS - 1);
	c->slot[i].hash = h;
	return &c->slot[i];
}

/* Copies a kept answer, with the numbers behind sigma_us, into the caller's. */
static inline void sc_exec_answer(const struct sc_exec_cache *c,
				  const struct sc_exec_slot *slot,
				  sc_result *out)
{
	double *part = out->part_us, *sigma = out->sigma_us;
	*out = slot->result;
	out->part_us = part;
	out->sigma_us = sigma;
	if (sigma)
		memcpy(sigma,
		       c->sigma_us + (size_t)(slot - c->slot) * c->n_sigma,
		       c->n_sigma * sizeof *sigma);
}

/* Keeps the answer to the key of n bytes that sc_exec_key() wrote. */
static inline void sc_exec_keep(struct sc_exec_cache *c,
				struct sc_exec_slot *slot, size_t n,
				const sc_result *answer)
{
	slot->at = c->used;
	slot->n = n;
	slot->result = *answer;
	if (answer->sigma_us)
		memcpy(c->sigma_us + (size_t)(slot - c->slot) * c->n_sigma,
		       answer->sigma_us, c->n_sigma * sizeof *c->sigma_us);
	c->used += n;
	if (++c->n >= SC_EXEC_CACHE_SLOTS / 4 * 3)
		sc_exec_forget(c);
}
#endif
