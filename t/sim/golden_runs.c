/* Results to the bit: what makes it faster must not make it different.  A
 * number here changes only with the rules in doc/engine.md. */
#include <inttypes.h>
#include "serve.h"
#include "tap.h"

#define N 3000u
static struct request request[N];
static struct segment segment[N][2];
static struct outcome out;
static struct problem problem;

static uint64_t state;
static uint32_t below(uint32_t n)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((state >> 33) % n);
}

static uint64_t hash;
static void mix(uint64_t x)
{
	hash = (hash ^ x) * 0x9e3779b97f4a7c15u;
	hash ^= hash >> 32;
}
static void mix_double(double d)
{
	uint64_t x;
	memcpy(&x, &d, sizeof x);
	mix(x);
}

static int on_step(void *ctx, const struct step_event *e, struct problem *p)
{
	(void)ctx, (void)p;
	const sc_step *s = e->step;
	mix((uint64_t)e->start_ns);
	mix((uint64_t)e->end_ns);
	mix(s->replica);
	mix(e->running);
	mix(e->waiting);
	mix(e->blocks_used);
	for (uint32_t i = 0; i < s->n_decode; i++) {
		mix(s->decode_id[i]);
		mix(s->decode_ctx[i]);
	}
	for (uint32_t i = 0; i < s->n_prefill; i++) {
		mix(s->prefill_id[i]);
		mix(s->prefill_ctx[i]);
		mix(s->prefill_new[i]);
	}
	return 0;
}

static int on_request(void *ctx, const struct request_event *e,
		      struct problem *p)
{
	(void)ctx, (void)p;
	mix(e->request.row);
	mix(e->ending);
	mix((uint64_t)e->ttft_ns);
	mix((uint64_t)e->tpot_ns);
	mix((uint64_t)e->e2el_ns);
	mix(e->cached_tokens);
	mix(e->preemptions);
	return 0;
}

static void mix_summary(const struct stats_summary *s)
{
	mix(s->n);
	mix_double(s->mean);
	mix_double(s->std);
	mix_double(s->p50);
	mix_double(s->p90);
	mix_double(s->p95);
	mix_double(s->p99);
}

static void make_requests(int64_t gap_ns)
{
	int64_t now = 0;
	state = 5;
	for (uint32_t i = 0; i < N; i++) {
		now += (int64_t)below(2 * (uint32_t)gap_ns);
		segment[i][0] = (struct segment){below(20), 10 + below(300)};
		segment[i][1] = (struct segment){100 + i, 100};
		request[i] = (struct request){.row = i,
					      .arrival_ns = now,
					      .input_tokens = 1 + below(600),
					      .output_tokens = 1 + below(300),
					      .priority = (int32_t)below(3),
					      .segment = segment[i],
					      .n_segments = 2};
	}
}

static void pinned(const struct engine *e, uint64_t want, const char *what)
{
	const struct observer o = {.on_step = on_step,
				   .on_request = on_request};
	const struct linear_cost c = {5000, 10, 0.01};
	hash = 1;
	if (serve(e, &c, request, N, &o, &out, &problem))
		bail_out(problem.text);
	mix_summary(&out.ttft);
	mix_summary(&out.tpot);
	mix_summary(&out.itl);
	mix_summary(&out.e2el);
	mix_summary(&out.queueing);
	mix(out.saturation);
	mix(out.kv_blocks_peak);
	mix(out.prefix_hit_tokens);
	if (!ok(hash == want, "%s: %" PRIu64 " steps, %s", what, out.num_steps,
		saturation_name[out.saturation]))
		printf("#  got: 0x%016" PRIx64 "\n", hash);
}

int main(void)
{
	struct engine e = plain_engine();
	make_requests(25000000);
	e.max_num_seqs = 64;
	pinned(&e, 0x104467befa4362de, "synchronous");
	e.async_scheduling = 1;
	e.schedule_ns = 497000;
	e.api_overhead_ns = 6210000;
	pinned(&e, 0x1e78a1e6b0f93e33, "asynchronous");
	e.prefix_caching = 1;
	e.num_gpu_blocks = 1200;
	pinned(&e, 0xf209997f12eca9d7,
	       "asynchronous, prefix caching, short of blocks");
	e.async_scheduling = 0;
	e.policy = POLICY_PRIORITY;
	e.long_prefill_token_threshold = 128;
	e.max_num_batched_tokens = 500;
	pinned(&e, 0xec998b18393cfacd,
	       "synchronous, prefix caching, priorities, small chunks");
	e.prefix_caching = 0;
	e.num_gpu_blocks = 700;
	e.block_size = 24;
	pinned(&e, 0x808552bd54819470, "blocks of 24");
	e = plain_engine();
	e.max_num_seqs = 16;
	e.replicas = 5;
	e.prefix_caching = 1;
	e.num_gpu_blocks = 600;
	e.routing = ROUTE_PREFIX_AFFINITY;
	pinned(&e, 0x6cff80acabb4fb9b, "5 replicas, prefix affinity");
	e.routing = ROUTE_POWER_OF_TWO;
	e.prefill_replicas = 2;
	e.kv_bytes_per_token = 131072;
	e.kv_transfer_bytes_per_s = 50e9;
	pinned(&e, 0x2886dfb3e2e71f6c,
	       "2 replicas for prompts, 3 for the rest");
	return done();
}
