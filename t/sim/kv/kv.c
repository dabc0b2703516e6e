/* The KV cache under random use: its books are balanced at every moment, with
 * one group and with several, and counting comes to the same as keeping. */
#include "sim/kv/kv_need.h"
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
	struct kv_owner has;
	uint32_t tokens, length; /* held, and in all; 0: not in use */
} user[USERS];

static const struct kv_groups one = {.n_kinds = 1,
				     .kind = {{.block_size = 4, .n_groups = 1}},
				     .hit_unit = 4,
				     .key_unit = 4};
static const struct kv_groups window_and_full = {
    .n_kinds = 2,
    .kind = {{.window = 10, .block_size = 4, .n_groups = 2},
	     {.block_size = 4, .n_groups = 1}},
    .hit_unit = 4,
    .key_unit = 4};
static const struct kv_groups of_two_sizes = {
    .n_kinds = 2,
    .kind = {{.block_size = 4, .n_groups = 1},
	     {.window = 9, .block_size = 8, .n_groups = 1}},
    .hit_unit = 8,
    .key_unit = 4};

static void open_cache(const struct kv_groups *g, uint64_t n_blocks,
		       enum blocks_order order, int caching)
{
	kv_init(&kv, &(struct kv_options){.groups = g,
					  .n_blocks = n_blocks,
					  .caching = caching,
					  .order = order,
					  .most_in_flight = 16});
}

static uint32_t first_of(const struct kv_kind_use *kind, uint32_t computed)
{
	uint32_t w = kind->is.window;
	return w && computed >= w ? (computed - w + 1) / kind->is.block_size
				  : 0;
}

/* Counts in count[] (NULL: nowhere) what a user has; returns how many. */
static uint32_t held(const struct kv_owner *o, uint32_t *count)
{
	uint32_t n = 0;
	for (uint32_t k = 0; k < kv.n_kinds; k++) {
		const struct kv_kind_use *kind = &kv.kind[k];
		uint32_t size = kind->is.block_size;
		for (uint32_t g = 0; g < kind->is.n_groups; g++)
			for (uint32_t i = first_of(kind, o->dropped);
			     i < (o->covered + size - 1) / size; i++, n++)
				if (count)
					count[o->block[(kind->first_group + g) *
							   o->cap +
						       i]]++;
	}
	return n;
}

static uint32_t length_of_free_list(void)
{
	const struct blocks *b = &kv.pool;
	uint32_t n = 0, older = NO_BLOCK;
	for (uint32_t i = b->oldest; i != NO_BLOCK; i = b->block[i].younger) {
		if (b->block[i].older != older || b->block[i].users)
			return UINT32_MAX;
		older = i;
		n++;
	}
	if (older != b->youngest)
		return UINT32_MAX;
	for (uint32_t i = b->alike; i != NO_BLOCK; i = b->block[i].younger)
		n++;
	return n;
}

/* The users of a block are the requests with tables that name it. */
static int books_balance(void)
{
	static uint32_t count[1 << 16];
	const struct blocks *b = &kv.pool;
	uint64_t used = 0;
	memset(count, 0, sizeof count);
	for (int u = 0; u < USERS; u++)
		held(&user[u].has, count);
	for (uint32_t i = 0; i < b->n; i++) {
		used += b->block[i].users > 0;
		if (b->block[i].users != count[i] ||
		    (count[i] > 1 && b->block[i].key == 0))
			return 0;
	}
	if (used != b->used || b->peak < b->used || b->used > b->capacity)
		return 0;
	return b->unlimited || length_of_free_list() == b->n - used;
}

static int come(int u, int *found)
{
	struct kv_owner *o = &user[u].has;
	struct segment s[2] = {{1 + below(3), 1 + below(60)},
			       {1 + below(3), 1 + below(60)}};
	struct request r = {.row = state,
			    .input_tokens = 1 + below(120),
			    .output_tokens = 1 + below(40),
			    .segment = s,
			    .n_segments = below(3),
			    .output_id = below(2) ? 0 : 1 + below(3)};
	if (!o->content)
		o->content = calloc(1, sizeof *o->content);
	content_make(o->content, &r);
	uint32_t n = kv_find(&kv, o, r.input_tokens - 1);
	uint64_t need = kv_need_first(&kv, n, r.input_tokens);
	uint64_t before = kv.pool.used;
	if (need > kv_room(&kv)) {
		content_free(o->content);
		return 1;
	}
	kv_begin(&kv, o, n);
	kv_cover(&kv, o, r.input_tokens);
	kv_key(&kv, o, r.input_tokens);
	*found += n > 0;
	user[u].tokens = r.input_tokens;
	user[u].length = r.input_tokens + r.output_tokens;
	return kv.pool.used - before == need;
}

/* One token more, as a step does it. */
static int grow(int u)
{
	struct kv_owner *o = &user[u].has;
	uint32_t tokens = user[u].tokens + 1;
	if (tokens == user[u].length)
		return 1;
	uint64_t before = kv.pool.used;
	kv_drop(&kv, o, user[u].tokens);
	before = kv.pool.used;
	uint64_t need = kv_need(&kv, o, tokens);
	if (need > kv_room(&kv))
		return 1;
	kv_cover(&kv, o, tokens);
	kv_key(&kv, o, tokens);
	user[u].tokens = tokens;
	return kv.pool.used - before == need;
}

static void go(int u)
{
	kv_give_back(&kv, &user[u].has, (int)below(2));
	if (user[u].has.content)
		content_free(user[u].has.content);
	user[u].length = 0;
}

static void random_use(const struct kv_groups *g, uint64_t capacity,
		       enum blocks_order order, const char *what)
{
	int wrong = 0, found = 0;
	open_cache(g, capacity, order, 1);
	for (int i = 0; i < 20000; i++) {
		int u = (int)below(USERS);
		if (user[u].length == 0)
			wrong += !come(u, &found);
		else if (below(20) == 0)
			go(u);
		else
			wrong += !grow(u);
		wrong += !books_balance();
	}
	for (int u = 0; u < USERS; u++) {
		if (user[u].length)
			go(u);
		kv_owner_free(&user[u].has);
	}
	ok(wrong == 0 && books_balance(), "%s: the books balance", what);
	ok(found > 100, "and %d requests found something", found);
	ok(kv.pool.used == 0 && !kv.pool.out_of_memory,
	   "and all blocks come back");
	kv_free(&kv);
}

/* ---- by hand ---- */

/* A request of n tokens, all of segment id. */
static struct kv_owner request(uint64_t id, uint32_t n)
{
	struct kv_owner o = {.content = calloc(1, sizeof *o.content)};
	const struct segment s = {id, n};
	content_make(o.content, &(struct request){.input_tokens = n,
						  .output_tokens = 1,
						  .segment = &s,
						  .n_segments = 1});
	return o;
}

static void hold(struct kv_owner *o, uint32_t tokens)
{
	kv_cover(&kv, o, tokens);
	kv_key(&kv, o, tokens);
}

/* Two requests of the same content: both blocks have the same keys; when the
 * first is evicted, the other is found. */
static void equal_blocks(void)
{
	struct kv_owner x = request(1, 8), y = request(1, 8),
			other = request(2, 12), look = request(1, 12);
	open_cache(&one, 4, BLOCKS_LRU, 1);
	hold(&x, 8);
	hold(&y, 8);
	ok(kv_find(&kv, &look, 11) == 8 && kv_need_first(&kv, 8, 12) == 1,
	   "equal content twice is found");
	kv_give_back(&kv, &x, 1);
	ok(kv_find(&kv, &look, 8) == 8 && kv_need_first(&kv, 8, 12) == 3,
	   "the older one, though nobody uses it");
	hold(&other, 8);
	ok(kv_find(&kv, &look, 8) == 8 && kv_need_first(&kv, 8, 12) == 1,
	   "the younger one once that is gone");
	kv_give_back(&kv, &y, 1);
	kv_cover(&kv, &x, 1);
	ok(kv_find(&kv, &look, 8) == 4,
	   "the tail of a sequence goes before its head");
	kv_give_back(&kv, &x, 1);
	kv_give_back(&kv, &other, 1);
	kv_owner_free(&x);
	kv_owner_free(&y);
	kv_owner_free(&other);
	kv_owner_free(&look);
	kv_free(&kv);
}

/* A window of 10 tokens in blocks of 4: a hit needs ceil(9 / 4) = 3 in a row.
 */
static void windows(void)
{
	struct kv_owner x = request(1, 40), y = request(1, 40);
	open_cache(&window_and_full, 60, BLOCKS_LRU, 1);
	hold(&x, 40);
	ok(kv.pool.used == 30, "a block a group for every four tokens");
	kv_drop(&kv, &x, 25);
	ok(held(&x, NULL) == 30 - 2 * 4 && kv.pool.used == 22,
	   "after 25 tokens the first 16 are not needed by windows");
	ok(kv_find(&kv, &y, 39) == 36, "a hit reads the window from its end");
	ok(kv_need_first(&kv, 36, 40) == 3,
	   "and what lies before the window is not taken along");
	kv_begin(&kv, &y, 36);
	ok(held(&y, NULL) == 9 + 2 * 3 && kv.pool.used == 22,
	   "a table that begins with holes");
	ok(kv_need(&kv, &y, 40) == 3, "and counts them as its length");
	kv_give_back(&kv, &y, 1);
	kv_give_back(&kv, &x, 1);
	ok(kv.pool.used == 0, "all come back");
	/* Taken again from the front of the free list: the windows' oldest. */
	struct kv_owner z = request(2, 8);
	uint32_t unused[30];
	blocks_take(&kv.pool, unused, 30);
	hold(&z, 8);
	ok(kv_find(&kv, &y, 39) == 36, "what was dropped first goes first");
	ok(kv_find(&kv, &y, 15) == 0,
	   "and a window that lacks its last block finds nothing there");
	kv_owner_free(&x);
	kv_owner_free(&y);
	kv_owner_free(&z);
	kv_free(&kv);
}

/* 20 tokens were found, the other 20 of the prompt come from elsewhere. */
static void awaited(void)
{
	struct kv_owner x = request(1, 20), y = request(1, 40);
	open_cache(&window_and_full, 60, BLOCKS_LRU, 1);
	hold(&x, 20);
	ok(kv_find(&kv, &y, 39) == 20, "what is there");
	kv_await(&kv, 20, 40);
	/* full: 5 more; windows: what 40 tokens leave needed, 28 on: 3 each */
	ok(kv_need_first(&kv, 20, 40) == 5 + 2 * 3,
	   "windows take no blocks for what they have left behind");
	kv_begin(&kv, &y, 20);
	kv_cover(&kv, &y, 40);
	ok(held(&y, NULL) == 10 + 2 * 3 && kv_need(&kv, &y, 41) == 3,
	   "holes before them");
	ok(kv_need_rest(&kv, &y, 60) == 5, "and no more than they can hold");
	kv_give_back(&kv, &y, 1);
	kv_give_back(&kv, &x, 1);
	ok(kv.pool.used == 0, "all come back");
	kv_owner_free(&x);
	kv_owner_free(&y);
	kv_free(&kv);
}

static void bound_of_windows(void)
{
	open_cache(&window_and_full, 100, BLOCKS_LRU, 0);
	/* ceil((9 + 16) / 4) + 1 = 8 in each of two window groups */
	ok(kv_need_whole(&kv, 0, 100) == 25 + 2 * 8,
	   "admission asks a window group for what it can ever hold");
	ok(kv_need_first(&kv, 0, 100) == 75, "taking them is another thing");
	ok(kv_need_whole(&kv, 0, 12) == 9, "short requests for what they need");
	kv_free(&kv);
}

/* The same requests, once kept and once counted. */
static void counting(const struct kv_groups *g, const char *what)
{
	struct kv_owner x = request(1, 100), y = {0};
	struct kv counted;
	int same = 1;
	open_cache(g, 100, BLOCKS_LRU, 0);
	counted = kv;
	open_cache(g, 100, BLOCKS_LRU, 1);
	for (uint32_t tokens = 1, new = 1; tokens < 100; tokens += new) {
		new = 1 + below(3) * below(20);
		new = tokens + new > 100 ? 100 - tokens : new;
		kv_drop(&kv, &x, tokens);
		kv_drop(&counted, &y, tokens);
		same &= kv_need(&kv, &x, tokens + new) ==
			kv_need(&counted, &y, tokens + new);
		kv_cover(&kv, &x, tokens + new);
		kv_cover(&counted, &y, tokens + new);
		same &= kv.pool.used == counted.pool.used;
	}
	kv_give_back(&kv, &x, 0);
	kv_give_back(&counted, &y, 0);
	ok(same && kv.pool.used == 0 && counted.pool.used == 0,
	   "%s: counting comes to the same", what);
	kv_owner_free(&x);
	kv_free(&kv);
}

/* The blocks of groups of a window and of full attention, given back as one
 * list. */
static void as_one(void)
{
	struct kv_owner o = {0};
	uint32_t next[12];
	const struct segment common = {1, 8};
	const struct request r = {
	    .input_tokens = 12, .n_segments = 1, .segment = &common};
	open_cache(&window_and_full, 12, BLOCKS_UNKEYED_FIRST, 1);
	o.content = calloc(1, sizeof *o.content);
	if (!o.content || content_make(o.content, &r) || kv_begin(&kv, &o, 0) ||
	    kv_cover(&kv, &o, 12))
		bail_out("no memory");
	kv_drop(&kv, &o, 13);
	kv_key(&kv, &o, 8);
	kv_give_back_as_one(&kv, &o, 1);
	blocks_take(&kv.pool, next, 12);
	ok(next[0] == 8 && next[1] == 5 && next[2] == 2,
	   "blocks without keys: the last one of the last group is the first");
	ok(next[8] == 7 && next[9] == 6 && next[10] == 4 && next[11] == 1,
	   "and so are those with keys at the end");
	kv_owner_free(&o);
	kv_free(&kv);
}

int main(void)
{
	equal_blocks();
	windows();
	awaited();
	bound_of_windows();
	counting(&one, "one group");
	counting(&window_and_full, "windows");
	counting(&of_two_sizes, "two block sizes");
	random_use(&one, BLOCKS_UNLIMITED, BLOCKS_LRU, "unlimited");
	random_use(&one, 60, BLOCKS_LRU, "60 blocks of 4");
	random_use(&one, 60, BLOCKS_UNKEYED_FIRST, "unkeyed first");
	random_use(&window_and_full, 200, BLOCKS_UNKEYED_FIRST, "windows");
	random_use(&window_and_full, BLOCKS_UNLIMITED, BLOCKS_LRU,
		   "unlimited windows");
	random_use(&of_two_sizes, 120, BLOCKS_LRU, "two block sizes");
	as_one();
	return done();
}
