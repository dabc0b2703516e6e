/* Rows of policy plain: they join, leave, and are counted again. */
#include "sim/policy/ideal.h"
#include "sim/policy/ideal_rows.h"
#include "one_scheduler.h"

static struct ideal *x;

/* Rows of requests with `ctx` tokens, the target of each, and the tick of its
 * last token. */
static void rows(uint32_t n, const uint32_t (*row)[3])
{
	start(&policy_ideal);
	x = ideal_of(s);
	for (uint32_t i = 0; i < n; i++) {
		come(row[i][1], 9, 0);
		x->sequence[i] = i;
		x->id[i] = 100 + i;
		x->ctx[i] = row[i][0];
		x->target[i] = row[i][1];
		x->last_tick[i] = row[i][2];
		x->chunk[i] = 10 + i;
	}
	x->n = n;
}

static const uint32_t four[][3] = {
    {9, 8, 7}, {14, 8, 5}, {3, 20, 0}, {6, 6, 9}};

static void counted_again(void)
{
	engine = small_engine();
	rows(4, four);
	x->tick = 2;
	ideal_look_again(x);
	ok(x->n_decoding == 2 && x->ctx_sum == 9 + 14 && !x->dirty,
	   "the first rows decode");
	ok(x->next_last_tick == 5, "the soonest end");
	ok(!x->is_sorted, "a decode behind a prompt");
	ok(x->by_phase[(9 - 2) % 4] == 1 && x->by_phase[(14 - 2) % 4] == 1,
	   "contexts less the tick, in blocks");
	rows(3, four);
	ideal_look_again(x);
	ok(x->is_sorted, "decodes first");
	engine.block_size = 3;
	rows(2, four);
	x->tick = 5;
	ideal_look_again(x);
	ok(x->by_phase[(9 - 5) % 3] == 1 && x->by_phase[(14 - 5) % 3] == 1,
	   "also in blocks that are no power of 2");
	ok(x->next_last_tick == 7, "tokens that are all in flight do not end");
}

static void leaving(void)
{
	engine = small_engine();
	rows(4, four);
	ideal_look_again(x);
	ideal_leave(x, 0);
	ok(x->n == 3 && x->n_decoding == 1 && x->ctx_sum == 14,
	   "a row leaves, and its sums with it");
	ok(x->sequence[0] == 1 && x->id[0] == 101 && x->ctx[0] == 14 &&
	       x->target[0] == 8 && x->last_tick[0] == 5 && x->chunk[0] == 11,
	   "all columns move up");
	ok(x->sequence[2] == 3 && x->chunk[2] == 13, "to the last row");
	ok(x->by_phase[9 % 4] == 0 && x->by_phase[14 % 4] == 1,
	   "one phase less");
	ok(x->n_leaving == 1 && x->leaving[0].sequence == 0 &&
	       x->leaving[0].tokens == 9 && ideal_running(x) == 4,
	   "it still counts as running");
	ideal_leave(x, 1);
	ok(x->n_decoding == 1 && x->ctx_sum == 14 && x->n_leaving == 2,
	   "a prompt was in no sum");
	blocks_count(&s->kv.pool, 10);
	ideal_remove_leaving(x, 0);
	ok(s->kv.pool.used == 7 && x->n_leaving == 1 &&
	       x->leaving[0].sequence == 2,
	   "9 tokens give back 3 blocks");
	ideal_remove_leaving(x, 0);
	ok(s->kv.pool.used == 7, "once");
}

static void in_blocks(void)
{
	for (uint32_t size = 3; size <= 4; size++) {
		engine = small_engine();
		engine.block_size = size;
		rows(0, NULL);
		int good = 1;
		for (uint32_t n = 0; n < 30; n++) {
			good &= ideal_in_block(x, n) == n % size;
			good &= ideal_blocks_of(x, n) == (n + size - 1) / size;
		}
		ok(good, "blocks of %u", size);
		ok(ideal_blocks_needed(x, 2 * size, 1) == 1 &&
		       ideal_blocks_needed(x, 2 * size - 1, 1) == 0 &&
		       ideal_blocks_needed(x, 1, 2 * size) == 2,
		   "a new block for the first token in it");
	}
}

static void joining(void)
{
	engine = small_engine();
	rows(3, four);
	x->tick = 1;
	x->next_last_tick = 100;
	ideal_join_decoding(x);
	ok(x->n_decoding == 1 && x->ctx_sum == 9 && x->next_last_tick == 7,
	   "the next row decodes");
	ideal_join_decoding(x);
	ok(x->n_decoding == 2 && x->ctx_sum == 23 && x->next_last_tick == 5,
	   "and ends before it");
	ideal_join_decoding(x);
	ok(x->n_decoding == 3 && x->next_last_tick == 5,
	   "one that ends later does not change that");
	ok(ideal_is_decoding(x, 0) && ideal_tokens_left(x, 1) == 4,
	   "tokens that are left");
}

int main(void)
{
	counted_again();
	leaving();
	in_blocks();
	joining();
	stop();
	return done();
}
