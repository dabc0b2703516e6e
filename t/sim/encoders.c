/* Items that a step encodes, and the cache of encoded items. */
#include "sim/encoders.h"
#include <stdlib.h>
#include <string.h>
#include "tap.h"

static struct encoders *x;

static void begin(struct engine *e, uint32_t step_tokens, uint32_t longest)
{
	*e = (struct engine){.preset = PRESET_VLLM_2026_07,
			     .parallel = {.pp = 1},
			     .lockstep_ranks = 1,
			     .max_num_batched_tokens = step_tokens,
			     .encoders = {.step_us = 10, .token_us = 2}};
	encoders_free(x);
	if (encoders_make(&x, e, longest) || !x)
		bail_out("no memory");
	encoders_begin(x);
}

static struct mm_uses *of(const struct mm_item *item, uint32_t n)
{
	struct mm_uses *u =
	    mm_uses_make(&(struct request){.n_items = n, .item = item});
	if (!u)
		bail_out("no memory");
	return u;
}

/* The tokens that request `row` computes in a step, blocks permitting. */
static uint32_t step(struct mm_uses *u, uint64_t row, uint32_t from, uint32_t n)
{
	n = encoders_pick(x, u, row, from, n);
	if (n)
		encoders_enter(x, u);
	return n;
}

static void budgets(void)
{
	static const struct mm_item pair[] = {{1, 4, 6}, {2, 12, 6}};
	struct engine e;
	begin(&e, 10, 6);
	struct mm_uses *a = of(pair, 2), *b = of(pair, 2);
	ok(step(a, 0, 0, 20) == 12, "a chunk ends before what has no room");
	ok(x->n_encoded == 1 && encoders_filled(x) == 6 &&
	       encoders_step_us(x) == 22,
	   "the first item is encoded, which takes its time");
	ok(step(b, 1, 0, 12) == 12 && x->n_encoded == 1 && x->sum_found == 1,
	   "another request finds it");
	encoders_begin(x);
	ok(step(a, 0, 12, 8) == 0 && x->is_blocked && x->blocked_row == 0,
	   "no token while the first is in use");
	encoders_leave(x, a, 12);
	encoders_leave(x, b, 9);
	ok(x->freeable == 4, "whose tokens are not all processed by both");
	encoders_leave(x, b, 10);
	ok(x->freeable == 10 && encoders_filled(x) == 6,
	   "an item that nobody uses stays");
	ok(step(a, 0, 12, 8) == 8 && encoders_filled(x) == 6 &&
	       x->encoded[0].item == 1,
	   "until its room is needed");
	encoders_unpick(x, 0);
	encoders_leave_all(x, a);
	ok(x->n_encoded == 0 && x->budget == 10 && x->freeable == 10,
	   "a request that is preempted gives the budget back");
	ok(step(b, 1, 12, 8) == 8 && x->n_encoded == 0, "the item stays");
	free(a);
	free(b);
}

static void names(void)
{
	static const struct mm_item twice[] = {{7, 0, 3}, {7, 5, 3}};
	struct engine e;
	begin(&e, 10, 3);
	struct mm_uses *a = of(twice, 2);
	ok(step(a, 0, 0, 8) == 8 && x->n_encoded == 1 && x->sum_found == 1,
	   "a name is encoded once");
	encoders_leave(x, a, 3);
	ok(a->n_used == 0, "its first item leaves it");
	encoders_begin(x);
	ok(step(a, 0, 4, 4) == 4 && a->n_used == 1, "the second takes it up");
	encoders_leave(x, a, 4);
	ok(a->n_used == 1, "and the first has left already");
	free(a);
}

static void whole_items(void)
{
	static const struct mm_item late = {1, 5, 4};
	struct engine e;
	begin(&e, 10, 4);
	e.encoders.whole_items = 1;
	struct mm_uses *a = of(&late, 1);
	ok(step(a, 0, 0, 7) == 5, "no chunk ends in an item");
	ok(step(a, 0, 5, 3) == 3, "but the one that begins with it may");
	free(a);
}

static void ahead(void)
{
	static const struct mm_item pair[] = {{1, 0, 6}, {2, 6, 6}};
	struct engine e;
	begin(&e, 10, 6);
	x->ahead = 1;
	struct mm_uses *a = of(pair, 2);
	ok(step(a, 0, 0, 6) == 5, "drafting reads one token ahead");
	encoders_leave(x, a, 5);
	encoders_begin(x);
	ok(step(a, 0, 5, 7) == 0 && x->is_blocked,
	   "two items side by side that do not fit together hang");
	encoders_leave(x, a, 6);
	ok(a->n_used == 1, "an item is left one token later");
	free(a);
}

static void refused(void)
{
	static const struct mm_item long_one = {1, 0, 11};
	const struct request r = {.row = 3, .n_items = 1, .item = &long_one};
	struct problem p = {0};
	struct engine e;
	ok(encoders_check(NULL, &r, &p) < 0 && p.code == EXIT_USAGE &&
	       strstr(p.text, "vllm-2026-07"),
	   "an engine without encoders");
	begin(&e, 8, 10);
	ok(encoders_check(x, &r, &p) < 0 && strstr(p.text, "item of 11"),
	   "an item that is too long");
	begin(&e, 8, 11);
	ok(encoders_check(x, &r, &p) == 0, "the longest fits");
	e.encoders.whole_items = 1;
	ok(encoders_check(x, &r, &p) < 0 && strstr(p.text, "disable_chunked"),
	   "as a whole it is too long");
	encoders_free(x);
	e.preset = PRESET_NONE;
	ok(encoders_make(&x, &e, 11) == 0 && !x, "no preset, no encoders");
	e.preset = PRESET_VLLM_2026_07;
	ok(encoders_make(&x, &e, 0) == 0 && !x, "nor without items");
}

int main(void)
{
	budgets();
	names();
	whole_items();
	ahead();
	refused();
	return done();
}
