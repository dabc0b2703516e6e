/* Keys of prefixes: equal if and only if the prefixes are. */
#include "sim/kv/content.h"
#include <string.h>
#include "tap.h"

static struct content of(const struct segment *s, uint32_t n, uint32_t tokens,
			 uint64_t row, uint64_t output_id)
{
	struct content c;
	content_make(&c, &(struct request){.row = row,
					   .input_tokens = tokens,
					   .output_tokens = 8,
					   .segment = s,
					   .n_segments = n,
					   .output_id = output_id});
	return c;
}

static uint64_t key_of(const struct segment *s, uint32_t n, uint32_t tokens,
		       uint64_t row)
{
	struct content c = of(s, n, tokens, row, 0);
	content_keys(&c, tokens / 4, 4);
	uint64_t key = c.key[tokens / 4 - 1];
	content_free(&c);
	return key;
}

static void prefixes(void)
{
	const struct segment whole[] = {{1, 8}}, longer[] = {{1, 100}},
			     twice[] = {{1, 4}, {1, 4}},
			     two[] = {{1, 4}, {2, 4}},
			     gap[] = {{1, 4}, {9, 0}, {2, 4}};
	ok(key_of(whole, 1, 8, 0) == key_of(longer, 1, 8, 5),
	   "a longer segment begins alike");
	ok(key_of(whole, 1, 8, 0) != key_of(twice, 2, 8, 0),
	   "the same segment twice is something else");
	ok(key_of(two, 2, 8, 0) == key_of(gap, 3, 8, 1),
	   "an empty segment is none");
	ok(key_of(whole, 1, 12, 0) != key_of(whole, 1, 12, 1),
	   "what no segment covers is the request's own");
	ok(key_of(NULL, 0, 8, 3) != key_of(NULL, 0, 8, 4),
	   "so is a prompt without segments");
	ok(key_of(two, 2, 8, 0) != key_of(whole, 1, 8, 0),
	   "another segment, another key");
}

static void units(void)
{
	const struct segment s[] = {{1, 8}, {2, 100}};
	struct content c = of(s, 2, 24, 0, 0);
	uint64_t later[6];
	content_keys(&c, 3, 4);
	content_keys(&c, 6, 4);
	memcpy(later, c.key, sizeof later);
	ok(c.n_keys == 6, "keys are made as they are needed");
	content_keys(&c, 2, 4);
	ok(c.n_keys == 6 && !memcmp(later, c.key, sizeof later),
	   "and once only");
	content_keys(&c, 3, 8);
	ok(c.n_keys == 3 && c.unit == 8, "another unit, other keys");
	content_keys(&c, 6, 4);
	ok(!memcmp(later, c.key, sizeof later), "and back");
	content_free(&c);
}

static void realms(void)
{
	struct request r = {.input_tokens = 8, .output_tokens = 1};
	const struct segment s = {1, 8};
	uint64_t key[4], prefix[4];
	r.segment = &s;
	r.n_segments = 1;
	for (uint32_t i = 0; i < 4; i++) {
		struct content c;
		r.adapter = i % 2;
		r.cache_salt = i / 2;
		if (content_make(&c, &r) || content_keys(&c, 1, 8))
			bail_out("no memory");
		key[i] = c.key[0];
		prefix[i] = content_prefix_key(&c, 4);
		content_free(&c);
	}
	ok(key[0] != key[1] && key[0] != key[2] && key[1] != key[2] &&
	       key[3] != key[1] && key[3] != key[2],
	   "another adapter or tenant, another key");
	ok(prefix[0] != prefix[1] && prefix[0] != prefix[2],
	   "also of a few tokens");
}

/* The key of the first n tokens of a prompt of 16 with these items.  It begins
 * with `shared` tokens of group 1. */
static uint64_t key_with(const struct mm_item *item, uint32_t n_items,
			 uint32_t shared, uint64_t row, uint32_t n)
{
	const struct segment s = {1, shared};
	struct content c;
	if (content_make(&c, &(struct request){.row = row,
					       .input_tokens = 16,
					       .output_tokens = 1,
					       .segment = &s,
					       .n_segments = shared > 0,
					       .item = item,
					       .n_items = n_items}) ||
	    content_keys(&c, n / 2, 2))
		bail_out("no memory");
	uint64_t key = c.key[n / 2 - 1];
	content_free(&c);
	return key;
}

static void items(void)
{
	static const struct mm_item a = {1, 3, 4}, b = {2, 3, 4},
				    late = {1, 4, 4}, first = {1, 0, 6},
				    two[] = {{1, 3, 4}, {2, 12, 2}};
	uint64_t with_a = key_with(&a, 1, 16, 0, 16);
	ok(with_a == key_with(&a, 1, 16, 5, 16), "equal items, equal keys");
	ok(key_with(&a, 1, 16, 0, 2) == key_with(NULL, 0, 16, 0, 2),
	   "before an item the text counts");
	ok(key_with(&a, 1, 16, 0, 4) != key_with(NULL, 0, 16, 0, 4) &&
	       key_with(&a, 1, 16, 0, 4) != key_with(&b, 1, 16, 0, 4) &&
	       key_with(&a, 1, 16, 0, 6) != key_with(&late, 1, 16, 0, 6) &&
	       with_a != key_with(&b, 1, 16, 0, 16),
	   "in and behind it its name and place, too");
	ok(key_with(&a, 1, 16, 0, 12) == key_with(two, 2, 16, 0, 12) &&
	       with_a != key_with(two, 2, 16, 0, 16),
	   "up to where the next one begins");
	ok(key_with(&first, 1, 0, 0, 6) == key_with(&first, 1, 16, 9, 6) &&
	       key_with(&first, 1, 0, 0, 8) != key_with(&first, 1, 0, 1, 8),
	   "prompts that begin with the same item share it, whatever follows");
	ok(key_with(&a, 1, 5, 0, 6) == key_with(&a, 1, 16, 1, 6) &&
	       key_with(&a, 1, 5, 0, 8) != key_with(&a, 1, 16, 1, 8),
	   "an item may reach over the end of a segment");
}

static void sharing(void)
{
	const struct segment s[] = {{1, 8}};
	struct content part = of(s, 1, 12, 0, 0), all = of(s, 1, 8, 0, 7);
	ok(part.shared_tokens == 8,
	   "others can have what stands before the request's own tokens");
	ok(all.shared_tokens == 16, "and an answer that a turn continues");
	content_free(&part);
	content_free(&all);
}

int main(void)
{
	prefixes();
	units();
	sharing();
	items();
	realms();
	return done();
}
