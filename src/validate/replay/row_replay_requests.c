/* row_replay_requests.c -- Plans the requests of measured rows. */
#include "validate/replay/row_replay_requests.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "math/rng.h"
#include "validate/measured/measured_requests.h"
#include "validate/measured/parallelism.h"
#include "workload/segments.h"

static uint32_t tokens(double v)
{
	return !(v >= 1) ? 1 : v > 1e8 ? 100000000u : (uint32_t)llround(v);
}

struct pool {
	uint32_t *length, *order; /* [n] */
	uint64_t n;
};

static int pool_make(struct pool *o, const struct protocol *c, double mean)
{
	struct rng r = rng_stream((uint64_t)c->seed, RNG_INPUT, 0);
	struct rng s = rng_stream((uint64_t)c->seed, RNG_PROMPT_ORDER, 0);
	double jitter = c->input_jitter_tokens;
	o->n = c->prompts ? (uint64_t)c->prompts : 1;
	o->length = calloc(2 * o->n, sizeof *o->length);
	if (!o->length)
		return -1;
	o->order = o->length + o->n;
	for (uint64_t i = 0; i < o->n; i++) {
		o->length[i] = tokens(mean * c->input_scale +
				      (2 * rng_uniform(&r) - 1) * jitter);
		o->order[i] = (uint32_t)i;
	}
	for (uint64_t i = o->n - 1; i > 0; i--) {
		uint64_t j = rng_below(&s, i + 1);
		uint32_t at = o->order[i];
		o->order[i] = o->order[j];
		o->order[j] = at;
	}
	return 0;
}

/* Prompts of a group begin alike; the rest of each is its own. */
static void pool_prompt(const struct pool *o, const struct protocol *c,
			uint64_t index, double shared,
			struct planned_request *r)
{
	uint32_t prompt = o->order[index % o->n];
	uint64_t groups = c->prompt_groups ? (uint64_t)c->prompt_groups : 1;
	uint32_t prefix = shared >= 1 ? tokens(shared) : 0;
	r->input_tokens = o->length[prompt];
	if (prefix > r->input_tokens)
		prefix = r->input_tokens;
	if (prefix)
		r->segment[r->n_segments++] = (struct segment){
		    segment_id(SEGMENT_GROUP, prompt * groups / o->n, 0),
		    prefix};
	if (r->input_tokens > prefix)
		r->segment[r->n_segments++] =
		    (struct segment){segment_id(SEGMENT_PROMPT, prompt, 0),
				     r->input_tokens - prefix};
}

/* q[n] at exponential gaps, scaled so that the last arrives when the stage
 * ends: what inference-perf's timer of a constant rate does. */
static void arrive(struct planned_request *q, uint64_t n, double start_s,
		   double stage_s, struct rng *gap)
{
	double sum = 0, at = 0;
	struct rng again = *gap;
	for (uint64_t k = 0; k < n; k++)
		sum += rng_exponential(&again);
	for (uint64_t k = 0; k < n; k++) {
		at += rng_exponential(gap);
		q[k].arrival_ns =
		    llround(1e9 * (start_s + stage_s * (at / sum)));
	}
}

/* Fills in q[t->n] for all rows, stage after stage. */
static int draw_prompts(struct planned_request *q, const struct row_replay *t,
			const struct protocol *c)
{
	const struct measured_row *rows = t->file->row;
	struct pool pool;
	struct rng gap = rng_stream((uint64_t)c->seed, RNG_ARRIVAL, 0);
	double start_s = 0;
	if (pool_make(&pool, c, rows[t->row[0]].input_tokens) < 0)
		return -1;
	for (size_t i = 0; i < t->n_rows; i++) {
		const struct measured_row *r = &rows[t->row[i]];
		uint64_t n = t->first[i + 1] - t->first[i];
		double stage_s = (double)n / r->request_rate;
		arrive(q + t->first[i], n, start_s, stage_s, &gap);
		for (uint64_t k = t->first[i]; k < t->first[i + 1]; k++) {
			q[k].output_tokens = tokens(r->output_tokens);
			pool_prompt(&pool, c, k, r->shared_prefix_tokens,
				    &q[k]);
		}
		start_s += stage_s;
		if (!isnan(r->time[RUN_E2EL].of[STATISTIC_MEAN]))
			start_s += 1e-3 * c->stage_gap_e2e *
				   r->time[RUN_E2EL].of[STATISTIC_MEAN];
	}
	free(pool.length);
	return 0;
}

static int plan_prompts(struct row_replay *t, const struct protocol *c)
{
	for (size_t i = 0; i < t->n_rows; i++) {
		const struct measured_row *r = &t->file->row[t->row[i]];
		double duration_s = isnan(r->duration_s) ? 600 : r->duration_s;
		t->first[i + 1] =
		    t->first[i] +
		    (uint64_t)llround(r->request_rate *
				      fmin(duration_s, c->max_stage_s));
	}
	t->repeats = c->seeds ? (uint64_t)c->seeds : 1;
	struct planned_request *q =
	    row_replay_add_requests(t, t->first[t->n_rows]);
	return q && t->n ? draw_prompts(q, t, c) : -1;
}

struct planned_request *row_replay_draw(const struct row_replay *t,
					uint64_t repeat)
{
	struct protocol drawn = t->protocol;
	struct planned_request *q = calloc(t->n + 1, sizeof *q);
	drawn.seed += (int64_t)repeat;
	if (q && draw_prompts(q, t, &drawn) == 0)
		return q;
	free(q);
	return NULL;
}

/* A path beside the file of measurements. */
static char *beside(const char *file, const char *path)
{
	const char *slash = strrchr(file, '/');
	size_t folder =
	    path[0] == '/' || !slash ? 0 : (size_t)(slash - file) + 1;
	char *full = malloc(folder + strlen(path) + 1);
	if (full)
		sprintf(full, "%.*s%s", (int)folder, file, path);
	return full;
}

/* Returns room for `warm` requests, then the *n requests of the row's trace;
 * NULL on an error. */
static struct planned_request *read_trace(struct row_replay *t, uint64_t warm,
					  const struct ini *aliases,
					  uint64_t *n, struct problem *p)
{
	const struct measured_row *r = &t->file->row[t->row[0]];
	struct planned_request *trace, *q = NULL;
	char *path = beside(r->file, r->trace);
	int rc = path ? measured_trace(path, aliases, r->stage, &trace, n, p)
		      : problem_no_memory(p);
	free(path);
	if (rc < 0)
		return NULL;
	q = row_replay_add_requests(t, *n + warm);
	if (q)
		memcpy(q + warm, trace, *n * sizeof *q);
	else
		problem_no_memory(p);
	free(trace);
	return q;
}

/* With a shared prefix, stages after the first find it in the cache: a request
 * before them warms it. */
static int plan_replay(struct row_replay *t, const struct protocol *c,
		       const struct ini *aliases, struct problem *p)
{
	const struct measured_row *r = &t->file->row[t->row[0]];
	uint32_t prefix =
	    r->shared_prefix_tokens >= 1 ? tokens(r->shared_prefix_tokens) : 0;
	uint64_t n, warm = prefix && r->stage > 0;
	struct planned_request *q = read_trace(t, warm, aliases, &n, p);
	if (!q)
		return -1;
	if (warm)
		q[0] = (struct planned_request){.input_tokens = prefix,
						.output_tokens = 1};
	for (uint64_t i = warm; warm && i < n + warm; i++)
		q[i].arrival_ns += llround(1e9 * c->stage_gap_s);
	for (uint64_t i = 0; prefix && i < n + warm; i++)
		q[i].segment[q[i].n_segments++] = (struct segment){
		    segment_id(SEGMENT_GROUP, 0, 0),
		    prefix < q[i].input_tokens ? prefix : q[i].input_tokens};
	t->first[0] = warm;
	t->first[1] = t->n;
	t->concurrency = isnan(r->request_rate) && r->concurrency >= 1
			     ? (uint64_t)r->concurrency
			     : 0;
	return 0;
}

/* As many as the mean times say; NaN: they do not. */
static double single_output(const struct measured_row *r)
{
	const struct measured_times *time = r->time;
	double e2el = time[RUN_E2EL].of[STATISTIC_MEAN],
	       tpot = time[RUN_TPOT].of[STATISTIC_MEAN];
	double out =
	    measured_tpot_has_first_token(r)
		? e2el / tpot
		: (e2el - time[RUN_TTFT].of[STATISTIC_MEAN]) / tpot + 1;
	return isnan(out) ? r->output_tokens : out;
}

static int plan_single(struct row_replay *t, const struct protocol *c)
{
	const struct measured_row *r = &t->file->row[t->row[0]];
	double out = single_output(r);
	uint64_t n = c->requests ? (uint64_t)c->requests : 1;
	struct planned_request *q = row_replay_add_requests(t, n);
	for (uint64_t i = 0; q && i < n; i++) {
		q[i].input_tokens = tokens(r->input_tokens);
		q[i].output_tokens = tokens(out);
	}
	t->first[1] = t->n;
	t->concurrency = 1;
	return q ? 0 : -1;
}

static int plan_closed(struct row_replay *t, const struct protocol *c)
{
	const struct measured_row *r = &t->file->row[t->row[0]];
	struct rng in = rng_stream((uint64_t)c->seed, RNG_INPUT, 0);
	struct rng out = rng_stream((uint64_t)c->seed, RNG_OUTPUT, 0);
	double n = fmax(24, fmin(4 * r->concurrency, (double)c->max_requests));
	struct planned_request *q = row_replay_add_requests(t, (uint64_t)n);
	for (uint64_t i = 0; q && i < (uint64_t)n; i++) {
		q[i].input_tokens =
		    tokens(r->input_tokens * (.9 + .1 * rng_uniform(&in)));
		q[i].output_tokens =
		    tokens(r->output_tokens * (.9 + .1 * rng_uniform(&out)));
	}
	t->first[1] = t->n;
	t->concurrency = (uint64_t)r->concurrency;
	t->tpot_only = 1;
	return q ? 0 : -1;
}

static int plan_benchmark(struct row_replay *t, const struct protocol *c)
{
	const struct measured_row *r = &t->file->row[t->row[0]];
	struct rng gap = rng_stream((uint64_t)c->seed, RNG_ARRIVAL, 0);
	uint64_t n =
	    r->request ? r->n_requests : (uint64_t)fmin(r->num_requests, 1e7);
	struct planned_request *q = row_replay_add_requests(t, n);
	double at_s = 0;
	for (uint64_t i = 0; q && i < n; i++) {
		if (r->request) {
			q[i] = r->request[i];
			continue;
		}
		if (r->request_rate > 0 && isfinite(r->request_rate))
			at_s += rng_exponential(&gap) / r->request_rate;
		q[i].arrival_ns = llround(1e9 * at_s);
		q[i].input_tokens = tokens(r->input_tokens);
		q[i].output_tokens = tokens(r->output_tokens);
	}
	t->first[1] = t->n;
	t->concurrency =
	    !r->request && r->concurrency >= 1 ? (uint64_t)r->concurrency : 0;
	return q ? 0 : -1;
}

/* ---- as published ---- */

static uint64_t published_requests(const struct protocol *c,
				   const struct measured_row *r)
{
	double n = (double)c->max_requests;
	if (r->num_requests >= 1)
		n = r->num_requests;
	else if (c->arrivals == ARRIVALS_CLOSED)
		n = r->concurrency * (double)c->requests;
	return (uint64_t)fmin(fmax(n, (double)c->min_requests),
			      (double)c->max_requests);
}

static uint32_t published_length(const struct protocol *c, struct rng *g,
				 double stated)
{
	double share =
	    c->shortest + (c->longest - c->shortest) * rng_uniform(g);
	return tokens(stated * share);
}

/* Returns how many GPUs served the row together; 0: those of one replica.  Of
 * pools apart each row says how many workers they have. */
static double gpus_of(const struct measured_row *r)
{
	return parallelism_of(r).repaired || !(r->gpu_count >= 1) ||
		       measured_is_apart(r)
		   ? 0
		   : r->gpu_count;
}

/* Prompts of a data set that is shorter than the run come again. */
static void recycle(struct planned_request *q, uint64_t n, uint64_t prompts)
{
	for (uint64_t i = 0; prompts && i < n; i++) {
		q[i].input_tokens = q[i % prompts].input_tokens;
		q[i].segment[q[i].n_segments++] =
		    (struct segment){segment_id(SEGMENT_PROMPT, i % prompts, 0),
				     q[i].input_tokens};
	}
}

static int plan_published(struct row_replay *t, const struct protocol *c)
{
	const struct measured_row *r = &t->file->row[t->row[0]];
	struct rng in = rng_stream((uint64_t)c->seed, RNG_INPUT, 0);
	struct rng out = rng_stream((uint64_t)c->seed, RNG_OUTPUT, 0);
	struct rng gap = rng_stream((uint64_t)c->seed, RNG_ARRIVAL, 0);
	uint64_t n = published_requests(c, r);
	struct planned_request *q = row_replay_add_requests(t, n);
	double at_s = 0;
	for (uint64_t i = 0; q && i < n; i++) {
		if (c->arrivals == ARRIVALS_POISSON)
			at_s += rng_exponential(&gap) / r->request_rate;
		q[i].arrival_ns = llround(1e9 * at_s);
		if (r->n_lengths) {
			const struct measured_length *x =
			    &r->length[rng_below(&in, r->n_lengths)];
			q[i].input_tokens = x->input_tokens;
			q[i].output_tokens = x->output_tokens;
			continue;
		}
		q[i].input_tokens = published_length(c, &in, r->input_tokens);
		q[i].output_tokens =
		    published_length(c, &out, r->output_tokens);
	}
	if (q)
		recycle(q, n, (uint64_t)c->recycled_prompts);
	t->concurrency =
	    c->arrivals == ARRIVALS_CLOSED ? (uint64_t)r->concurrency : 0;
	t->first[1] = t->n;
	if (c->steady_state && t->n > 2 * t->concurrency) {
		t->first[0] = t->concurrency;
		t->first[1] = t->n - t->concurrency;
	}
	t->gpus = gpus_of(r);
	return q ? 0 : -1;
}

static const char *published_lacks(const struct protocol *c,
				   const struct measured_row *r)
{
	if (!(r->input_tokens >= 1 && r->output_tokens >= 1))
		return "input_tokens or output_tokens";
	if (c->arrivals == ARRIVALS_CLOSED && !(r->concurrency >= 1))
		return "concurrency";
	return c->arrivals == ARRIVALS_POISSON && !(r->request_rate > 0)
		   ? "request_rate"
		   : NULL;
}

const char *row_replay_requests_lack(const struct protocol *c,
				     const struct measured_row *r)
{
	int lengths = r->input_tokens >= 1 && r->output_tokens >= 1;
	switch (c->kind) {
	case PROTOCOL_PUBLISHED:
		return published_lacks(c, r);
	case PROTOCOL_PROMPTS:
		return !(r->request_rate > 0 && r->request_rate <= 1e4)
			   ? "a request_rate up to 1e4"
		       : !lengths ? "input_tokens or output_tokens"
				  : NULL;
	case PROTOCOL_REPLAY:
		return r->trace ? NULL : "trace";
	case PROTOCOL_SINGLE:
		return !(r->input_tokens >= 1)    ? "input_tokens"
		       : !(single_output(r) >= 1) ? "output_tokens"
						  : NULL;
	case PROTOCOL_CLOSED:
		return !(r->concurrency >= 1) ? "concurrency"
		       : !lengths             ? "input_tokens or output_tokens"
					      : NULL;
	default:
		return r->request || (lengths && r->num_requests >= 1)
			   ? NULL
			   : "requests, or num_requests and mean lengths";
	}
}

int row_replay_requests(struct row_replay *t, const struct ini *aliases,
			struct problem *p)
{
	const struct protocol *c = &t->protocol;
	if (c->kind == PROTOCOL_REPLAY)
		return plan_replay(t, c, aliases, p);
	int rc = c->kind == PROTOCOL_PROMPTS     ? plan_prompts(t, c)
		 : c->kind == PROTOCOL_SINGLE    ? plan_single(t, c)
		 : c->kind == PROTOCOL_CLOSED    ? plan_closed(t, c)
		 : c->kind == PROTOCOL_BENCHMARK ? plan_benchmark(t, c)
						 : plan_published(t, c);
	return rc < 0 ? problem_no_memory(p) : 0;
}
