/* Prefill and decode apart: by hand, which replica holds a prompt, and when. */
#include "sim/handover.h"
#include <math.h>
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

/* ---- under TensorRT-LLM's scheduler ---- */

static struct engine without_connector(struct engine *decode)
{
	struct engine e = apart(KV_PUSH);
	e.preset = PRESET_TENSORRT_LLM;
	e.scheduler = SCHEDULER_TENSORRT_LLM;
	e.max_num_seqs = 4;
	e.lockstep_ranks = e.ranks = 1;
	*decode = e;
	e.decode = decode;
	return e;
}

static void relayed(void)
{
	struct engine decode, e = without_connector(&decode);
	ok(run(&e, &two_tokens, 1) == 0 && n_steps == 3, "%s three steps",
	   problem.text);
	/* 100 us of prompt, 40 + 50 of transfer, a step */
	ok(ended[0].first_token_ns == 290000 &&
	       ended[0].last_token_ns == 390000,
	   "the first token comes after admission and a step");
	e.pd_fixed_ns = decode.pd_fixed_ns = 20001;
	ok(run(&e, &two_tokens, 1) == 0 &&
	       ended[0].first_token_ns == 290000 + 20001 &&
	       step[0].start_ns == 10000,
	   "half of the fixed time is before the prompt");
	e.pd_fixed_ns = decode.pd_fixed_ns = 0;
	e.pd_first_token = decode.pd_first_token = PD_FIRST_TOKEN_PREFILL;
	ok(run(&e, &two_tokens, 1) == 0 && ended[0].first_token_ns == 100000 &&
	       ended[0].last_token_ns == 290000,
	   "or it is the prefill replica's");
}

/* ---- both pools, and each of them apart ---- */

enum { RANDOM = 24 };
static uint64_t drawn = 1;
static uint32_t draw(uint32_t below)
{
	drawn = drawn * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(drawn >> 33) % below;
}

static void draw_requests(struct request *r)
{
	int64_t now = 0;
	for (uint32_t i = 0; i < RANDOM; i++) {
		now += draw(4) ? draw(200000) : 0;
		r[i] = (struct request){.row = i,
					.arrival_ns = now,
					.input_tokens = 1 + draw(120),
					.output_tokens = 1 + draw(12)};
	}
}

static void draw_sizes(struct engine *e)
{
	uint32_t ranks = 1 + draw(3);
	e->ranks = e->lockstep_ranks = ranks;
	e->replicas = ranks;
	e->rank_routing = RANKS_FEWEST_TOKENS;
	e->prefill_interval = 1;
	e->max_num_seqs = 1 + draw(6);
	e->max_num_batched_tokens = 130 + draw(200);
	e->async_scheduling = draw(2);
	e->schedule_ns = draw(2) * 3000;
	e->num_gpu_blocks = 11 + draw(30);
	e->prefix_caching = 0;
	if (draw(2)) {
		e->preset = PRESET_SGLANG;
		e->scheduler = SCHEDULER_SGLANG;
		e->sglang = (struct sglang_rules){
		    .chunk = draw(2) ? 0 : e->max_num_batched_tokens,
		    .max_prefill_tokens = 16384,
		    .first_share = 0.7,
		    .ignores_eos = 1};
	}
}

/* By row. */
static struct request_event both[RANDOM], alone[RANDOM];
static int keep(void *to, const struct request_event *x, struct problem *p)
{
	(void)p;
	((struct request_event *)to)[x->request.row] = *x;
	return 0;
}

static int by_arrival(const void *va, const void *vb)
{
	const struct request *a = va, *b = vb;
	if (a->arrival_ns != b->arrival_ns)
		return a->arrival_ns < b->arrival_ns ? -1 : 1;
	return a->row < b->row ? -1 : a->row > b->row;
}

static int serve_to(struct request_event *to, const struct engine *e,
		    const struct linear_cost c[2], const struct request *r,
		    size_t n)
{
	const struct observer o = {.on_request = keep, .ctx = to};
	struct workload w = {.request = r, .n = n};
	return serve_pools(e, c, &w, &o, &out, &problem);
}

/* The prefill replica alone makes a token of each; then the decode replica
 * alone gets them at these times, behind prompts that take 1 ns and no
 * room. */
static int serve_apart(const struct engine *prefill,
		       const struct engine *decode,
		       const struct linear_cost c[2], const struct request *r,
		       int64_t first_ns[RANDOM])
{
	static struct request then[RANDOM];
	const struct linear_cost least[2] = {{0.001, 0, 0}, c[1]};
	struct engine first = *prefill, decode_only = *prefill, last = *decode;
	first.prefill_replicas = 0;
	first.decode = NULL;
	memcpy(then, r, sizeof then);
	for (int i = 0; i < RANDOM; i++)
		then[i].output_tokens = 1;
	if (serve_to(alone, &first, c, then, RANDOM) < 0)
		return -1;
	for (int i = 0; i < RANDOM; i++) {
		then[i] = r[i];
		first_ns[i] = alone[i].first_token_ns;
		then[i].arrival_ns = first_ns[i] - 1;
	}
	qsort(then, RANDOM, sizeof *then, by_arrival);
	decode_only.replicas = decode_only.ranks = decode_only.lockstep_ranks =
	    1;
	decode_only.prefill_replicas = 1;
	decode_only.replicas += last.replicas;
	decode_only.max_num_seqs = RANDOM;
	decode_only.max_num_batched_tokens = 1 << 20;
	decode_only.num_gpu_blocks = ENGINE_UNLIMITED;
	decode_only.async_scheduling = 0;
	decode_only.schedule_ns = 0;
	decode_only.preset = PRESET_TENSORRT_LLM;
	decode_only.scheduler = SCHEDULER_TENSORRT_LLM;
	decode_only.decode = &last;
	return serve_to(alone, &decode_only, least, then, RANDOM);
}

static int same_requests(const int64_t first_ns[RANDOM])
{
	int good = 1;
	for (int i = 0; i < RANDOM; i++)
		good &= both[i].last_token_ns == alone[i].last_token_ns &&
			both[i].first_token_ns == alone[i].first_token_ns &&
			both[i].visit[0].to_ns == first_ns[i];
	return good;
}

static int conserves(const struct request *r, double bytes_per_token)
{
	uint64_t tokens = 0, prompts = 0;
	for (int i = 0; i < RANDOM; i++) {
		tokens += r[i].output_tokens;
		prompts += r[i].input_tokens;
	}
	return out.completed == RANDOM && out.rejected == 0 &&
	       out.total_output_tokens == tokens && out.transfers.n == RANDOM &&
	       (uint64_t)out.transfers.bytes ==
		   prompts * (uint64_t)bytes_per_token;
}

static void each_alone(void)
{
	enum { CASES = 200 };
	static struct request r[RANDOM];
	int served = 0, same = 0, kept = 0;
	for (int i = 0; i < CASES; i++) {
		struct engine decode, e = without_connector(&decode);
		const struct linear_cost c[2] = {{50 + draw(100), draw(3), 0},
						 {10 + draw(50), draw(3), 0}};
		int64_t first_ns[RANDOM];
		e.kv_transfer_latency_ns = 0;
		e.kv_transfer_bytes_per_s = INFINITY;
		decode = e;
		draw_sizes(&e);
		draw_sizes(&decode);
		e.prefill_replicas = e.replicas;
		e.replicas += decode.replicas;
		draw_requests(r);
		if (serve_to(both, &e, c, r, RANDOM) < 0)
			continue;
		served++;
		kept += conserves(r, e.kv_bytes_per_token);
		struct engine prefill = e;
		prefill.replicas = e.prefill_replicas;
		same += serve_apart(&prefill, &decode, c, r, first_ns) == 0 &&
			same_requests(first_ns);
	}
	ok(served == CASES && kept == CASES,
	   "%d of %d cases serve all, %d keep requests, tokens and bytes",
	   served, CASES, kept);
	ok(same == CASES,
	   "%d of %d: a transfer without time makes two engines apart", same,
	   CASES);
}

int main(void)
{
	relayed();
	each_alone();
	pulled();
	one_token();
	pushed();
	pushed_to_groups();
	held();
	reserved();
	return done();
}
