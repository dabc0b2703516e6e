/* serve.h -- a workload and a cost model of the tests' own, so that the engine
 * can be tested without traces and plugins.
 *
 * The workload is an array of requests in order of arrival.  The cost model:
 * base_us + token_us per token computed + kv_us per token of context; it prices
 * steps that are to come along with the one that is, unless
 * serve_one_by_one. */
#ifndef T_SERVE_H
#define T_SERVE_H
#include <stdlib.h>
#include <string.h>
#include "engine/engine.h"
#include "sim/simulation.h"

/* The linker takes these functions before those of libworkload.  They are weak,
 * because several tests in the program of a room have them. */
#define WEAK __attribute__((weak))

struct workload {
	const struct request *request;
	size_t n, at;
	/* closed loop: most requests in flight, the next one arriving when
	 * one ends; 0: at their own times */
	size_t concurrency;
	int64_t free_ns[64];
	size_t n_free;
	uint64_t n_finished;
};

static int workload_next_free(const struct workload *w)
{
	int best = 0;
	for (size_t i = 1; i < w->n_free; i++)
		if (w->free_ns[i] < w->free_ns[best])
			best = (int)i;
	return best;
}

WEAK int workload_peek(struct workload *w, int64_t *arrival_ns,
		       struct problem *p)
{
	(void)p;
	if (w->at == w->n || (w->concurrency && w->n_free == 0))
		return 0;
	*arrival_ns = w->concurrency ? w->free_ns[workload_next_free(w)]
				     : w->request[w->at].arrival_ns;
	return 1;
}

WEAK int workload_pop(struct workload *w, struct request *r, struct problem *p)
{
	(void)p;
	*r = w->request[w->at++];
	if (w->concurrency) {
		int i = workload_next_free(w);
		r->arrival_ns = w->free_ns[i];
		w->free_ns[i] = w->free_ns[--w->n_free];
	}
	return 0;
}

WEAK uint64_t workload_clients(const struct workload *w)
{
	return w->concurrency;
}

WEAK uint32_t workload_longest_item(const struct workload *w)
{
	uint32_t most = 0;
	for (size_t i = 0; i < w->n; i++)
		for (uint32_t k = 0; k < w->request[i].n_items; k++)
			if (w->request[i].item[k].length > most)
				most = w->request[i].item[k].length;
	return most;
}

WEAK int workload_finished(struct workload *w, uint64_t row, int64_t finish_ns)
{
	(void)row;
	w->n_finished++;
	if (w->concurrency)
		w->free_ns[w->n_free++] = finish_ns;
	return w->concurrency != 0;
}

/* The next one of the list is given. */
WEAK int workload_give(struct workload *w, const struct request *r)
{
	if (&w->request[w->n] != r)
		return -1;
	w->n++;
	return 0;
}

WEAK int workload_may_leave(const struct workload *w)
{
	int may = 0;
	for (size_t i = 0; i < w->n; i++)
		may |= request_may_leave(&w->request[i]);
	return may;
}

WEAK size_t workload_resets(const struct workload *w,
			    const struct workload_reset **reset)
{
	(void)w;
	*reset = NULL;
	return 0;
}

struct linear_cost {
	double base_us, token_us, kv_us;
};

static int32_t linear_create(void **inst, const sc_setup *setup,
			     const void *knobs, sc_error *err)
{
	(void)setup, (void)err;
	*inst = malloc(sizeof(struct linear_cost));
	if (!*inst)
		return SC_ENOMEM;
	memcpy(*inst, knobs, sizeof(struct linear_cost));
	return SC_OK;
}

/* Steps with decodes: the engine told the sum of their contexts right, told it
 * wrong, or did not tell it. */
__attribute__((unused)) static uint64_t linear_told, linear_wrong,
    linear_unsupported;

static int32_t linear_eval(void *inst, const sc_step *s, sc_result *out,
			   sc_error *err)
{
	(void)err;
	const struct linear_cost *c = inst;
	uint64_t tokens = s->n_decode, kv = 0;
	for (uint32_t i = 0; i < s->n_decode; i++)
		kv += s->decode_ctx[i];
	linear_told += kv && s->decode_ctx_sum == kv;
	linear_wrong += s->decode_ctx_sum && s->decode_ctx_sum != kv;
	linear_unsupported += s->n_decode && s->decode_ctx_sum == 0;
	for (uint32_t i = 0; i < s->n_prefill; i++) {
		tokens += s->prefill_new[i];
		kv += s->prefill_ctx[i];
	}
	out->total_us =
	    c->base_us + c->token_us * (double)tokens + c->kv_us * (double)kv;
	return SC_OK;
}

static uint32_t linear_steps_in_batches, linear_batches;

static int32_t linear_eval_batch(void *inst, uint32_t n,
				 const sc_step *const *step,
				 sc_result *const *out, uint32_t *n_done,
				 sc_error *err)
{
	linear_batches += n > 1;
	linear_steps_in_batches += n > 1 ? n : 0;
	for (*n_done = 0; *n_done < n; ++*n_done)
		linear_eval(inst, step[*n_done], out[*n_done], err);
	return SC_OK;
}

static const sc_plugin linear_plugin = {.size = sizeof linear_plugin,
					.abi_major = SC_ABI_MAJOR,
					.name = "linear",
					.create = linear_create,
					.destroy = free,
					.eval = linear_eval,
					.eval_batch = linear_eval_batch};
static int serve_one_by_one;

/* [engine] without a key, except that the cache is unlimited. */
__attribute__((unused)) static struct engine plain_engine(void)
{
	return (struct engine){.parallel = {.tp = 1, .pp = 1, .ep = 1, .dp = 1},
			       .step_ranks = 1,
			       .max_num_seqs = 256,
			       .max_num_batched_tokens = 2048,
			       .block_size = 16,
			       .num_gpu_blocks = ENGINE_UNLIMITED,
			       .graph_max_tokens = 512,
			       .replicas = 1,
			       .ranks = 1,
			       .lockstep_ranks = 1};
}

/* c[0], c[1]: of the pools; 0, or -1 with *p. */
static int serve_pools(const struct engine *e, const struct linear_cost *c,
		       struct workload *w, const struct observer *o,
		       struct outcome *out, struct problem *p)
{
	static struct cost cost[2];
	static struct cost_answer answer[2][COST_BATCH];
	struct cost *const pools[] = {&cost[0], &cost[1]};
	void *memory = calloc(1, simulation_step_bytes(e));
	int rc = memory ? 0 : -1;
	for (int i = 0; i < 2 && rc == 0; i++)
		rc = cost_create(&cost[i], &linear_plugin, NULL, &c[i], p);
	for (int i = 0; i < 2 && !serve_one_by_one; i++) {
		cost[i].answers_end = answer[i] + COST_BATCH;
		cost[i].n_asked = COST_ONE_BY_ONE;
	}
	if (rc == 0)
		rc = simulate(e, pools, w, o, memory, out, p);
	cost_destroy(&cost[0]);
	cost_destroy(&cost[1]);
	free(memory);
	return rc;
}

__attribute__((unused)) static int
serve_workload(const struct engine *e, const struct linear_cost *c,
	       struct workload *w, const struct observer *o,
	       struct outcome *out, struct problem *p)
{
	const struct linear_cost both[] = {*c, *c};
	return serve_pools(e, both, w, o, out, p);
}

__attribute__((unused)) static int serve(const struct engine *e,
					 const struct linear_cost *c,
					 const struct request *r, size_t n,
					 const struct observer *o,
					 struct outcome *out, struct problem *p)
{
	struct workload w = {.request = r, .n = n};
	return serve_workload(e, c, &w, o, out, p);
}
#endif
