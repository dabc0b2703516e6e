/* Several replicas behind a router; prefill and decode apart. */
#include <inttypes.h>
#include "serve.h"
#include "tap.h"

#define N 2000u
static const struct linear_cost cost = {5000, 20, 0.01};
static struct request request[N];
static struct segment segment[N];
static struct request_event ended[N];
static struct outcome out;
static struct problem problem;

static uint64_t state = 1;
static uint32_t below(uint32_t n)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((state >> 33) % n);
}

static int on_request(void *ctx, const struct request_event *e,
		      struct problem *p)
{
	(void)ctx, (void)p;
	ended[e->request.row] = *e;
	return 0;
}
static const struct observer watch = {.on_request = on_request};

/* Each prompt begins with one of 40 prefixes. */
static void make_requests(void)
{
	int64_t now = 0;
	for (uint32_t i = 0; i < N; i++) {
		now += below(20000000);
		segment[i] = (struct segment){1 + below(40), 300};
		request[i] = (struct request){.row = i,
					      .arrival_ns = now,
					      .input_tokens = 320 + below(100),
					      .output_tokens = 1 + below(200),
					      .segment = &segment[i],
					      .n_segments = 1};
	}
}

static struct engine cluster(uint32_t replicas, enum routing routing)
{
	struct engine e = plain_engine();
	e.max_num_seqs = 16;
	e.num_gpu_blocks = 800;
	e.prefix_caching = 1;
	e.replicas = replicas;
	e.routing = routing;
	e.seed = 3;
	return e;
}

static void run(const struct engine *e)
{
	if (serve(e, &cost, request, N, &watch, &out, &problem))
		bail_out(problem.text);
}

static int same(const struct request_event *a, const struct request_event *b)
{
	return a->ending == b->ending && a->preemptions == b->preemptions &&
	       a->cached_tokens == b->cached_tokens &&
	       a->scheduled_ns == b->scheduled_ns && a->ttft_ns == b->ttft_ns &&
	       a->tpot_ns == b->tpot_ns && a->e2el_ns == b->e2el_ns;
}

static void apart(enum routing routing, int async)
{
	static struct request share[N];
	static struct request_event together[N];
	struct engine e = cluster(8, routing);
	uint32_t wrong = 0;
	uint64_t steps = 0, preemptions = 0, hits = 0;
	e.async_scheduling = (uint32_t)async;
	e.schedule_ns = 200000;
	run(&e);
	struct outcome all = out;
	memcpy(together, ended, sizeof ended);
	e.replicas = 1;
	for (uint32_t k = 0; k < 8; k++) {
		uint32_t n = 0;
		for (uint32_t i = k; i < N; i += 8)
			share[n++] = request[i];
		if (serve(&e, &cost, share, n, &watch, &out, &problem))
			bail_out(problem.text);
		steps += out.num_steps;
		preemptions += out.preemptions;
		hits += out.prefix_hit_tokens;
	}
	for (uint32_t i = 0; i < N; i++) {
		wrong += together[i].replica != i % 8;
		wrong += !same(&together[i], &ended[i]);
	}
	ok(wrong == 0 && steps == all.num_steps &&
	       preemptions == all.preemptions && hits == all.prefix_hit_tokens,
	   "8 replicas in turn are 8 separate runs (%s)",
	   async ? "asynchronous" : "synchronous");
}

/* How often a request went to a replica with more to do than another. */
static uint32_t worse_choices(uint32_t replicas)
{
	uint32_t worse = 0;
	for (uint32_t i = 0; i < N; i++) {
		uint32_t load[16] = {0}, least = UINT32_MAX;
		for (uint32_t k = 0; k < i; k++)
			load[ended[k].replica] += ended[k].last_token_ns >
						  ended[i].request.arrival_ns;
		for (uint32_t r = 0; r < replicas; r++)
			least = load[r] < least ? load[r] : least;
		worse += load[ended[i].replica] > least;
	}
	return worse;
}

static double hit_rate(void)
{
	return (double)out.prefix_hit_tokens /
	       (double)out.prefix_queried_tokens;
}

static void routing(void)
{
	struct engine e = cluster(5, ROUTE_LEAST_OUTSTANDING);
	run(&e);
	ok(worse_choices(5) == 0 && out.completed == N,
	   "least_outstanding never takes a fuller one");
	e = cluster(5, ROUTE_ROUND_ROBIN);
	run(&e);
	double in_turn = hit_rate();
	uint32_t blind = worse_choices(5);
	e = cluster(5, ROUTE_POWER_OF_TWO);
	run(&e);
	uint32_t of_two = worse_choices(5);
	static struct request_event first[N];
	memcpy(first, ended, sizeof ended);
	run(&e);
	ok(of_two < blind && of_two > 0,
	   "power_of_two is better than none (%u against %u worse choices)",
	   of_two, blind);
	uint32_t wrong = 0;
	for (uint32_t i = 0; i < N; i++)
		wrong += first[i].replica != ended[i].replica;
	ok(wrong == 0, "and the same every time");
	e = cluster(5, ROUTE_PREFIX_AFFINITY);
	run(&e);
	ok(hit_rate() > 1.2 * in_turn,
	   "prefix_affinity finds %.1f %% of the prompts, in turn %.1f %%",
	   100 * hit_rate(), 100 * in_turn);
	uint32_t most = 0, load[5] = {0};
	for (uint32_t i = 0; i < N; i++)
		load[ended[i].replica]++;
	for (int i = 0; i < 5; i++)
		most = load[i] > most ? load[i] : most;
	ok(most < N / 2, "and does not send everyone to one place");
}

static int64_t decode_start_ns[8];
static uint32_t n_decodes;
static int on_step(void *ctx, const struct step_event *e, struct problem *p)
{
	(void)ctx, (void)p;
	if (e->pool == 1)
		decode_start_ns[n_decodes++] = e->start_ns;
	return 0;
}

static void pools(void)
{
	const struct linear_cost two[] = {{100, 1, 0}, {30, 5, 0}};
	const struct observer o = {.on_step = on_step,
				   .on_request = on_request};
	const struct request one = {
	    .input_tokens = 1000, .output_tokens = 3, .arrival_ns = 7000};
	struct workload w = {.request = &one, .n = 1};
	struct engine e = plain_engine();
	e.replicas = 2;
	e.prefill_replicas = 1;
	e.kv_bytes_per_token = 131072;
	e.kv_transfer_bytes_per_s = 50e9;
	e.kv_transfer_latency_ns = 20000;
	if (serve_pools(&e, two, &w, &o, &out, &problem))
		bail_out(problem.text);
	/* 1,100 us of prefill; 131,072,000 bytes at 50 GB/s are 2,621.44 us,
	 * and 20 us; then steps of 35 us. */
	ok(ended[0].first_token_ns == 1107000, "the prompt here");
	ok(n_decodes == 2 && decode_start_ns[0] == 1107000 + 2621440 + 20000 &&
	       ended[0].last_token_ns == decode_start_ns[0] + 70000,
	   "bytes over bandwidth, and latency, then the output there");
	ok(ended[0].replica == 1 && out.itl.n == 2 &&
	       out.itl.max == 2621440 + 20000 + 35000,
	   "the transfer is a gap between tokens");
	ok(out.completed == 1 && out.total_output_tokens == 3, "it ended once");
	const struct visit *s = ended[0].visit;
	ok(ended[0].n_visits == 2 && s[0].replica == 0 &&
	       s[0].from_ns == 7000 && s[0].to_ns == 1107000 &&
	       s[1].replica == 1 && s[1].from_ns == decode_start_ns[0] &&
	       s[1].to_ns == ended[0].last_token_ns,
	   "a stay with each, the transfer in neither");
}

static void many_in_pools(void)
{
	struct engine e = cluster(5, ROUTE_LEAST_OUTSTANDING);
	uint32_t wrong = 0;
	e.prefill_replicas = 2;
	e.kv_bytes_per_token = 131072;
	e.kv_transfer_bytes_per_s = 50e9;
	for (int async = 0; async < 2; async++) {
		e.async_scheduling = (uint32_t)async;
		e.num_gpu_blocks = async ? 800 : 60;
		run(&e);
		for (uint32_t i = 0; i < N; i++)
			wrong +=
			    ended[i].ending != REQUEST_ENDED ||
			    (ended[i].replica >= 2) !=
				(ended[i].request.output_tokens > 1) ||
			    ended[i].first_token_ns > ended[i].last_token_ns ||
			    ended[i].visit[0].from_ns !=
				ended[i].request.arrival_ns ||
			    ended[i].visit[ended[i].n_visits - 1].to_ns !=
				ended[i].last_token_ns;
		ok(wrong == 0 && out.completed == N,
		   "%u requests through two pools, %" PRIu64 " preemptions", N,
		   out.preemptions);
	}
}

int main(void)
{
	make_requests();
	apart(ROUTE_ROUND_ROBIN, 0);
	apart(ROUTE_ROUND_ROBIN, 1);
	routing();
	pools();
	many_in_pools();
	return done();
}
