/* Prefill and decode apart: by hand, which replica holds a prompt, and when. */
#include "sim/handover.h"
#include "serve.h"
#include "tap.h"

enum { STEPS = 50 };
static struct step_event step[STEPS];
static sc_step shown[STEPS];
static uint32_t prefill_ctx[STEPS];
static size_t n_steps;
static struct request_event ended[8];
static struct outcome out;
static struct problem problem;

static int on_step(void *ctx, const struct step_event *e, struct problem *p)
{
	(void)ctx, (void)p;
	step[n_steps] = *e;
	shown[n_steps] = *e->step;
	prefill_ctx[n_steps++] =
	    e->step->n_prefill ? e->step->prefill_ctx[0] : 0;
	return 0;
}

static int on_request(void *ctx, const struct request_event *e,
		      struct problem *p)
{
	(void)ctx, (void)p;
	ended[e->request.row] = *e;
	return 0;
}

/* Each step lasts 100 us, a transfer 1 us a token and 50 us. */
static struct engine apart(enum kv_connector connector)
{
	struct engine e = plain_engine();
	e.preset = PRESET_VLLM_024;
	e.parallel.tp = 1;
	e.replicas = 2;
	e.prefill_replicas = 1;
	e.kv_connector = connector;
	e.proxy_ns = connector == KV_PULL ? 7000 : 0;
	e.kv_bytes_per_token = 1000;
	e.kv_transfer_bytes_per_s = 1e9;
	e.kv_transfer_latency_ns = 50000;
	e.num_gpu_blocks = 100;
	return e;
}

static int run(const struct engine *e, const struct request *r, size_t n)
{
	const struct observer o = {.on_step = on_step,
				   .on_request = on_request};
	const struct linear_cost cost = {100, 0, 0};
	n_steps = 0;
	return serve(e, &cost, r, n, &o, &out, &problem);
}

static const struct request two_tokens = {.input_tokens = 40,
					  .output_tokens = 2};

static void pulled(void)
{
	struct engine e = apart(KV_PULL);
	ok(run(&e, &two_tokens, 1) == 0 && n_steps == 3, "%s three steps",
	   problem.text);
	/* 100 us of prompt, 7 of proxy, 40 + 50 of transfer */
	ok(step[1].start_ns == 197000 && shown[1].n_prefill == 1 &&
	       prefill_ctx[1] == 39 && step[1].tokens == 1,
	   "the last token of the prompt is computed again");
	ok(ended[0].first_token_ns == 297000 &&
	       ended[0].last_token_ns == 397000,
	   "and makes the first one");
	ok(step[1].blocks_used == 3 && step[1].pool == 1,
	   "with blocks for all of the prompt");
	ok(out.itl.n == 1 && out.itl.max == 100000,
	   "the token of the prefill replica is no token");
	ok(out.transfers.n == 1 && out.transfers.bytes == 40000 &&
	       out.transfers.lasts.mean == 90000,
	   "a transfer");
	ok(out.pool[0].num_steps == 1 && out.pool[1].num_steps == 2 &&
	       out.pool[0].replicas == 1,
	   "what each pool did");
	e.pd_first_token = PD_FIRST_TOKEN_PREFILL;
	ok(run(&e, &two_tokens, 1) == 0 && n_steps == 2 &&
	       ended[0].first_token_ns == 100000 &&
	       ended[0].last_token_ns == 297000,
	   "or it is the first one");
	ok(shown[1].n_decode == 1 && out.itl.max == 197000,
	   "and the next is decoded");
}

static void one_token(void)
{
	const struct request one = {.input_tokens = 40, .output_tokens = 1};
	struct engine e = apart(KV_PULL);
	ok(run(&e, &one, 1) == 0 && n_steps == 2 &&
	       ended[0].first_token_ns == 297000 && ended[0].replica == 1,
	   "one token comes from the decode replica, too");
	e.pd_first_token = PD_FIRST_TOKEN_PREFILL;
	ok(run(&e, &one, 1) == 0 && n_steps == 1 && out.transfers.n == 0 &&
	       ended[0].replica == 0,
	   "unless the prefill replica's counts");
}

static void pushed(void)
{
	struct engine e = apart(KV_PUSH);
	ok(run(&e, &two_tokens, 1) == 0 && n_steps == 2 &&
	       ended[0].first_token_ns == 100000 &&
	       ended[0].last_token_ns == 290000,
	   "pushed: it is seen when all of it is there");
	ok(shown[1].n_decode == 1 && step[1].blocks_used == 3, "and decodes");
}

/* From a cache of one group to one of three. */
static void pushed_to_groups(void)
{
	struct engine e = apart(KV_PUSH), decode;
	e.prefix_caching = 1;
	decode = e;
	decode.kv_groups = (struct kv_groups){
	    .n_kinds = 2,
	    .kind =
		{{.block_size = 1, .n_groups = 1, .n_layers = 1},
		 {.window = 10, .block_size = 1, .n_groups = 2, .n_layers = 2}},
	    .page_bytes = 10,
	    .hit_unit = 1,
	    .key_unit = 1,
	};
	decode.num_gpu_blocks = 200;
	e.decode = &decode;
	ok(run(&e, &two_tokens, 1) == 0 && out.completed == 1 &&
	       step[1].blocks_used == 41 + 2 * (41 - 31),
	   "into windows goes what they hold");
	/* 10 bytes a token: 40 tokens, and twice the 9 before the next */
	ok(out.transfers.bytes == 10 * (40 + 2 * 9), "and that is sent");
}

/* The second prompt finds its blocks held until the first is fetched. */
static void held(void)
{
	const struct request both[] = {
	    {.input_tokens = 40, .output_tokens = 2},
	    {.row = 1, .input_tokens = 40, .output_tokens = 2}};
	struct engine e = apart(KV_PULL), decode = e;
	e.num_gpu_blocks = 4;
	e.decode = &decode;
	ok(run(&e, both, 2) == 0 && out.completed == 2, "%s two requests",
	   problem.text);
	ok(shown[1].replica == 0 && step[1].start_ns == 197000,
	   "blocks for one prompt: the next waits for the transfer");
	ok(out.transfers.held.n == 1 && out.transfers.held.mean == 97000,
	   "so long they were held");
	e = apart(KV_PULL);
	ok(run(&e, both, 2) == 0 && step[0].tokens == 80, "or runs beside it");
}

/* Blocks of the decode side are taken when the transfer begins. */
static void reserved(void)
{
	const struct request both[] = {
	    {.input_tokens = 40, .output_tokens = 2},
	    {.row = 1, .input_tokens = 40, .output_tokens = 2}};
	struct engine e = apart(KV_PULL), decode = e;
	decode.num_gpu_blocks = 4;
	e.decode = &decode;
	ok(run(&e, both, 2) == 0 && out.completed == 2 &&
	       out.pool[1].kv_blocks_peak == 3,
	   "room for one: the other begins when that has ended");
	/* 397 us and its own transfer */
	ok(ended[1].first_token_ns == 397000 + 90000 + 100000,
	   "it is fetched then");
}

int main(void)
{
	pulled();
	one_token();
	pushed();
	pushed_to_groups();
	held();
	reserved();
	return done();
}
