/* The prefix that all groups have: of full attention, of windows, of states. */
#include <stdlib.h>
#include "sim/kv/kv.h"
#include "tap.h"

static struct kv kv;
static struct kv_owner maker, asker;
static const struct segment common = {1, 32};

static void begin(struct kv_owner *o, uint64_t row)
{
	const struct request r = {.row = row,
				  .input_tokens = 40,
				  .n_segments = 1,
				  .segment = &common};
	*o = (struct kv_owner){.content = calloc(1, sizeof *o->content)};
	if (!o->content || content_make(o->content, &r))
		bail_out("no memory");
}

/* A request computes its prompt in steps of `chunk` tokens; another one asks
 * for `most` tokens of it.  Returns how many it finds. */
static uint32_t find(const struct kv_kind *other, enum kv_drop drop,
		     uint32_t chunk, uint32_t most)
{
	struct kv_groups g = {.n_kinds = 2, .hit_unit = 4, .key_unit = 4};
	g.kind[0] = *other;
	g.kind[1] = (struct kv_kind){.block_size = 4, .n_groups = 1};
	kv_init(&kv, &(struct kv_options){.groups = &g,
					  .n_blocks = 100,
					  .caching = 1,
					  .drop = drop,
					  .most_in_flight = 16});
	begin(&maker, 1), begin(&asker, 2);
	for (uint32_t n = chunk; n <= 40; n += chunk) {
		kv_drop(&kv, &maker, n - chunk);
		if (kv_cover(&kv, &maker, n))
			bail_out("no memory");
		kv_key(&kv, &maker, n);
	}
	kv_begin_step(&kv);
	uint32_t found = kv_find(&kv, &asker, most);
	kv_give_back(&kv, &maker, 1);
	kv_owner_free(&maker), kv_owner_free(&asker);
	kv_free(&kv);
	return found;
}

int main(void)
{
	const struct kv_kind window = {
	    .window = 6, .block_size = 4, .n_groups = 1};
	const struct kv_kind last = {
	    .state = KV_STATE_ALIGNED, .block_size = 4, .n_groups = 2};
	const struct kv_kind all = {
	    .state = KV_STATE_ALL, .block_size = 4, .n_groups = 2};
	ok(find(&window, KV_DROP_NONE, 4, 39) == 32, "what others may have");
	ok(find(&window, KV_DROP_NONE, 4, 30) == 28, "whole blocks");
	ok(find(&window, KV_DROP_ONCE, 4, 39) == 28,
	   "without the last one for a drafter");
	ok(find(&last, KV_DROP_NONE, 4, 39) == 32, "a state at each end");
	ok(find(&last, KV_DROP_NONE, 8, 30) == 24,
	   "a state at the ends of steps only");
	ok(find(&last, KV_DROP_NONE, 20, 39) == 20, "of long steps");
	ok(find(&last, KV_DROP_ONCE, 4, 39) == 28,
	   "a drafter drops attention's block alone");
	ok(find(&all, KV_DROP_NONE, 20, 30) == 28, "all states of a long step");
	return done();
}
