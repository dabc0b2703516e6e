/* Pages of policy sglang: a request's own, and those in the tree. */
#include "sim/policy/sglang/sglang.h"
#include "sim/policy/sglang/sglang_pages.h"
#include "one_scheduler.h"

static struct sglang *x;

static struct sequence *at(uint32_t i)
{
	return &pool.item[i];
}

static void begin(uint64_t pages)
{
	engine = small_engine();
	engine.scheduler = SCHEDULER_SGLANG;
	engine.num_gpu_blocks = pages;
	engine.prefix_caching = 1;
	engine.sglang =
	    (struct sglang_rules){.chunk = 50, .max_prefill_tokens = 1000};
	start(&policy_sglang);
	x = (struct sglang *)(uintptr_t)s;
	for (int i = 0; i < 3; i++)
		come_sharing(20, 3, 0, 16);
}

static void taken(void)
{
	begin(10);
	ok(sglang_page(x) == 4 && sglang_pages_of(x, 20) == 5 &&
	       sglang_pages_of(x, 21) == 6,
	   "pages of 4 tokens");
	sglang_take(x, at(0), 5);
	ok(sglang_pages_left(x) == 5 && s->kv.pool.used == 5 &&
	       at(0)->radix.pages == 5,
	   "five of ten are taken");
	ok(sglang_is_free(x, 5) && !sglang_is_free(x, 6), "five are free");
	x->n_seated = 1;
	sglang_give_back(x, at(0));
	ok(sglang_pages_left(x) == 10 && s->kv.pool.used == 0 &&
	       at(0)->radix.pages == 0 && s->kv.pool.peak == 5 &&
	       x->n_seated == 0,
	   "and given back, with the seat; the peak stays");
	begin(ENGINE_UNLIMITED);
	sglang_take(x, at(0), 1000);
	ok(sglang_is_free(x, 1000), "any number is free");
	ok(sglang_pages_left(x) > INT64_C(1) << 50, "no end of pages");
}

static void kept(void)
{
	begin(10);
	sglang_take(x, at(0), 5);
	sglang_keep(x, at(0), 19);
	ok(x->tree.pages == 4 && x->tree.locked_pages == 4 &&
	       x->own_pages == 1 && at(0)->radix.in_tree == 4,
	   "whole pages go into the tree, locked");
	ok(s->kv.pool.used == 5, "which are no more pages than before");
	sglang_take(x, at(1), 4);
	sglang_keep(x, at(1), 16);
	ok(x->tree.pages == 4 && x->own_pages == 1 && s->kv.pool.used == 5,
	   "another with the same prefix gives its own back");
	sglang_give_back(x, at(0));
	ok(x->tree.locked_pages == 4 && sglang_pages_left(x) == 6,
	   "the tree keeps what the other still needs");
	sglang_give_back(x, at(1));
	ok(x->tree.pages == 4 && x->tree.locked_pages == 0 &&
	       sglang_pages_left(x) == 10,
	   "afterwards nobody does");
	sglang_make_room(x, 24);
	ok(x->tree.pages == 4, "six pages are free");
	sglang_make_room(x, 25);
	sglang_take(x, at(2), 7);
	ok(x->tree.pages == 0 && s->kv.pool.used == 7,
	   "for seven the tree makes room");
}

static void evicted(void)
{
	begin(10);
	for (uint32_t i = 0; i < 2; i++) {
		sglang_take(x, at(i), 5);
		sglang_keep(x, at(i), 16);
		sglang_keep(x, at(i), 20);
	}
	ok(x->tree.pages == 6 && x->tree.locked_pages == 6,
	   "four pages together, and one each");
	sglang_give_back(x, at(0));
	sglang_give_back(x, at(1));
	ok(x->tree.locked_pages == 0, "no lock stays");
	sglang_make_room(x, 4 * 4 + 1);
	ok(x->tree.pages == 0,
	   "as many go as are asked for, not as are missing");
}

static void left(void)
{
	begin(10);
	sglang_take(x, at(0), 5);
	sglang_keep(x, at(0), 16);
	sglang_leave(x, at(0), 19);
	ok(x->tree.pages == 4 && x->tree.locked_pages == 0 && x->own_pages == 0,
	   "at its end nothing is locked, and a part of a page is lost");
	uint32_t node;
	ok(sglang_find(x, at(1), 19, &node) == 4 && node,
	   "another finds the prefix");
	ok(sglang_find(x, at(1), 3, &node) == 0 && !node,
	   "not in less than a page");
}

static void not_kept(void)
{
	uint32_t node;
	begin(10);
	engine.prefix_caching = 0;
	come(20, 3, 0);
	sglang_take(x, at(3), 5);
	sglang_keep(x, at(3), 20);
	ok(x->tree.pages == 0 && x->own_pages == 5 &&
	       !sglang_find(x, at(3), 19, &node),
	   "without prefix caching nothing is kept");
}

int main(void)
{
	taken();
	kept();
	evicted();
	left();
	not_kept();
	stop();
	return done();
}
