/* A KV cache on two levels: blocks of 4 tokens. */
#include "sim/kv/kv_tiers.h"
#include "tap.h"

enum { OWNERS = 48 };
static struct kv kv;
static struct kv_tiers t;
static struct kv_owner o[OWNERS];

static void stop(void)
{
	for (uint32_t i = 0; i < OWNERS; i++)
		kv_owner_free(&o[i]);
	kv_tiers_free(&t);
	kv_free(&kv);
}

static void start(uint64_t places, int has_parts)
{
	stop();
	kv_init(&kv, &(struct kv_options){
			 .n_blocks = places, .block_size = 4, .caching = 1});
	kv_tiers_init(&t, &kv, has_parts);
}

/* Owner i comes with 40 tokens; all have the first `shared` ones. */
static void come(uint32_t i, uint32_t shared)
{
	const struct segment s = {1, shared};
	kv_owner_free(&o[i]);
	o[i].content = calloc(1, sizeof *o[i].content);
	if (!o[i].content ||
	    content_make(o[i].content,
			 &(struct request){.row = i,
					   .input_tokens = 40,
					   .output_tokens = 1,
					   .segment = &s,
					   .n_segments = shared > 0}))
		bail_out("no memory");
}

/* Owner i begins a prompt.  Returns the tokens found; -1: there is no room. */
static int begin(uint32_t i, uint32_t tokens)
{
	kv_tiers_open(&t, &o[i], tokens - 1);
	int found = (int)o[i].covered;
	if (kv_tiers_resume(&t, &o[i]) || kv_tiers_grow(&t, &o[i], tokens)) {
		kv_tiers_close(&t, &o[i]);
		return -1;
	}
	return found;
}

static int on_host(void)
{
	return (int)t.level[TIER_HOST].used;
}

static void suspending(void)
{
	start(4, 1);
	for (uint32_t i = 0; i < 3; i++)
		come(i, 0);
	ok(begin(0, 8) == 0 && begin(1, 8) == 0, "4 places for two requests");
	ok(begin(2, 4) == -1, "and none for a third one");
	kv_tiers_suspend(&t, &o[0]);
	ok(kv.pool.used == 2 && on_host() == 0, "pages stay while they can");
	ok(begin(2, 4) == 0 && on_host() == 1, "the first one goes");
	ok(kv_tiers_resume(&t, &o[0]) == -1, "and has no place to come back");
	kv_tiers_close(&t, &o[2]);
	ok(kv_tiers_resume(&t, &o[0]) == 0 && on_host() == 0, "until one is");
	ok(kv.pool.used == 4, "all are locked");
	kv_tiers_suspend(&t, &o[0]);
	kv_tiers_suspend(&t, &o[1]);
	ok(begin(2, 16) == 0 && on_host() == 4, "held pages fill the host");
	kv_tiers_suspend(&t, &o[2]);
	come(3, 0);
	ok(begin(3, 4) == -1 && on_host() == 4 && kv.pool.used == 0,
	   "then there is no room, and nothing changes");
}

static void nearly_full(void)
{
	start(20, 1);
	for (uint32_t i = 0; i < 3; i++)
		come(i, 0);
	begin(0, 40);
	begin(1, 36);
	ok(kv.pool.used == 19, "19 of 20 places are locked");
	ok(begin(2, 4) == 0, "95 of a hundred are not too many");
	kv_tiers_close(&t, &o[2]);
	kv_tiers_grow(&t, &o[1], 40);
	kv_tiers_suspend(&t, &o[1]);
	kv_tiers_open(&t, &o[2], 1);
	ok(kv_tiers_resume(&t, &o[2]) == 0, "nor are 50");
	kv_tiers_resume(&t, &o[1]);
	come(3, 0);
	kv_tiers_open(&t, &o[3], 1);
	ok(kv_tiers_resume(&t, &o[3]) == -1, "all are");
}

static void finding(void)
{
	start(20, 1);
	for (uint32_t i = 0; i < 4; i++)
		come(i, i == 2 ? 6 : 10);
	begin(0, 10);
	kv_tiers_store(&t, &o[0], 10, 1);
	ok(kv_tiers_look(&t, &o[1], 39) == 10,
	   "blocks, and the last one though it is not full");
	ok(kv_tiers_look(&t, &o[2], 39) == 6, "and a part of one");
	ok(begin(1, 12) == 10 && kv.pool.used == 4, "it is copied");
	kv_tiers_store(&t, &o[1], 12, 1);
	ok(t.page[o[0].block[2]].node == 0,
	   "a full block takes the place of one that it begins with");
	ok(begin(3, 12) == 10 && o[3].block[0] == o[0].block[0],
	   "it is found in part, too, and the first ones are shared");
	ok(kv_tiers_missing(&t, &o[3], 11) == 0, "no full block is missing");
	ok(kv_tiers_missing(&t, &o[3], 12) == o[3].content->key[2], "one is");
}

static void without_parts(void)
{
	start(20, 0);
	come(0, 10);
	come(1, 10);
	begin(0, 10);
	kv_tiers_store(&t, &o[0], 10, 1);
	ok(kv_tiers_look(&t, &o[1], 11) == 8, "whole blocks alone");
	ok(kv_tiers_look(&t, &o[1], 10) == 10, "or exactly these tokens");
}

/* A block of 2 common tokens, with many that go on differently. */
static void many_children(void)
{
	start(60, 1);
	for (uint32_t i = 0; i < 34; i++)
		come(i, 2);
	for (uint32_t i = 0; i < 31; i++) {
		begin(i, 4);
		kv_tiers_store(&t, &o[i], 4, 1);
	}
	ok(kv_tiers_look(&t, &o[33], 39) == 2, "of 31 children one is found");
	begin(31, 4);
	kv_tiers_store(&t, &o[31], 4, 1);
	ok(kv_tiers_look(&t, &o[33], 39) == 0, "of 32 none");
}

/* With a block all that is behind it is lost. */
static void dropping(void)
{
	start(4, 1);
	for (uint32_t i = 0; i < 4; i++)
		come(i, i < 2 ? 12 : 0);
	begin(0, 12);
	kv_tiers_store(&t, &o[0], 12, 1);
	kv_tiers_close(&t, &o[0]);
	ok(t.level[TIER_GPU].used == 3 && kv.pool.used == 0, "blocks stay");
	begin(2, 16);
	ok(on_host() == 3, "on the host, if need be");
	ok(kv_tiers_look(&t, &o[1], 39) == 12, "and are found there");
	kv_tiers_suspend(&t, &o[2]);
	begin(3, 8);
	ok(on_host() == 4 && kv_tiers_look(&t, &o[1], 39) == 8,
	   "pages that are held come before them: the last block is dropped");
	kv_tiers_grow(&t, &o[3], 16);
	ok(on_host() == 4 && kv_tiers_look(&t, &o[1], 39) == 0,
	   "and then the others");
}

/* Two compute the same block: one page is enough. */
static void together(void)
{
	start(20, 1);
	come(0, 8);
	come(1, 8);
	begin(0, 9);
	begin(1, 9);
	kv_tiers_store(&t, &o[0], 9, 1);
	ok(kv.pool.used == 6, "two caches of their own");
	kv_tiers_store(&t, &o[1], 9, 1);
	ok(kv.pool.used == 4 && o[1].block[1] == o[0].block[1],
	   "the second one takes the blocks of the first");
}

int main(void)
{
	suspending();
	nearly_full();
	finding();
	without_parts();
	many_children();
	dropping();
	together();
	ok(!kv.pool.out_of_memory, "memory lasts");
	stop();
	return done();
}
