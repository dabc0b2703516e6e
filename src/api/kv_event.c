/* kv_event.c -- Hashes blocks, and writes the events of a KV cache. */
#include "api/kv_event.h"
#include <stdlib.h>
#include <string.h>
#include "api/pack.h"

/* Writes what tells the blocks with tokens from `from` to `to`, besides their
 * ids: an array, or null for nothing. */
static void pack_extra(struct pack p, const struct kv_text *t, uint32_t from,
		       uint32_t to)
{
	const char *salt = from == 0 ? t->salt : NULL;
	size_t first = 0, end, n = t->adapter ? 1 : 0;
	while (first < t->items.n &&
	       t->items.item[first].offset + t->items.item[first].length <=
		   from)
		first++;
	for (end = first; end < t->items.n && t->items.item[end].offset < to;)
		end++;
	n += end - first + (salt ? 1 : 0);
	if (n == 0) {
		pack_nil(p);
		return;
	}
	pack_array(p, n);
	if (t->adapter)
		pack_text(p, t->adapter);
	for (; first < end; first++) {
		const struct prompt_item *i = &t->items.item[first];
		pack_array(p, 2);
		pack_text(p, i->name);
		pack_int(p, (int64_t)i->offset - from);
	}
	if (salt)
		pack_text(p, salt);
}

static int hash_of(const struct buffer *b,
		   unsigned char to[SHA256_DIGEST_LENGTH])
{
	if (b->out_of_memory)
		return -1;
	SHA2_CTX c;
	SHA256Init(&c);
	SHA256Update(&c, (const uint8_t *)b->s, b->n);
	SHA256Final(to, &c);
	return 0;
}

int kv_text_hash(struct kv_text *t, const char *seed, uint32_t n)
{
	struct buffer b = {0};
	const struct pack p = {&b, PACK_CBOR};
	int rc = 0;
	if (!t->hash) {
		size_t most = t->ids.n / t->unit + 1;
		t->hash = calloc(most, sizeof *t->hash);
		pack_text(p, seed);
		rc = t->hash ? hash_of(&b, t->hash[0]) : -1;
	}
	while (rc == 0 && t->n_hashes < n) {
		uint32_t from = t->n_hashes * t->unit, to = from + t->unit;
		b.n = 0;
		pack_array(p, 3);
		pack_bytes(p, t->hash[t->n_hashes], SHA256_DIGEST_LENGTH);
		pack_array(p, t->unit);
		for (uint32_t i = from; i < to; i++)
			pack_uint(p, t->ids.id[i]);
		pack_extra(p, t, from, to);
		rc = hash_of(&b, t->hash[++t->n_hashes]);
	}
	buffer_free(&b);
	return rc;
}

void kv_text_free(struct kv_text *t)
{
	ids_free(&t->ids);
	free(t->adapter), free(t->salt), free(t->items.item), free(t->hash);
	*t = (struct kv_text){0};
}

/* ---- events ---- */

/* Begins an event of n members; `least` of them are always there. */
static struct pack begin(struct buffer *to, const struct kv_format *f,
			 const char *type, size_t n)
{
	const struct pack p = {to, PACK_MSGPACK};
	if (f->form == KV_FORM_ARRAY) {
		pack_array(p, 1 + n);
	} else {
		pack_map(p, 1 + n);
		pack_text(p, "type");
	}
	pack_text(p, type);
	return p;
}

static void key(struct pack p, const struct kv_format *f, const char *name)
{
	if (f->form == KV_FORM_MAP)
		pack_text(p, name);
}

/* Writes the hash of a block of `units` units, the last of them at `last`: the
 * last 8 bytes as a number, or all bytes, one unit after the other. */
static void pack_hash(struct pack p, const struct kv_format *f,
		      const unsigned char (*last)[SHA256_DIGEST_LENGTH],
		      uint32_t units)
{
	uint64_t number = 0;
	if (f->hashes == KV_HASHES_BYTES) {
		pack_bytes(p, last[1 - (ptrdiff_t)units],
			   (size_t)units * SHA256_DIGEST_LENGTH);
		return;
	}
	for (int i = SHA256_DIGEST_LENGTH - 8; i < SHA256_DIGEST_LENGTH; i++)
		number = number << 8 | last[0][i];
	pack_uint(p, number);
}

void kv_event_stored(struct buffer *to, const struct kv_format *f,
		     const struct kv_text *t, const struct kv_group *g,
		     uint32_t place, uint32_t n)
{
	uint32_t units = g->block_size / t->unit, first = place * g->block_size;
	const struct pack p = begin(to, f, "BlockStored", g->window ? 11 : 10);
	const unsigned char(*hash)[SHA256_DIGEST_LENGTH] =
	    (const unsigned char(*)[SHA256_DIGEST_LENGTH])t->hash;
	key(p, f, "block_hashes");
	pack_array(p, n);
	for (uint32_t i = place + 1; i <= place + n; i++)
		pack_hash(p, f, hash + (size_t)i * units, units);
	key(p, f, "parent_block_hash");
	if (place)
		pack_hash(p, f, hash + (size_t)place * units, units);
	else
		pack_nil(p);
	key(p, f, "token_ids");
	pack_array(p, (size_t)n * g->block_size);
	for (uint32_t i = 0; i < n * g->block_size; i++)
		pack_uint(p, t->ids.id[first + i]);
	key(p, f, "block_size");
	pack_uint(p, g->block_size);
	key(p, f, "lora_id");
	if (t->lora_id)
		pack_uint(p, t->lora_id);
	else
		pack_nil(p);
	key(p, f, "medium");
	pack_text(p, "GPU");
	key(p, f, "lora_name");
	if (t->adapter)
		pack_text(p, t->adapter);
	else
		pack_nil(p);
	key(p, f, "extra_keys");
	pack_array(p, n);
	for (uint32_t i = 0; i < n; i++)
		pack_extra(p, t, first + i * g->block_size,
			   first + (i + 1) * g->block_size);
	key(p, f, "group_idx");
	pack_uint(p, g->index);
	key(p, f, "kv_cache_spec_kind");
	pack_text(p, g->kind);
	if (!g->window)
		return;
	key(p, f, "kv_cache_spec_sliding_window");
	pack_uint(p, g->window);
}

void kv_event_removed(struct buffer *to, const struct kv_format *f,
		      uint32_t group,
		      const unsigned char (*hash)[SHA256_DIGEST_LENGTH],
		      uint32_t units)
{
	const struct pack p = begin(to, f, "BlockRemoved", 3);
	key(p, f, "block_hashes");
	pack_array(p, 1);
	pack_hash(p, f, hash + units - 1, units);
	key(p, f, "medium");
	pack_text(p, "GPU");
	key(p, f, "group_idx");
	pack_uint(p, group);
}

void kv_event_cleared(struct buffer *to, const struct kv_format *f)
{
	begin(to, f, "AllBlocksCleared", 0);
}

void kv_event_batch(struct buffer *to, double ts, size_t n,
		    const struct buffer *events, uint32_t rank)
{
	const struct pack p = {to, PACK_MSGPACK};
	pack_array(p, 3);
	pack_double(p, ts);
	pack_array(p, n);
	buffer_add(to, events->s, events->n);
	pack_uint(p, rank);
}
