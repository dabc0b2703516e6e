/* Prices of steps to come are those of the steps when they come: all that is
 * told of a simulation is the same as if each had been priced alone; and if
 * steps are carried out and told together. */
#include "sim/step/ahead.h"
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

/* Checksums of everything that the engine tells: of single steps, and of steps
 * that it tells together. */
static uint64_t told, told_of_runs;
static void add(uint64_t *sum, const void *v, size_t bytes)
{
	const unsigned char *x = v;
	for (size_t i = 0; i < bytes; i++)
		*sum = (*sum ^ x[i]) * 1099511628211u;
}

static void note(const void *v, size_t bytes)
{
	add(&told, v, bytes);
}

static void note_of_run(double total_us, int64_t start_ns, int64_t end_ns,
			const uint64_t n[4])
{
	add(&told_of_runs, &total_us, sizeof total_us);
	add(&told_of_runs, &start_ns, sizeof start_ns);
	add(&told_of_runs, &end_ns, sizeof end_ns);
	add(&told_of_runs, n, 4 * sizeof *n);
}

static uint64_t steps_in_runs, runs;
static int on_run(void *ctx, const struct decode_run *run, struct problem *p)
{
	(void)ctx, (void)p;
	for (uint32_t i = 0; i < run->n; i++)
		note_of_run(run->result[i]->total_us, run->start_ns[i],
			    run->end_ns[i],
			    (uint64_t[]){i ? run->sequences : run->tokens,
					 run->sequences, run->waiting,
					 run->blocks_used[i]});
	steps_in_runs += run->n;
	runs++;
	return 0;
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
	note_of_run(e->result->total_us, e->start_ns, e->end_ns,
		    (uint64_t[]){e->tokens, s->n_prefill + s->n_decode,
				 e->waiting, e->blocks_used});
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
	e.api_request_ns = below(2) ? 0 : 1000 * below(300);
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
		size_t concurrency, int in_runs, struct outcome *out)
{
	const struct linear_cost c = {100, 1, 0.125};
	const struct observer o = {.on_step = on_step,
				   .on_run = in_runs ? on_run : NULL};
	struct workload w = {.request = r, .n = N};
	struct problem p = {0};
	for (w.concurrency = concurrency; w.n_free < concurrency; w.n_free++)
		w.free_ns[w.n_free] = 0;
	told = told_of_runs = 0;
	memset(out, 0, sizeof *out);
	if (serve_workload(e, &c, &w, &o, out, &p))
		bail_out("a run failed");
}

int main(void)
{
	static struct request r[N];
	static struct outcome alone, together, in_runs;
	uint32_t wrong = 0, wrong_in_runs = 0;
	uint64_t steps = 0;
	for (uint32_t i = 0; i < CASES; i++) {
		random_state = i;
		struct engine e = random_engine();
		random_requests(r);
		size_t concurrency = below(3) ? 0 : 1 + below(20);
		serve_one_by_one = 1;
		run(&e, r, concurrency, 0, &alone);
		uint64_t as_told = told, of_runs = told_of_runs;
		serve_one_by_one = 0;
		run(&e, r, concurrency, 0, &together);
		wrong += as_told != told ||
			 memcmp(&alone, &together, sizeof alone) != 0;
		run(&e, r, concurrency, 1, &in_runs);
		wrong_in_runs += of_runs != told_of_runs ||
				 memcmp(&alone, &in_runs, sizeof alone) != 0;
		steps += together.num_steps;
	}
	ok(wrong == 0, "%u of %u runs tell the same", CASES - wrong, CASES);
	ok(wrong_in_runs == 0, "%u of %u runs are the same, told together",
	   CASES - wrong_in_runs, CASES);
	ok(steps_in_runs > steps / 4 && 2 * steps_in_runs > 3 * runs,
	   "%u of %u steps told, %.1f at once", (unsigned)steps_in_runs,
	   (unsigned)steps, (double)steps_in_runs / (double)runs);
	ok(linear_steps_in_batches > steps / 4,
	   "%u of %u steps priced with others", linear_steps_in_batches,
	   (unsigned)steps);
	ok(linear_steps_in_batches > 3 * linear_batches, "%.1f in a call",
	   (double)linear_steps_in_batches / linear_batches);
	ok(linear_told > steps && linear_wrong + linear_unsupported == 0,
	   "the sum of contexts is told, and right");
	return done();
}
