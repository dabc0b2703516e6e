/* Prices of steps to come are those of the steps when they come: all that is
 * told of a run is the same as if each had been priced alone. */
#include "sim/ahead.h"
#include "serve.h"
#include "tap.h"

enum { N = 60, CASES = 300 };
static uint64_t random_state;
static uint32_t below(uint32_t n)
{
	random_state =
	    random_state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((random_state >> 33) % n);
}

/* All that is told of a step, as a checksum. */
static uint64_t told;
static void note(const void *v, size_t bytes)
{
	const unsigned char *x = v;
	for (size_t i = 0; i < bytes; i++)
		told = (told ^ x[i]) * 1099511628211u;
}

static int on_step(void *ctx, const struct step_event *e, struct problem *p)
{
	const sc_step *s = e->step;
	(void)ctx, (void)p;
	note(&s->step_index, sizeof s->step_index);
	note(&s->flags, sizeof s->flags);
	note(&s->n_sampled, sizeof s->n_sampled);
	note(s->decode_ctx, s->n_decode * sizeof *s->decode_ctx);
	note(s->decode_id, s->n_decode * sizeof *s->decode_id);
	note(s->prefill_id, s->n_prefill * sizeof *s->prefill_id);
	note(s->prefill_new, s->n_prefill * sizeof *s->prefill_new);
	note(&e->result->total_us, sizeof e->result->total_us);
	note(&e->schedule_ns, sizeof e->schedule_ns);
	note(&e->start_ns, sizeof e->start_ns);
	note(&e->end_ns, sizeof e->end_ns);
	note(&e->tokens, sizeof e->tokens);
	note(&e->running, sizeof e->running);
	note(&e->waiting, sizeof e->waiting);
	note(&e->preempted, sizeof e->preempted);
	note(&e->blocks_used, sizeof e->blocks_used);
	return 0;
}

static struct engine random_engine(void)
{
	struct engine e = plain_engine();
	e.max_num_seqs = 1 + below(12);
	e.max_num_batched_tokens = below(3) ? 200 : 4 + below(20);
	e.block_size = 1 + below(16);
	e.num_gpu_blocks = below(2) ? ENGINE_UNLIMITED : 20 + below(80);
	e.prefix_caching = below(4) == 0;
	e.async_scheduling = below(3) == 0;
	e.api_overhead_ns = below(2) ? 0 : 1000 * below(300);
	e.schedule_ns = below(2) ? 0 : 1000 * below(100);
	e.graph_max_tokens = below(12);
	e.policy = below(2) ? POLICY_PRIORITY : POLICY_FCFS;
	e.replicas = below(3) ? 1 : 1 + below(3);
	return e;
}

static void random_requests(struct request *r)
{
	int64_t now = 0;
	uint32_t gap_us = below(2) ? 3000 : 300;
	for (uint32_t i = 0; i < N; i++) {
		now += 1000 * (int64_t)below(gap_us);
		r[i] = (struct request){.row = i,
					.arrival_ns = now,
					.priority = (int32_t)below(3),
					.input_tokens = 1 + below(60),
					.output_tokens = 1 + below(30)};
	}
}

static void run(const struct engine *e, const struct request *r,
		size_t concurrency, struct outcome *out)
{
	const struct linear_cost c = {100, 1, 0.125};
	const struct observer o = {.on_step = on_step};
	struct workload w = {.request = r, .n = N};
	struct problem p = {0};
	for (w.concurrency = concurrency; w.n_free < concurrency; w.n_free++)
		w.free_ns[w.n_free] = 0;
	told = 0;
	memset(out, 0, sizeof *out);
	if (serve_workload(e, &c, &w, &o, out, &p))
		bail_out("a run failed");
}

int main(void)
{
	static struct request r[N];
	static struct outcome alone, together;
	uint32_t wrong = 0;
	uint64_t steps = 0;
	for (uint32_t i = 0; i < CASES; i++) {
		random_state = i;
		struct engine e = random_engine();
		random_requests(r);
		size_t concurrency = below(3) ? 0 : 1 + below(20);
		serve_one_by_one = 1;
		run(&e, r, concurrency, &alone);
		uint64_t as_told = told;
		serve_one_by_one = 0;
		run(&e, r, concurrency, &together);
		wrong += as_told != told ||
			 memcmp(&alone, &together, sizeof alone) != 0;
		steps += together.num_steps;
	}
	ok(wrong == 0, "%u of %u runs tell the same", CASES - wrong, CASES);
	ok(linear_steps_in_batches > steps / 4,
	   "%u of %u steps priced with others", linear_steps_in_batches,
	   (unsigned)steps);
	ok(linear_steps_in_batches > 3 * linear_batches, "%.1f in a call",
	   (double)linear_steps_in_batches / linear_batches);
	return done();
}
