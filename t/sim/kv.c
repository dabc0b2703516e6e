/* The KV cache under random use: its books are balanced at every moment. */
#include "sim/kv.h"
#include "tap.h"

static uint64_t state;
static uint32_t below(uint32_t n)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((state >> 33) % n);
}

#define USERS 12
static struct kv kv;
static struct {
	struct content content;
	struct kv_table table;
	uint32_t tokens, length; /* held, and in all; 0: not in use */
} user[USERS];

static uint32_t length_of_free_list(void)
{
	uint32_t n = 0, older = UINT32_MAX;
	for (uint32_t b = kv.oldest; b != UINT32_MAX; b = kv.block[b].younger) {
		if (kv.block[b].older != older || kv.block[b].references)
			return UINT32_MAX;
		older = b;
		n++;
	}
	return older == kv.youngest ? n : UINT32_MAX;
}

/* Every block's users are those whose tables name it; who writes is alone. */
static int references_are_right(void)
{
	static uint32_t count[1 << 16];
	memset(count, 0, sizeof count);
	for (int u = 0; u < USERS; u++)
		for (uint32_t i = 0; i < user[u].table.n; i++)
			count[user[u].table.block[i]]++;
	for (uint32_t b = 0; b < kv.n_blocks; b++)
		if (kv.block[b].references != count[b] ||
		    (count[b] > 1 && kv.block[b].key == 0))
			return 0;
	for (int u = 0; u < USERS; u++)
		for (uint32_t i = user[u].table.n_keyed; i < user[u].table.n;
		     i++)
			if (count[user[u].table.block[i]] != 1)
				return 0;
	return 1;
}

static int books_balance(void)
{
	uint64_t used = 0;
	for (uint32_t b = 0; b < kv.n_blocks; b++)
		used += kv.block[b].references > 0;
	if (used != kv.used || kv.peak < kv.used || kv.used > kv.capacity)
		return 0;
	if (!kv.unlimited && length_of_free_list() != kv.n_blocks - used)
		return 0;
	return references_are_right();
}

static void come(int u)
{
	struct segment s[2] = {{1 + below(3), 1 + below(60)},
			       {1 + below(3), 1 + below(60)}};
	struct request r = {.row = state,
			    .input_tokens = 1 + below(120),
			    .output_tokens = 1 + below(40),
			    .segment = s,
			    .n_segments = below(3),
			    .output_id = below(2) ? 0 : 1 + below(3)};
	uint32_t idle, size = kv.block_size;
	content_make(&user[u].content, &r);
	uint32_t n =
	    kv_find(&kv, &user[u].content, (r.input_tokens - 1) / size, &idle);
	uint32_t need = (r.input_tokens + size - 1) / size - n;
	if (need + idle > kv_room(&kv)) {
		content_free(&user[u].content);
		return;
	}
	kv_take_found(&kv, &user[u].table);
	kv_take(&kv, &user[u].table, need);
	user[u].tokens = r.input_tokens;
	user[u].length = r.input_tokens + r.output_tokens;
	kv_full(&kv, &user[u].table, &user[u].content, user[u].tokens / size);
}

static void grow(int u)
{
	if (user[u].tokens + 1 == user[u].length)
		return;
	if (user[u].tokens % kv.block_size == 0) {
		if (kv_room(&kv) == 0)
			return;
		kv_take(&kv, &user[u].table, 1);
	}
	user[u].tokens++;
	kv_full(&kv, &user[u].table, &user[u].content,
		user[u].tokens / kv.block_size);
}

static void go(int u)
{
	kv_give_back(&kv, &user[u].table, &user[u].content, (int)below(2));
	content_free(&user[u].content);
	user[u].length = 0;
}

static void random_use(uint64_t capacity, uint32_t block_size, const char *what)
{
	int wrong = 0;
	kv_init(&kv, capacity, block_size, 1);
	for (int i = 0; i < 20000; i++) {
		int u = (int)below(USERS);
		if (user[u].length == 0)
			come(u);
		else if (below(20) == 0)
			go(u);
		else
			grow(u);
		wrong += !books_balance();
	}
	for (int u = 0; u < USERS; u++) {
		if (user[u].length)
			go(u);
		kv_table_free(&user[u].table);
	}
	ok(wrong == 0 && books_balance(), "%s: the books balance", what);
	ok(kv.used == 0 && !kv.out_of_memory, "and all blocks come back");
	kv_free(&kv);
}

/* A sequence of n tokens, all of segment id. */
static struct content sequence(uint64_t id, uint32_t n)
{
	struct content c;
	const struct segment s = {id, n};
	content_make(&c, &(struct request){.input_tokens = n,
					   .output_tokens = 1,
					   .segment = &s,
					   .n_segments = 1});
	return c;
}

/* Content a as two sequences one after the other: both blocks have the same
 * keys; when the first is evicted, the other is found. */
static void equal_blocks(void)
{
	struct content a = sequence(1, 8), other = sequence(2, 12);
	struct kv_table x = {0}, y = {0}, z = {0};
	uint32_t idle;
	kv_init(&kv, 4, 4, 1);
	kv_take(&kv, &x, 2);
	kv_full(&kv, &x, &a, 2);
	kv_take(&kv, &y, 2);
	kv_full(&kv, &y, &a, 2);
	ok(kv_find(&kv, &a, 9 / 4, &idle) == 2 && idle == 0,
	   "equal content twice is found");
	kv_give_back(&kv, &x, &a, 1);
	ok(kv_find(&kv, &a, 2, &idle) == 2 && idle == 2,
	   "the older one, though nobody uses it");
	kv_take(&kv, &z, 2);
	kv_full(&kv, &z, &other, 2);
	ok(kv_find(&kv, &a, 2, &idle) == 2 && idle == 0,
	   "the younger one once that is gone");
	kv_give_back(&kv, &y, &a, 1);
	kv_take(&kv, &x, 1);
	ok(kv_find(&kv, &a, 2, &idle) == 1,
	   "the tail of a sequence goes before its head");
	kv_give_back(&kv, &x, &a, 1);
	kv_give_back(&kv, &z, &other, 1);
	kv_table_free(&x);
	kv_table_free(&y);
	kv_table_free(&z);
	content_free(&a);
	content_free(&other);
	kv_free(&kv);
}

static uint64_t key_of(const struct segment *s, uint32_t n, uint32_t tokens,
		       uint64_t row)
{
	struct content c;
	struct chain at = {0};
	uint64_t key = 0;
	content_make(&c, &(struct request){.row = row,
					   .input_tokens = tokens,
					   .output_tokens = 1,
					   .segment = s,
					   .n_segments = n});
	for (uint32_t i = 0; i < tokens / 4; i++)
		key = chain_next(&at, &c, 4);
	content_free(&c);
	return key;
}

static void keys(void)
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

int main(void)
{
	keys();
	equal_blocks();
	random_use(UINT64_MAX, 16, "unlimited");
	random_use(60, 4, "60 blocks of 4");
	random_use(25, 16, "25 blocks of 16");
	random_use(400, 1, "400 blocks of 1");
	return done();
}
