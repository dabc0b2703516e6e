/* stepcost/kernel/launch_law.h -- header-only helper: the time of attention of
 * one layer where a kernel of prompts computes it, FlashAttention-2's: chunks
 * behind cached tokens, and decodes that share a launch with prompts.
 *
 * A block of the kernel takes a tile of queries of one head through all the
 * keys that they see.  The keys of a sequence are not split among blocks, and
 * the heads of a group are not packed into one tile.  So one decode occupies a
 * tile of a head by itself, and a chunk of few queries leaves SMs idle.
 *
 *   block  = 4 us + keys * tile * 4 head_dim FLOP / (rate / SMs)
 *   launch = 4 us + max(longest block, blocks / SMs + tail, bytes / bandwidth)
 *
 *   tail:  SMs wait for the last ones, half of the longest block on average;
 *          in proportion between one and two blocks an SM, none below
 *   bytes: the KV cache once.  Heads of a group that run at different times
 *          read that of the decodes again, as far as the keys of one head, of
 *          all sequences, have left the second-level cache by then.
 *
 * Rate, bandwidth and SMs are the GPU's.  The 4 us are fitted, the rest is the
 * kernel's construction: attention_mixed of rtxpro6000.llmservingsim and
 * rtx4090.llmservingsim, all rows with prompts (t/plugins/launches): mean error
 * 9.6 and 10.2 %, where the sum of two launches is 35 % too short.  Either GPU
 * alone gives 4 to 6 us. */
#ifndef SC_LAUNCH_LAW_H
#define SC_LAUNCH_LAW_H
#include <math.h>
#include <stdint.h>

#define SC_LAUNCH_US 4. /* of an empty kernel */
#define SC_BLOCK_US 4.  /* of a block without keys */
#define SC_LAUNCH_TAIL .5
/* Queries of a tile: FlashAttention-2 in a paged KV cache, as in vLLM, and in
 * packed keys, as in PyTorch; at a head size of 128. */
#define SC_TILE_PAGED 64.
#define SC_TILE_PACKED 128.
/* FlashAttention-2 lacks Hopper's asynchronous instructions: the share of the
 * peak that it reaches there (arXiv 2407.08608, section 1). */
#define SC_HOPPER_SHARE .35

/* The kernel of a layer on one rank, and the GPU.  FLOP/us and bytes/us that
 * are reached when all SMs are busy. */
struct sc_launch {
	double heads, kv_heads, head_dim, window; /* window 0: none */
	double rate, bandwidth, l2_bytes, cache_bytes, sms, tile;
};

/* What one head computes in a launch; zeroed: nothing. */
struct sc_launch_work {
	double blocks, keys, longest; /* keys of all blocks; of the longest */
	double decodes, context;      /* sum of contexts */
	double read;                  /* tokens of the KV cache of prompts */
};

/* Returns the keys that a tile sees behind `last` tokens. */
static inline double sc_launch_seen(const struct sc_launch *l, double last)
{
	return l->window > 0 ? fmin(last, l->window + l->tile - 1) : last;
}

/* A chunk of `tokens` behind `cached` ones. */
static inline void sc_launch_chunk(struct sc_launch_work *w,
				   const struct sc_launch *l, double tokens,
				   double cached)
{
	double blocks = ceil(tokens / l->tile);
	double missing = blocks * l->tile - tokens; /* of the last tile */
	double mean = cached + (l->tile * (blocks + 1) / 2 - missing / blocks);
	w->blocks += blocks;
	w->keys += blocks * sc_launch_seen(l, mean);
	w->longest = fmax(w->longest, sc_launch_seen(l, cached + tokens));
	w->read += sc_launch_seen(l, cached) + tokens;
}

/* `n` decodes of this mean context, the longest of them with `longest`. */
static inline void sc_launch_decodes(struct sc_launch_work *w,
				     const struct sc_launch *l, double n,
				     double mean, double longest)
{
	w->blocks += n;
	w->keys += n * sc_launch_seen(l, mean);
	w->longest = fmax(w->longest, sc_launch_seen(l, longest));
	w->decodes += n;
	w->context += n * (l->window > 0 ? fmin(mean, l->window) : mean);
}

/* Returns how often the KV cache of the decodes is read: once where the heads
 * of a group run at a time or find it in the second-level cache, which keeps
 * nothing of a stream twice its size. */
static inline double sc_launch_reads(const struct sc_launch *l,
				     const struct sc_launch_work *w)
{
	double group = l->heads / l->kv_heads;
	double together = fmax(1, floor(l->sms / w->decodes));
	double stream = 2 * l->head_dim * l->cache_bytes * w->context;
	double lost = l->l2_bytes > 0 ? stream / l->l2_bytes - 1 : 0;
	if (!(w->decodes > 0) || together >= group)
		return 1;
	return 1 + (group / together - 1) * fmax(0, fmin(1, lost));
}

/* Returns us of one layer. */
static inline double sc_launch_us(const struct sc_launch *l,
				  const struct sc_launch_work *w)
{
	double key_us = 4 * l->head_dim * l->tile * l->sms / l->rate;
	double longest = SC_BLOCK_US + w->longest * key_us;
	double busy = l->heads * w->blocks / l->sms;
	double mean = busy * SC_BLOCK_US + l->heads * w->keys / l->sms * key_us;
	double tail = SC_LAUNCH_TAIL * longest * fmax(0, fmin(1, busy - 1));
	double bytes = 2 * l->kv_heads * l->head_dim * l->cache_bytes *
		       (w->read + w->context * sc_launch_reads(l, w));
	return SC_LAUNCH_US +
	       fmax(fmax(longest, mean + tail), bytes / l->bandwidth);
}
#endif
