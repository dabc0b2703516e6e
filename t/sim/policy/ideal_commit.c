/* What a priced step leaves under policy plain: tokens, pauses, ends. */
#include "sim/policy/ideal.h"
#include "sim/policy/ideal_commit.h"
#include "sim/policy/ideal_rows.h"
#include "one_scheduler.h"

static struct ideal *x;
static struct batch *b = &batches[0];

static void begin(void)
{
	engine = small_engine();
	start(&policy_ideal);
	x = ideal_of(s);
}

/* A row of a request with a prompt of 8 tokens and 3 of output. */
static void row(uint32_t ctx, uint32_t last_tick, uint32_t chunk)
{
	uint32_t i = x->n++;
	come(8, 3, 0);
	x->sequence[i] = i;
	x->ctx[i] = ctx;
	x->target[i] = 8;
	x->last_tick[i] = last_tick;
	x->chunk[i] = chunk;
}

static void all_decode(void)
{
	begin();
	row(9, 5, 0);
	row(10, 1, 0);
	row(12, 1, 0);
	ideal_look_again(x);
	x->decode_only = 1;
	s->last_end_ns = 1000;
	b->end_ns = 1700;
	ideal_commit(s, b);
	ok(b->n_on_time == 3 && b->gap_ns == 700 && b->n_first == 0 &&
	       b->n_late == 0,
	   "a token for each, on time");
	ok(b->n_last == 2 && b->last[0] == 1 && b->last[1] == 2,
	   "the last one of two");
	ok(x->n == 1 && x->ctx[0] == 10 && x->n_leaving == 2 &&
	       x->ctx_sum == 10 && x->n_decoding == 1 && x->tick == 1,
	   "these leave their rows");
	ok(x->next_last_tick == 5, "who is next is known");
	blocks_count(&s->kv.pool, 20);
	ideal_process(s, b, 1700);
	ok(x->n_leaving == 0 && s->kv.pool.used == 20 - 3 - 4,
	   "and give back the blocks of 11 and 13 tokens");
}

static void several_steps(void)
{
	begin();
	row(9, 5, 0);
	row(10, 9, 0);
	ideal_look_again(x);
	x->decode_only = 1;
	ideal_commit_run(s, 4, b);
	ok(x->tick == 4 && x->ctx[0] == 13 && x->ctx[1] == 14 &&
	       x->ctx_sum == 27 && b->n_last == 0 && b->n_on_time == 2,
	   "four tokens each, and nobody ends");
	ideal_commit_run(s, 1, b);
	ok(b->n_last == 1 && b->last[0] == 0 && x->n == 1,
	   "the fifth ends one");
}

static void prompts_and_pauses(void)
{
	begin();
	row(9, 5, 1);
	row(10, 5, 0);
	row(0, 0, 5);
	row(2, 0, 6);
	ideal_look_again(x);
	s->last_end_ns = 1000;
	b->end_ns = 1500;
	ideal_commit(s, b);
	ok(b->n_on_time == 1 && x->ctx[0] == 10 && x->last_tick[0] == 5,
	   "a token on time");
	ok(x->ctx[1] == 10 && x->last_tick[1] == 6 && x->n_late == 1 &&
	       pool.item[1].is_late && pool.item[1].last_token_ns == 1000,
	   "one without blocks ends a step later, and its pause began");
	ok(b->n_first == 1 && b->first[0] == 3 && x->ctx[3] == 8 &&
	       x->last_tick[3] == 1 + 3 - 1,
	   "a prompt is complete, and makes the first token");
	ok(x->ctx[2] == 5 && x->dirty, "another is not");
	x->chunk[0] = x->chunk[1] = 1;
	x->chunk[2] = 3;
	x->chunk[3] = 1;
	s->last_end_ns = 1500;
	b->end_ns = 2100;
	ideal_look_again(x);
	ideal_commit(s, b);
	ok(b->n_late == 1 && b->late_gap_ns[0] == 1100 &&
	       !pool.item[1].is_late && x->n_late == 0 && b->n_on_time == 2,
	   "the pause ends with a token, 1100 ns after the one before");
	pool.item[2].first_token_ns = -1;
	ideal_process(s, b, 2345);
	ok(pool.item[2].first_token_ns == 2345, "the time of a first token");
}

int main(void)
{
	all_decode();
	several_steps();
	prompts_and_pauses();
	stop();
	return done();
}
