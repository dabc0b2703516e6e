/* latency_parts.c -- Follows each request through the steps of a run, and gives
 * each moment of its life to one part. */
#include "record/latency_parts.h"
#include <stdlib.h>
#include "engine/engine.h"
#include "record/busy.h"
#include "record/clocks.h"
#include "record/decodes_alone.h"
#include "record/queues.h"

const char *const latency_part_name[N_LATENCY_PARTS] = {
    "queueing for admission",
    "queueing by imbalance",
    "queueing for the decode pool",
    "queueing after preemption",
    "own prompt",
    "recomputation",
    "stalls by others' prompts",
    "KV transfer",
    "KV to and from the host",
    "loading adapters",
    "encoders",
    "decode",
    "between steps",
    "front end and client",
};

const char *const latency_part_key[N_LATENCY_PARTS] = {
    "queueing_admission",
    "queueing_imbalance",
    "queueing_decode_pool",
    "queueing_preempted",
    "own_prompt",
    "recomputation",
    "stalls",
    "kv_transfer",
    "kv_host_copies",
    "loading_adapters",
    "encoders",
    "decode",
    "between_steps",
    "front_end",
};

/* Up to the first token, and from there on. */
enum { BEFORE, AFTER, N_HALVES };

/* A request that ended, on its way through the log. */
struct life {
	const struct logged_request *q; /* in the log; NULL: it did not end */
	int64_t at_ns;                  /* all time before has a part */
	uint32_t visit;                 /* where it is */
	uint32_t next_context;          /* of the next chunk of its prompt */
	uint32_t computed;      /* tokens that were computed, the most ever */
	uint64_t prompt_tokens; /* computed in LATENCY_PROMPT */
	int runs;               /* 1: it was computed during this visit */
	int decodes;            /* 1: its prompt is complete */
	int64_t ns[N_HALVES][N_LATENCY_PARTS];
};

struct work {
	const struct latency_task *t;
	struct life *life; /* by row */
	uint64_t n_rows;
	struct busy busy;
	struct queues queues;
	struct problem *p;
};

/* A step, or the part of one rank. */
struct now {
	const struct logged_step *s;
	struct prompt_share share;
};

/* ---- stretches of time ---- */

static void give(struct life *x, enum latency_part part, int half, int64_t ns)
{
	x->ns[half][part] += ns;
}

/* How a stretch of time is given to parts. */
typedef void (*give_fn)(const struct work *w, struct life *x, int half,
			int64_t from_ns, int64_t to_ns, const void *ctx);

/* Gives the time until then to parts, cut at the first token and at the last
 * one. */
static void move_to(const struct work *w, struct life *x, int64_t to_ns,
		    give_fn how, const void *ctx)
{
	int64_t first_ns = x->q->first_token_ns;
	if (to_ns > x->q->last_token_ns)
		to_ns = x->q->last_token_ns;
	if (x->at_ns < first_ns && x->at_ns < to_ns) {
		int64_t end_ns = to_ns < first_ns ? to_ns : first_ns;
		how(w, x, BEFORE, x->at_ns, end_ns, ctx);
		x->at_ns = end_ns;
	}
	if (x->at_ns < to_ns) {
		how(w, x, AFTER, x->at_ns, to_ns, ctx);
		x->at_ns = to_ns;
	}
}

static void all_of_it(const struct work *w, struct life *x, int half,
		      int64_t from_ns, int64_t to_ns, const void *ctx)
{
	const enum latency_part *part = ctx;
	int64_t uneven_ns =
	    *part == LATENCY_ADMISSION
		? queues_uneven(&w->queues, x->q->request.row, to_ns - from_ns)
		: 0;
	give(x, LATENCY_IMBALANCE, half, uneven_ns);
	give(x, *part, half, to_ns - from_ns - uneven_ns);
}

static void move_as(const struct work *w, struct life *x, int64_t to_ns,
		    enum latency_part part)
{
	move_to(w, x, to_ns, all_of_it, &part);
}

/* Between two of its steps, while it runs. */
static void between(const struct work *w, struct life *x, int half,
		    int64_t from_ns, int64_t to_ns, const void *ctx)
{
	uint32_t replica = x->q->visit[x->visit].replica;
	int64_t stall_ns = busy_with_prompts(
	    &w->busy, clock_of_replica(w->t->engine, replica), from_ns, to_ns);
	(void)ctx;
	give(x, LATENCY_STALL, half, stall_ns);
	give(x, LATENCY_BETWEEN, half, to_ns - from_ns - stall_ns);
}

static void decoding(const struct work *w, struct life *x, int half,
		     int64_t from_ns, int64_t to_ns, const void *ctx)
{
	int64_t stall_ns = prompt_share_of(ctx, to_ns - from_ns);
	(void)w;
	give(x, LATENCY_STALL, half, stall_ns);
	give(x, LATENCY_DECODE, half, to_ns - from_ns - stall_ns);
}

/* ---- waiting, and moving to the other pool ---- */

/* A time in which a request waits for its KV. */
struct fetching {
	int64_t from_ns, to_ns; /* from_ns < 0: it did not */
	enum latency_part part;
};

static void wait_for(const struct work *w, struct life *x, int64_t to_ns,
		     enum latency_part part, const struct fetching *f)
{
	if (f->from_ns < 0 || x->at_ns >= f->to_ns || f->from_ns >= to_ns)
		return;
	move_as(w, x, f->from_ns, part);
	move_as(w, x, f->to_ns < to_ns ? f->to_ns : to_ns, f->part);
}

/* Waits until then; without a part of its own, the time is `part`. */
static void wait_until(const struct work *w, struct life *x, int64_t to_ns,
		       enum latency_part part)
{
	const struct logged_request *q = x->q;
	const struct fetching sent = {q->transfer_from_ns, q->transfer_to_ns,
				      LATENCY_TRANSFER},
			      loaded = {q->load_from_ns, q->load_to_ns,
					LATENCY_COPIES};
	int sent_first = sent.from_ns < loaded.from_ns;
	wait_for(w, x, to_ns, part, sent_first ? &sent : &loaded);
	wait_for(w, x, to_ns, part, sent_first ? &loaded : &sent);
	move_as(w, x, to_ns, part);
}

static void wait_for_step(const struct work *w, struct life *x, int64_t to_ns)
{
	if (x->visit == 0)
		move_as(w, x, x->q->seen_ns < to_ns ? x->q->seen_ns : to_ns,
			LATENCY_FRONT);
	wait_until(w, x, to_ns,
		   x->visit ? LATENCY_DECODE_POOL : LATENCY_ADMISSION);
}

/* Moves a request from its replica to the next one. */
static void move_on(const struct work *w, struct life *x)
{
	const struct visit *s = &x->q->visit[x->visit];
	move_to(w, x, s->to_ns, between, NULL);
	x->visit++;
	wait_until(w, x, x->q->visit[x->visit].from_ns, LATENCY_FRONT);
	x->runs = x->decodes = 0;
}

/* Finds the visit of a step on that replica.  Returns 0 if the request is not
 * there any more: an engine that works ahead may compute a token too many. */
static int follow(const struct work *w, struct life *x, uint32_t replica)
{
	const struct logged_request *q = x->q;
	if (q->visit[x->visit].replica == replica)
		return 1;
	if (x->visit + 1 == q->n_visits ||
	    q->visit[x->visit + 1].replica != replica)
		return 0;
	move_on(w, x);
	return 1;
}

/* ---- steps ---- */

static int64_t end_of(const struct life *x, const struct now *n)
{
	int64_t to_ns = x->q->visit[x->visit].to_ns;
	return n->s->end_ns < to_ns ? n->s->end_ns : to_ns;
}

/* The time before its step. */
static void come_to(const struct work *w, struct life *x, const struct now *n,
		    int was_preempted)
{
	int64_t adapters_ns = n->s->start_ns - n->s->adapter_wait_ns;
	int64_t copies_ns = adapters_ns - n->s->copy_wait_ns;
	if (!x->runs)
		wait_for_step(w, x, copies_ns);
	else if (was_preempted)
		move_as(w, x, copies_ns, LATENCY_PREEMPTED);
	else
		move_to(w, x, copies_ns, between, NULL);
	move_as(w, x, adapters_ns, LATENCY_COPIES);
	move_as(w, x, n->s->start_ns, LATENCY_ADAPTERS);
	x->runs = 1;
}

/* The part of its step in which pictures and sound are encoded. */
static void encoding(const struct work *w, struct life *x, const struct now *n,
		     enum latency_part part)
{
	int64_t end_ns = end_of(x, n),
		to_ns = n->s->start_ns + n->s->encoder_ns;
	move_as(w, x, to_ns < end_ns ? to_ns : end_ns, part);
}

static struct life *life_of(const struct work *w, uint64_t row)
{
	return row < w->n_rows && w->life[row].q ? &w->life[row] : NULL;
}

static void take_decode(const struct work *w, const struct now *n, uint32_t i)
{
	const sc_step *s = &n->s->step;
	struct life *x = life_of(w, s->decode_id[i]);
	if (!x || !follow(w, x, s->replica))
		return;
	come_to(w, x, n, 0);
	encoding(w, x, n, LATENCY_STALL);
	move_to(w, x, end_of(x, n), decoding, &n->share);
	x->decodes = 1;
	if (x->computed <= s->decode_ctx[i])
		x->computed = s->decode_ctx[i] + 1;
}

/* Returns the part of a step that computes this chunk of a prompt.  A replica
 * that generates computes the last token of a prompt once more, for the first
 * token. */
static enum latency_part prompt_part(const struct life *x, uint32_t context,
				     uint32_t new_tokens, int was_preempted)
{
	if (x->visit && new_tokens == 1 && !was_preempted &&
	    context + 1 == x->q->request.input_tokens)
		return LATENCY_DECODE;
	return context < x->computed || context >= x->q->request.input_tokens
		   ? LATENCY_AGAIN
		   : LATENCY_PROMPT;
}

static void take_prompt(const struct work *w, const struct now *n, uint32_t i)
{
	const sc_step *s = &n->s->step;
	struct life *x = life_of(w, s->prefill_id[i]);
	if (!x || !follow(w, x, s->replica))
		return;
	uint32_t context = s->prefill_ctx[i], to = context + s->prefill_new[i];
	int was_preempted =
	    x->runs && (x->decodes || context != x->next_context);
	come_to(w, x, n, was_preempted);
	encoding(w, x, n, LATENCY_ENCODERS);
	enum latency_part part =
	    prompt_part(x, context, s->prefill_new[i], was_preempted);
	move_as(w, x, end_of(x, n), part);
	if (part == LATENCY_PROMPT)
		x->prompt_tokens += s->prefill_new[i];
	x->next_context = to;
	x->decodes = s->prefill_last[i] != 0;
	if (x->computed < to)
		x->computed = to;
}

/* Takes the step of all ranks at [from, end) of the log. */
static int take_step(const struct work *w, size_t from, size_t end)
{
	const struct latency_task *t = w->t;
	struct logged_step s;
	struct now n = {.s = &s};
	size_t at = from;
	steplog_next_step(t->steps, &at, &s);
	uint32_t pool = engine_pool_of(t->engine, s.step.replica);
	if (decodes_alone(&n.share, engine_of_pool(t->engine, pool),
			  t->cost[pool], t->steps, from, end, w->p) < 0)
		return -1;
	for (at = from; at < end && steplog_next_step(t->steps, &at, &s);) {
		for (uint32_t i = 0; i < s.step.n_decode; i++)
			take_decode(w, &n, i);
		for (uint32_t i = 0; i < s.step.n_prefill; i++)
			take_prompt(w, &n, i);
	}
	return 0;
}

/* ---- the end of a request ---- */

/* The results of its last step are handled, and reach the client. */
static void end_life(const struct work *w, struct life *x)
{
	const struct logged_request *q = x->q;
	while (x->visit + 1 < q->n_visits)
		move_on(w, x);
	move_as(w, x, q->last_token_ns, LATENCY_BETWEEN);
	int64_t first_ns =
	    q->ttft_ns - (q->first_token_ns - q->visit[0].from_ns);
	int64_t last_ns = q->e2el_ns - (q->last_token_ns - q->visit[0].from_ns);
	give(x, LATENCY_FRONT, BEFORE, first_ns);
	give(x, LATENCY_FRONT, AFTER, last_ns - first_ns);
}

/* Divides as the TPOT of a request is divided, so that the parts of all are
 * whole ns and add up to it. */
static void add_tpot(struct latency_parts *out, const struct life *x)
{
	int64_t n = (int64_t)x->q->request.output_tokens - 1, sum = 0, was = 0;
	for (int k = 0; k < N_LATENCY_PARTS; k++) {
		sum += x->ns[AFTER][k];
		int64_t is = (sum + n / 2) / n;
		out->ns[ATTRIBUTION_TPOT][k] += is - was;
		was = is;
	}
}

static void add_life(struct latency_parts *out, const struct life *x)
{
	out->n_requests++;
	out->prompt_tokens += x->prompt_tokens;
	for (int k = 0; k < N_LATENCY_PARTS; k++) {
		out->ns[ATTRIBUTION_TTFT][k] += x->ns[BEFORE][k];
		out->ns[ATTRIBUTION_E2EL][k] +=
		    x->ns[BEFORE][k] + x->ns[AFTER][k];
	}
	if (x->q->tpot_ns < 0)
		return;
	out->n_multi++;
	add_tpot(out, x);
}

/* ---- the whole run ---- */

/* Makes a record for each request of the log, and reads when replicas were busy
 * and queues held requests. */
static int begin(struct work *w)
{
	const struct logged_request *q;
	const struct steplog *l = w->t->requests;
	for (size_t at = 0; (q = steplog_see_request(l, &at)) != NULL;)
		if (q->request.row >= w->n_rows)
			w->n_rows = q->request.row + 1;
	w->life = calloc(w->n_rows + 1, sizeof *w->life);
	if (!w->life)
		return problem_no_memory(w->p);
	for (size_t at = 0; (q = steplog_see_request(l, &at)) != NULL;)
		if (q->n_visits)
			w->life[q->request.row] =
			    (struct life){.q = q, .at_ns = q->visit[0].from_ns};
	return busy_read(&w->busy, w->t->engine, w->t->steps, w->p) < 0
		   ? -1
		   : queues_read(&w->queues, w->t->engine, w->t->steps, l,
				 w->p);
}

static int take_all(const struct work *w)
{
	const struct steplog *l = w->t->steps;
	for (size_t at = 0; at < l->bytes;) {
		size_t end = clock_step_end(w->t->engine, l, at);
		if (take_step(w, at, end) < 0)
			return -1;
		at = end;
	}
	return 0;
}

int latency_split(const struct latency_task *t, struct latency_parts *out,
		  struct problem *p)
{
	struct work w = {.t = t, .p = p};
	*out = (struct latency_parts){0};
	int rc = begin(&w);
	if (rc == 0)
		rc = take_all(&w);
	for (uint64_t i = 0; rc == 0 && i < w.n_rows; i++)
		if (w.life[i].q) {
			end_life(&w, &w.life[i]);
			add_life(out, &w.life[i]);
		}
	busy_free(&w.busy);
	queues_free(&w.queues);
	free(w.life);
	return rc;
}

int64_t latency_parts_sum(const struct latency_parts *x, int metric)
{
	int64_t sum = 0;
	for (int k = 0; k < N_LATENCY_PARTS; k++)
		sum += x->ns[metric][k];
	return sum;
}

double latency_parts_mean(const struct latency_parts *x, int metric, int part)
{
	uint64_t n = metric == ATTRIBUTION_TPOT ? x->n_multi : x->n_requests;
	return n ? (double)x->ns[metric][part] / (double)n : 0;
}
