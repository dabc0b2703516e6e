/* States that are kept at ends of blocks: their places, the blocks that a
 * request needs and gives back, and those that others find. */
#include <stdlib.h>
#include <string.h>
#include "sim/kv/kv_need.h"
#include "sim/kv/kv_private.h"
#include "tap.h"

static struct kv kv;
static const struct segment common = {1, 32};

/* Two groups of states and one of attention, in blocks of 4. */
static void open_cache(uint32_t drafts)
{
	const struct kv_groups g = {.n_kinds = 2,
				    .kind = {{.state = KV_STATE_ALIGNED,
					      .drafts = drafts,
					      .block_size = 4,
					      .n_groups = 2},
					     {.block_size = 4, .n_groups = 1}},
				    .hit_unit = 4,
				    .key_unit = 4};
	kv_init(&kv, &(struct kv_options){.groups = &g,
					  .n_blocks = 100,
					  .caching = 1,
					  .order = BLOCKS_UNKEYED_FIRST,
					  .most_in_flight = 16});
}

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

/* "s.ss": blocks and holes of the first group's table; returns buf. */
static const char *places(char *buf, const struct kv_owner *o)
{
	for (uint32_t i = 0; i < o->state_places; i++)
		buf[i] = kv_row(o, 0)[i] == NO_BLOCK ? '.' : 's';
	buf[o->state_places] = '\0';
	return buf;
}

static void has(const struct kv_owner *o, const char *want, uint64_t used,
		const char *what)
{
	char buf[60];
	ok(!strcmp(places(buf, o), want) && kv.pool.used == used,
	   "%s: %s, %u blocks", what, buf, (unsigned)kv.pool.used);
}

static void step(struct kv_owner *o, uint32_t own, uint32_t tokens)
{
	uint64_t need = kv_need_own(&kv, o, tokens, own), had = kv.pool.used;
	if (kv_cover_own(&kv, o, tokens, own) || kv.pool.used != had + need)
		ok(0, "a step to %u took %u blocks, not %u", own,
		   (unsigned)(kv.pool.used - had), (unsigned)need);
}

static void without_drafts(void)
{
	struct kv_owner o;
	open_cache(0);
	begin(&o, 1);
	ok(kv_need_first(&kv, 0, 8) == 2 + 2 && kv_need_whole(&kv, 0, 40) == 12,
	   "a request needs one state in each group");
	step(&o, 8, 8);
	has(&o, ".s", 2 + 2, "the state is where its tokens end");
	step(&o, 12, 12);
	has(&o, ".ss", 2 * 2 + 3, "a later block has another one");
	kv_drop(&kv, &o, 8);
	has(&o, ".ss", 2 * 2 + 3, "which reads the one before");
	kv_drop(&kv, &o, 9);
	has(&o, "..s", 2 + 3, "until tokens behind it are processed");
	step(&o, 12, 12);
	has(&o, "..s", 2 + 3, "within the block nothing is taken");
	step(&o, 24, 24);
	kv_drop(&kv, &o, 24);
	has(&o, ".....s", 2 + 6, "one that holes surround is given back, too");
	kv_give_back(&kv, &o, 1);
	ok(kv.pool.used == 0 && o.state_places == 0, "and all at the end");
	kv_owner_free(&o);
	kv_free(&kv);
}

static void with_drafts(void)
{
	struct kv_owner o;
	open_cache(2);
	begin(&o, 1);
	step(&o, 8, 10);
	has(&o, ".sss", 2 * 3 + 3, "states of drafts are behind it");
	uint32_t second = kv_row(&o, 0)[2], third = kv_row(&o, 0)[3];
	step(&o, 9, 11);
	has(&o, ".ssss", 2 * 4 + 3, "a crossing step takes one");
	ok(kv_row(&o, 0)[2] == second, "the first of the drafts' becomes it");
	step(&o, 17, 19);
	has(&o, ".ss.sss", 2 * 5 + 5,
	    "one that is in the way moves to the end");
	ok(kv_row(&o, 0)[5] == third || kv_row(&o, 0)[4] == third,
	   "and keeps its block");
	kv_drop(&kv, &o, 17);
	has(&o, ".s..sss", 2 * 4 + 5,
	    "given back are three, and not the one behind a hole");
	kv_give_back(&kv, &o, 0);
	ok(kv.pool.used == 0, "and none at the end");
	kv_owner_free(&o);
	kv_free(&kv);
}

static void found(void)
{
	struct kv_owner a, b;
	open_cache(0);
	begin(&a, 1), begin(&b, 2);
	kv_begin_step(&kv);
	step(&a, 8, 8);
	kv_key(&kv, &a, 8);
	ok(kv_find(&kv, &b, 39) == 8 && kv.found_is_fresh,
	   "a state of this step is found, and not ready");
	kv_begin_step(&kv);
	ok(kv_find(&kv, &b, 39) == 8 && !kv.found_is_fresh,
	   "in the next one it is");
	step(&a, 24, 24);
	kv_key(&kv, &a, 24);
	kv_begin_step(&kv);
	ok(kv_find(&kv, &b, 23) == 8 && kv.full_found == 20,
	   "attention has more than states");
	ok(kv_begin(&kv, &b, 8) == 0 && kv.pool.used == 2 * 2 + 6,
	   "what is found is shared");
	has(&b, ".s", 2 * 2 + 6, "at its place");
	step(&b, 12, 12);
	kv_drop(&kv, &b, 9);
	has(&b, "..s", 2 * 3 + 7, "and given back when it was read");
	kv_give_back(&kv, &a, 1), kv_give_back(&kv, &b, 1);
	ok(kv.pool.used == 0, "by all");
	kv_owner_free(&a), kv_owner_free(&b);
	kv_free(&kv);
}

int main(void)
{
	without_drafts();
	with_drafts();
	found();
	return done();
}
