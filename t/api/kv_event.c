/* Hashes of blocks as vLLM makes them, and a batch of events in bytes. */
#include "api/kv_event.h"
#include <inttypes.h>
#include <string.h>
#include "tap.h"

static const struct kv_format numbers = {KV_FORM_MAP, KV_HASHES_INT};

static struct kv_text eight_tokens(void)
{
	struct kv_text t = {.unit = 4};
	for (uint32_t i = 1; i <= 8; i++)
		ids_add(&t.ids, i);
	return t;
}

static uint64_t number(const struct kv_text *t, uint32_t i)
{
	uint64_t v = 0;
	for (int k = 24; k < 32; k++)
		v = v << 8 | t->hash[i][k];
	return v;
}

static void hashes(const char *what, struct kv_text *t, uint64_t a, uint64_t b)
{
	int rc = kv_text_hash(t, "0", 1) | kv_text_hash(t, "0", 2);
	ok(rc == 0 && number(t, 1) == a && number(t, 2) == b,
	   "%s: %" PRIu64 ", %" PRIu64, what, number(t, 1), number(t, 2));
	kv_text_free(t);
}

static void known(void)
{
	struct kv_text t = eight_tokens();
	t.adapter = strdup("a"), t.salt = strdup("s");
	hashes("adapter and salt", &t, 14942066902719640309u,
	       12461445865821596909u);
	t = eight_tokens();
	t.adapter = strdup("a"), t.salt = strdup("s");
	t.items = (struct prompt_items){calloc(1, sizeof *t.items.item), 1, 1};
	*t.items.item = (struct prompt_item){3, 4, "img"};
	hashes("and an item in both blocks", &t, 9953842675150104368u,
	       13061903245441094570u);
}

static int has(const struct buffer *b, const char *want, size_t n)
{
	return b->n == n && !memcmp(b->s, want, n);
}

/* The batch of vLLM's publisher: msgspec writes structs with a tag as maps
 * that begin with "type", without members that are None by default. */
static void batch(void)
{
	static const char stored[] =
	    "\x8b\xa4type\xab"
	    "BlockStored\xac"
	    "block_hashes\x91\xcf\x01\x02\x03\x04\x05\x06\x07\x08"
	    "\xb1parent_block_hash\x0f"
	    "\xa9token_ids\x94\x05\x06\x07\x08\xaa"
	    "block_size\x04\xa7lora_id\x02\xa6medium\xa3GPU\xa9lora_name\xa1"
	    "a\xaa"
	    "extra_keys\x91\x91\xa1"
	    "a\xa9group_idx\x01\xb2kv_cache_spec_kind\xae"
	    "full_attention";
	static const char removed[] = "\x84\xa4type\xac"
				      "BlockRemoved\xac"
				      "block_hashes\x91\xc4\x20"
				      "01234567890123456789012345678901"
				      "\xa6medium\xa3GPU\xa9group_idx\x01";
	static const char window[] = "\x9c\xab"
				     "BlockStored\x91\x0f\xc0\x94\x01\x02\x03"
				     "\x04\x04\xc0\xa3GPU\xc0\x91\xc0\x00\xae"
				     "sliding_window\xcd\x10\x00";
	static const char all[] = "\x93\xcb\x3f\xf8\0\0\0\0\0\0\x91\x81\xa4"
				  "type\xb0"
				  "AllBlocksCleared\x03";
	const struct kv_format array = {KV_FORM_ARRAY, KV_HASHES_INT};
	const struct kv_format bytes = {KV_FORM_MAP, KV_HASHES_BYTES};
	const unsigned char sum[1][SHA256_DIGEST_LENGTH + 1] = {
	    "01234567890123456789012345678901"};
	struct kv_text t = eight_tokens();
	struct buffer b = {0}, events = {0};
	unsigned char hash[3][SHA256_DIGEST_LENGTH] = {{0}};
	for (unsigned char i = 0; i < 8; i++)
		hash[2][24 + i] = (unsigned char)(i + 1);
	hash[1][31] = 15;
	t.hash = hash;
	t.n_hashes = 2;
	char name[] = "a";
	t.adapter = name;
	t.lora_id = 2;
	const struct kv_group full = {1, 4, 0, "full_attention"};
	kv_event_stored(&b, &numbers, &t, &full, 1, 1);
	ok(has(&b, stored, sizeof stored - 1), "a stored block");
	b.n = 0;
	t.adapter = NULL, t.lora_id = 0;
	const struct kv_group slides = {0, 4, 4096, "sliding_window"};
	kv_event_stored(&b, &array, &t, &slides, 0, 1);
	ok(has(&b, window, sizeof window - 1), "as an array, with a window");
	b.n = 0;
	kv_event_removed(&b, &bytes, 1, (const unsigned char(*)[32])sum, 1);
	ok(has(&b, removed, sizeof removed - 1), "a removed block, in bytes");
	b.n = 0;
	kv_event_cleared(&events, &numbers);
	kv_event_batch(&b, 1.5, 1, &events, 3);
	ok(has(&b, all, sizeof all - 1), "the batch");
	buffer_free(&b), buffer_free(&events);
	ids_free(&t.ids);
}

int main(void)
{
	known();
	batch();
	return done();
}
