/* api/kv_event.h -- the events of a KV cache as vLLM sends them: hashes of
 * blocks, and events about those that were stored and removed, in msgpack.
 *
 * The hash of a block is SHA-256 of canonical CBOR of [hash of the block before
 * it, its token ids, extra or null]; the first one's parent is SHA-256 of a
 * seed, a text.  extra: the adapter's name, the items that touch the block with
 * their places in it, the salt in the first block.  Sources: vLLM,
 * distributed/kv_events.py, v1/core/kv_cache_utils.py.  [any thread] */
#pragma once
#include <sha2.h>
#include "api/buffer.h"
#include "api/ids.h"
#include "api/items.h"

/* The tokens of a request, and what else its blocks are told by. */
struct kv_text {
	struct ids ids;       /* of prompt and answer */
	char *adapter, *salt; /* NULL: none */
	uint32_t lora_id;     /* from 1; 0: none */
	struct prompt_items items;
	uint32_t unit;                               /* tokens of a hash */
	uint32_t n_hashes;                           /* those that are there */
	unsigned char (*hash)[SHA256_DIGEST_LENGTH]; /* hash[0]: of the seed */
};
/* Computes the hashes of the first n units of a text that is at least as long;
 * hash[n] is the last one.  Returns 0, or -1 if memory is out. */
int kv_text_hash(struct kv_text *t, const char *seed, uint32_t n);
void kv_text_free(struct kv_text *t);

enum kv_form { KV_FORM_MAP, KV_FORM_ARRAY };
enum kv_hashes { KV_HASHES_INT, KV_HASHES_BYTES };
struct kv_format {
	enum kv_form form;
	enum kv_hashes hashes;
};
/* A KV-cache group. */
struct kv_group {
	uint32_t index, block_size, window; /* window 0: none */
	const char *kind;
};
/* n blocks from `place` on in a group's table; their hashes are there. */
void kv_event_stored(struct buffer *to, const struct kv_format *f,
		     const struct kv_text *t, const struct kv_group *g,
		     uint32_t place, uint32_t n);
/* A block of `units` units, with their hashes. */
void kv_event_removed(struct buffer *to, const struct kv_format *f,
		      uint32_t group,
		      const unsigned char (*hash)[SHA256_DIGEST_LENGTH],
		      uint32_t units);
void kv_event_cleared(struct buffer *to, const struct kv_format *f);
/* The batch of n events. */
void kv_event_batch(struct buffer *to, double ts, size_t n,
		    const struct buffer *events, uint32_t rank);
