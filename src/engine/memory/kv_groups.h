/* engine/memory/kv_groups.h -- how vLLM lays out the KV cache of a model with
 * layers that keep different tokens: KV-cache groups.
 *
 * Layers that keep the same tokens in pages of the same size are one kind.  The
 * layers of a kind are dealt out to groups of about the same size over all
 * kinds; the layers of a group share a table of blocks, and a block id stands
 * for a page in each of them.  If all layers are alike, the model is one group;
 * so are layers of full attention with pages of different sizes, where a block
 * is a page of each.
 *
 * A layer of linear attention keeps a state of fixed size for a sequence.  A
 * state is a page, too: attention's blocks get larger until the state fits, and
 * the state is padded up to the page.
 * Source: vLLM, v1/core/kv_cache_utils.py, platforms/interface.py.
 *
 * Plain values, no memory.  [any thread] */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include "base/problem.h"

enum { KV_KINDS = 8 }; /* at most */

/* Layers that keep the same. */
struct kv_layers {
	uint32_t n;
	uint32_t window;    /* tokens that are kept; 0: all                  */
	double token_bytes; /* of a token in one layer, on one GPU           */
	double state_bytes; /* of a sequence; 0: the layers keep tokens      */
};

/* The states that are kept (vLLM: mamba_cache_mode): that of the last token;
 * one for every block of tokens; that at the end of a step, at ends of blocks.
 */
enum kv_state {
	KV_TOKENS, /* no states */
	KV_STATE_LAST,
	KV_STATE_ALL,
	KV_STATE_ALIGNED
};

struct kv_kind {
	enum kv_state state;
	uint32_t drafts; /* speculative tokens, each with a state            */
	uint32_t window;
	uint32_t block_size; /* tokens */
	uint32_t n_layers, n_groups;
};

/* n_kinds 0: one group of layers that keep all, of no known size. */
struct kv_groups {
	uint32_t n_kinds;
	struct kv_kind kind[KV_KINDS]; /* in order of the first layer        */
	uint32_t n_layers;             /* of the largest group               */
	double page_bytes; /* of a block in one layer, on one GPU            */
	/* found prefixes are whole multiples of hit_unit, keys are made of
	 * key_unit tokens at a time */
	uint32_t hit_unit, key_unit;
};

struct kv_layout {
	uint32_t block_size; /* of layers that keep tokens, at least         */
	/* If the counts of kinds differ by less than this factor, they are not
	 * cut into smaller groups. */
	double padding;
	/* Only for models with recurrent states: */
	enum kv_state state;
	uint32_t kernel_block; /* attention's blocks are multiples of this   */
	uint32_t chunk;  /* tokens of the scan, for KV_STATE_ALL             */
	uint32_t drafts; /* speculative tokens                               */
};
/* layer[n]: in order of the first of each.  0, or -1 with *p (EXIT_USAGE):
 * pages that do not divide the largest, which vLLM refuses; KV_STATE_ALL
 * without a chunk. */
int kv_groups_make(struct kv_groups *g, const struct kv_layers *layer, size_t n,
		   const struct kv_layout *o, struct problem *p);
/* Returns 1 if layers keep states. */
int kv_groups_have_states(const struct kv_groups *g);
/* Returns 1 if some keep states at ends of blocks. */
int kv_groups_are_aligned(const struct kv_groups *g);
/* Returns the blocks that a request of `tokens` tokens has in a group of the
 * kind at least; of a window as if all tokens were kept. */
uint64_t kv_kind_blocks(const struct kv_kind *k, uint64_t tokens);
int kv_groups_same(const struct kv_groups *a, const struct kv_groups *b);
/* Tables of a request. */
uint32_t kv_groups_count(const struct kv_groups *g);
/* Layers of the kind's group i: layer j is in group j mod n_groups. */
static inline uint32_t kv_group_layers(const struct kv_kind *k, uint32_t i)
{
	return (k->n_layers - i + k->n_groups - 1) / k->n_groups;
}
/* Block ids that kv_bytes on one GPU have room for: floor(floor(bytes / page) /
 * layers of the largest group). */
double kv_groups_blocks(const struct kv_groups *g, double kv_bytes);
/* Most blocks that a request holds in a group of the kind while at most
 * in_flight of its tokens are computed at once.  max_len 0: no bound.
 *   full    ceil(max_len / block_size)
 *   window  ceil(min(window - 1 + in_flight, max_len) / block_size) + 1
 *   state   1 + drafts; aligned 2 + drafts; all as full */
uint64_t kv_kind_most(const struct kv_kind *k, uint64_t in_flight,
		      uint64_t max_len);
/* Most blocks that a request of `tokens` tokens has at one time. */
uint64_t kv_groups_need(const struct kv_groups *g, uint64_t tokens,
			uint64_t in_flight, uint64_t max_len);
/* Requests of max_len tokens that n_blocks block ids have room for at once. */
double kv_groups_concurrency(const struct kv_groups *g, double n_blocks,
			     uint64_t in_flight, uint64_t max_len);
/* "mamba:12x16;window:12x16;full:12x16": layers x block size of each group;
 * mamba, as vLLM says, are states of any kind.  Returns buf,
 * cut off at its end. */
const char *kv_groups_text(char *buf, size_t size, const struct kv_groups *g);
