/* Requests that leave early: the same whether their times are known before or
 * while the simulation runs, and nothing of them stays. */
#include "sim/withdrawal.h"
#include <inttypes.h>
#include "serve.h"
#include "tap.h"

#define N 400u
static const struct linear_cost linear = {5000, 20, 0.01};
static struct request request[N];
static struct segment segment[N];
static struct request_event known[N], given[N];
static uint32_t n_known, n_given;
static struct problem problem;

static uint64_t state = 1;
static uint32_t below(uint32_t n)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((state >> 33) % n);
}

static int on_known(void *ctx, const struct request_event *e, struct problem *p)
{
	(void)ctx, (void)p;
	known[e->request.row] = *e;
	n_known++;
	return 0;
}

static int on_given(void *ctx, const struct request_event *e, struct problem *p)
{
	(void)ctx, (void)p;
	given[e->request.row] = *e;
	n_given++;
	return 0;
}

/* Every third request leaves early in one way or another. */
static void make_requests(void)
{
	int64_t now = 1;
	for (uint32_t i = 0; i < N; i++) {
		now += 1 + below(8000000);
		segment[i] = (struct segment){1 + below(20), 40};
		struct request *r = &request[i];
		*r = (struct request){.row = i,
				      .arrival_ns = now,
				      .input_tokens = 48 + below(100),
				      .output_tokens = 1 + below(60),
				      .segment = &segment[i],
				      .n_segments = 1};
		uint32_t way = below(9);
		if (way == 0)
			r->cancel_ns = now + 1 + below(900000000);
		if (way == 1)
			r->stop_tokens = 1 + below(r->output_tokens);
		if (way <= 2)
			r->max_tokens = r->output_tokens + 1 + below(40);
		if (way == 3)
			r->cancel_ns = now + 1 + below(3000000);
	}
}

static int same(const struct request_event *a, const struct request_event *b)
{
	return a->ending == b->ending && a->preemptions == b->preemptions &&
	       a->cached_tokens == b->cached_tokens &&
	       a->generated_tokens == b->generated_tokens &&
	       a->scheduled_ns == b->scheduled_ns && a->ttft_ns == b->ttft_ns &&
	       a->first_token_ns == b->first_token_ns &&
	       a->last_token_ns == b->last_token_ns &&
	       a->tpot_ns == b->tpot_ns && a->e2el_ns == b->e2el_ns &&
	       a->replica == b->replica;
}

static uint64_t tokens_told, tokens_late;
static int64_t told_until_ns;
static void on_tokens(void *ctx, uint64_t row, uint32_t n, int64_t client_ns)
{
	(void)ctx, (void)row;
	tokens_told += n;
	tokens_late += client_ns < told_until_ns;
}

/* Gives requests and cancels shortly before their times, and goes on at odd
 * moments. */
static int give_live(struct simulation *m, struct workload *w)
{
	uint64_t next_cancel = 0;
	int64_t horizon = 0;
	for (uint32_t i = 0; i < N;) {
		int64_t until = horizon + 1 + below(20000000);
		while (i < N && request[i].arrival_ns <= until) {
			request[i].cancel_ns = 0;
			if (simulation_arrive(m, &w->request[i++]))
				return -1;
		}
		for (uint64_t k = 0; k < N; k++)
			if (known[k].request.cancel_ns > horizon &&
			    known[k].request.cancel_ns <= until) {
				next_cancel++;
				if (simulation_cancel(
					m, k, known[k].request.cancel_ns))
					return -1;
			}
		told_until_ns = horizon;
		horizon = until;
		if (simulation_advance(m, until))
			return -1;
	}
	for (uint64_t k = 0; k < N; k++)
		if (known[k].request.cancel_ns > horizon &&
		    simulation_cancel(m, k, known[k].request.cancel_ns))
			return -1;
	return simulation_advance(m, INT64_MAX / 4);
}

static int run_live(const struct engine *e, struct outcome *out)
{
	static struct cost cost[2];
	struct cost *const pools[] = {&cost[0], &cost[1]};
	void *memory = calloc(1, simulation_step_bytes(e));
	struct workload w = {.request = request, .n = 0};
	const struct observer o = {.on_request = on_given,
				   .on_tokens = on_tokens};
	const struct simulation_setup s = {.e = e,
					   .cost = pools,
					   .w = &w,
					   .o = &o,
					   .step_memory = memory,
					   .is_open = 1};
	for (int i = 0; i < 2; i++)
		if (cost_create(&cost[i], &linear_plugin, NULL, &linear,
				&problem))
			bail_out("cost model");
	struct simulation *m = simulation_open(&s, out, &problem);
	int rc = m ? give_live(m, &w) : -1;
	uint64_t used = 0;
	for (uint32_t i = 0; m && i < e->replicas; i++) {
		struct simulation_load load = simulation_load(m, i);
		used += load.blocks_used + load.running + load.waiting;
	}
	ok(used == 0, "no request and no block is left");
	if (m)
		rc = simulation_close(m, rc);
	cost_destroy(&cost[0]);
	cost_destroy(&cost[1]);
	free(memory);
	return rc;
}

static void both(const char *name, const struct engine *e)
{
	struct outcome a, b;
	uint32_t wrong = 0, first = N;
	n_known = n_given = 0;
	tokens_told = tokens_late = 0;
	make_requests();
	const struct observer o = {.on_request = on_known};
	if (serve(e, &linear, request, N, &o, &a, &problem))
		bail_out(problem.text);
	uint64_t tokens = 0;
	if (run_live(e, &b))
		bail_out(problem.text);
	for (uint32_t i = 0; i < N; i++) {
		if (!same(&known[i], &given[i])) {
			first = first == N ? i : first;
			wrong++;
		}
		if (known[i].ending == REQUEST_ENDED)
			tokens += known[i].generated_tokens;
	}
	ok(wrong == 0, "%s: %" PRIu32 " of %u requests differ, first %" PRIu32,
	   name, wrong, N, first);
	ok(a.cancelled > 20 && a.completed > 200 && n_known == N &&
	       n_given == N &&
	       a.completed + a.cancelled + a.rejected == a.requests,
	   "%s: %" PRIu64 " completed, %" PRIu64 " cancelled, %" PRIu64
	   " preemptions",
	   name, a.completed, a.cancelled, a.preemptions);
	ok(tokens_told >= tokens && tokens_late == 0,
	   "%s: all tokens are told, none is due before", name);
}

static struct engine engine_of(enum engine_preset preset, int async)
{
	struct engine e = plain_engine();
	e.preset = preset;
	e.async_scheduling = (uint32_t)async;
	e.queues_empty_batches = preset != 0;
	e.max_num_seqs = 16;
	e.num_gpu_blocks = 100;
	e.prefix_caching = 1;
	e.schedule_ns = 200000;
	e.response_overhead_ns = 1000000;
	e.response_sequence_ns = 5000;
	e.api_request_ns = 100000;
	return e;
}

static struct engine sglang(int async)
{
	struct engine e = engine_of(PRESET_SGLANG, async);
	e.scheduler = SCHEDULER_SGLANG;
	e.num_gpu_blocks = 120;
	e.sglang.first_share = 0.7;
	e.sglang.max_prefill_tokens = 2048;
	e.sglang.chunk = 64;
	return e;
}

static struct engine trtllm(int async, int evicts)
{
	struct engine e = engine_of(PRESET_TENSORRT_LLM, async);
	e.scheduler = SCHEDULER_TENSORRT_LLM;
	e.trtllm.capacity =
	    evicts ? CAPACITY_MAX_UTILIZATION : CAPACITY_NO_EVICT;
	return e;
}

int main(void)
{
	struct engine e;
	for (int async = 0; async < 2; async++) {
		e = engine_of(PRESET_NONE, async);
		both(async ? "plain, async" : "plain", &e);
		e = engine_of(PRESET_VLLM_2026_07, async);
		both(async ? "vllm, async" : "vllm", &e);
		e = sglang(async);
		both(async ? "sglang, overlap" : "sglang", &e);
		e = trtllm(async, async);
		both(async ? "trtllm, async" : "trtllm", &e);
		e = engine_of(PRESET_VLLM_2026_07, async);
		e.replicas = 3;
		e.routing = ROUTE_LEAST_OUTSTANDING;
		both(async ? "replicas, async" : "replicas", &e);
	}
	return done();
}
