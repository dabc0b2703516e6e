/* The clock and the schedule, on cases small enough to be worked out by hand:
 * a step is 100 us and 1 us for each token. */
#include "note.h"
#include "serve.h"
#include "tap.h"

static const struct linear_cost cost = {100, 1, 0};
static struct outcome out;
static struct problem problem;

/* Notes what happened: one line a step, one a request. */
static int on_step(void *ctx, const struct step_event *e, struct problem *p)
{
	(void)ctx, (void)p;
	const sc_step *s = e->step;
	note("%g-%g:", (double)e->start_ns / 1e3, (double)e->end_ns / 1e3);
	for (uint32_t i = 0; i < s->n_decode; i++)
		note(" d%d@%u", (int)s->decode_id[i], s->decode_ctx[i]);
	for (uint32_t i = 0; i < s->n_prefill; i++)
		note(" p%d@%u+%u%s", (int)s->prefill_id[i], s->prefill_ctx[i],
		     s->prefill_new[i], s->prefill_last[i] ? "!" : "");
	note("%s\n", e->preempted ? " preempted" : "");
	return 0;
}

static const char *steps_of(const struct engine *e, const struct request *r,
			    size_t n)
{
	const struct observer o = {.on_step = on_step};
	log_length = 0;
	log_text[0] = '\0';
	if (serve(e, &cost, r, n, &o, &out, &problem))
		note("%s", problem.text);
	return log_text;
}

#define ROW(row_, us, in, n_out)                                               \
	{                                                                      \
		.row = row_, .arrival_ns = us * 1000, .input_tokens = in,      \
		.output_tokens = n_out                                         \
	}
#define N(a) (sizeof(a) / sizeof *(a))

static void synchronous(void)
{
	struct engine e = plain_engine();
	const struct request one[] = {ROW(0, 5, 10, 3)};
	is(steps_of(&e, one, 1),
	   "5-115: p0@0+10!\n115-216: d0@10\n216-317: d0@11\n",
	   "a prompt, then one token a step");
	ok(out.ttft.mean == 110e3 && out.e2el.mean == 312e3 &&
	       out.tpot.mean == 101e3 && out.itl.n == 2 &&
	       out.queueing.mean == 0,
	   "and its times");
	ok(out.first_arrival_ns == 5000 && out.last_token_ns == 317000 &&
	       out.num_steps == 3 && out.scheduled_sequences == 3 &&
	       out.completed == 1 && out.total_output_tokens == 3 &&
	       out.computed_tokens == 12 && out.busy_ns == 312000,
	   "and the counts");

	const struct request three[] = {ROW(0, 0, 10, 2), ROW(1, 110, 1, 1),
					ROW(2, 111, 1, 1)};
	is(steps_of(&e, three, 3),
	   "0-110: p0@0+10!\n110-212: d0@10 p1@0+1!\n212-313: p2@0+1!\n",
	   "an arrival at a step's start takes part");

	const struct request gap[] = {ROW(0, 0, 10, 1), ROW(1, 500, 1, 1)};
	e.schedule_ns = 7000;
	is(steps_of(&e, gap, 2), "0-110: p0@0+10!\n500-601: p1@0+1!\n",
	   "an idle engine jumps to the next arrival");
	is(steps_of(&e, three, 3),
	   "0-110: p0@0+10!\n117-220: d0@10 p1@0+1! p2@0+1!\n",
	   "the scheduler takes its time after results");

	e = plain_engine();
	e.max_num_batched_tokens = 6;
	const struct request two[] = {ROW(0, 0, 10, 1), ROW(1, 0, 4, 2)};
	is(steps_of(&e, two, 2),
	   "0-106: p0@0+6\n106-212: p0@6+4! p1@0+2\n212-314: p1@2+2!\n"
	   "314-415: d1@4\n",
	   "chunks share the budget");
	e.long_prefill_token_threshold = 4;
	is(steps_of(&e, two, 1),
	   "0-104: p0@0+4\n104-208: p0@4+4\n208-310: p0@8+2!\n",
	   "a threshold caps chunks");

	e = plain_engine();
	e.max_num_seqs = 1;
	is(steps_of(&e, three, 2),
	   "0-110: p0@0+10!\n110-211: d0@10\n211-312: p1@0+1!\n",
	   "no more sequences than allowed");
	ok(out.queueing.mean == 101e3 / 2, "who waits, queues");

	e = plain_engine();
	e.api_overhead_ns = 50000;
	e.response_overhead_ns = 3000;
	is(steps_of(&e, one, 1),
	   "55-165: p0@0+10!\n165-266: d0@10\n266-367: d0@11\n",
	   "the client is away from the scheduler");
	ok(out.ttft.mean == 163e3 && out.e2el.mean == 365e3 &&
	       out.queueing.mean == 0,
	   "and hears of tokens later");

	e = plain_engine();
	e.api_overhead_ns = 50000;
	e.api_request_ns = 100000;
	const struct request at_once[] = {ROW(0, 0, 10, 1), ROW(1, 0, 5, 1),
					  ROW(2, 400, 1, 1)};
	is(steps_of(&e, at_once, 3),
	   "150-260: p0@0+10!\n260-365: p1@0+5!\n550-651: p2@0+1!\n",
	   "a thread in front passes requests on one after another");
	ok(out.queueing.mean == 10e3 / 3 && out.ttft.max == 365e3,
	   "queueing begins behind it, TTFT before it");
}

static void asynchronous(void)
{
	struct engine e = plain_engine();
	e.async_scheduling = 1;
	e.schedule_ns = 7000;
	const struct request one[] = {ROW(0, 0, 10, 3)};
	is(steps_of(&e, one, 1),
	   "7-117: p0@0+10!\n117-218: d0@10\n218-319: d0@11\n",
	   "async: steps follow without a gap");
	e.schedule_ns = 0;
	const struct request two[] = {ROW(0, 0, 10, 4), ROW(1, 50, 5, 1)};
	is(steps_of(&e, two, 2),
	   "0-110: p0@0+10!\n110-211: d0@10\n211-317: d0@11 p1@0+5!\n"
	   "317-418: d0@12\n",
	   "async: a newcomer waits for the step after the next");
}

static void short_of_blocks(void)
{
	struct engine e = plain_engine();
	e.block_size = 4;
	e.num_gpu_blocks = 3;
	const struct request two[] = {ROW(0, 0, 4, 6), ROW(1, 0, 4, 3)};
	is(steps_of(&e, two, 2),
	   "0-108: p0@0+4! p1@0+4!\n108-209: d0@4 preempted\n"
	   "209-310: d0@5\n310-411: d0@6\n411-512: d0@7\n512-613: d0@8\n"
	   "613-718: p1@0+5!\n718-819: d1@5\n",
	   "the last one is preempted and recomputed");
	ok(out.preemptions == 1 && out.kv_blocks_peak == 3 &&
	       out.itl.n == 5 + 2 && out.itl.max == 610e3,
	   "and its pause is a gap between tokens");
	const struct request big[] = {ROW(0, 0, 12, 1), ROW(1, 0, 12, 2)};
	is(steps_of(&e, big, 2), "0-112: p0@0+12!\n",
	   "a request that the cache cannot hold is rejected");
	ok(out.rejected == 1 && out.completed == 1 && out.requests == 2,
	   "and counted");
	e.max_model_len = 12;
	is(steps_of(&e, big, 1), "", "so is one that the model cannot take");
}

static void prefixes(void)
{
	struct engine e = plain_engine();
	const struct segment shared = {7, 9};
	struct request r[] = {ROW(0, 0, 9, 1), ROW(1, 200, 9, 1)};
	r[0].segment = r[1].segment = &shared;
	r[0].n_segments = r[1].n_segments = 1;
	e.block_size = 4;
	e.prefix_caching = 1;
	is(steps_of(&e, r, 2), "0-109: p0@0+9!\n200-301: p1@8+1!\n",
	   "a known prefix is not computed again");
	ok(out.prefix_hit_tokens == 8 && out.prefix_queried_tokens == 18,
	   "and counted");
	r[0].input_tokens = r[1].input_tokens = 8;
	r[1].arrival_ns = 0;
	is(steps_of(&e, r, 2), "0-112: p0@0+8! p1@4+4!\n",
	   "at once, but for the last block");
}

int main(void)
{
	synchronous();
	asynchronous();
	short_of_blocks();
	prefixes();
	return done();
}
