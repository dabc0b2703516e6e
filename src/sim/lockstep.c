/* lockstep.c -- Makes ranks take each step together. */
#include "sim/lockstep.h"
#include <stdlib.h>
#include <string.h>
#include "base/arrays.h"
#include "sim/front/rank_assignment.h"
#include "sim/step/launch.h"

/* Turns after which vLLM's ranks ask each other whether any has requests. */
enum { ASKED_EVERY = 32 };
/* Parts that a rank has submitted: two batches in flight, and a dummy. */
enum { MOST_PARTS = 3 };

/* A rank's part of a step, with columns of its own.  A rank without requests
 * takes part with a dummy, a decode of one token, because the ranks exchange
 * tokens in every step. */
struct rank_part {
	struct batch *batch; /* NULL: a dummy */
	int64_t ready_ns;
	sc_step step;
	struct step_columns columns;
	struct step_event event;
	struct scheduled *scheduled; /* NULL: not wanted */
	uint32_t n_admitted, *admitted;
	sc_result result;
};

/* Ring of the parts that a rank has submitted and that have not run yet. */
struct rank {
	uint32_t first, n;
	struct rank_part part[MOST_PARTS];
};

struct lockstep {
	const struct engine *e;
	struct replica *replica; /* [n] */
	uint32_t n;
	struct rank *rank; /* [n] */
	int is_running;    /* 1: a wave is in progress */
	uint32_t n_asked;
	int is_unfinished; /* 1: a rank that was asked has requests */
	int64_t gpu_free_ns;
	struct arrays arrays;
};

/* ---- memory ---- */

static struct step_columns columns_make(struct arrays *a, size_t n)
{
	const struct step_columns *c;
	return (struct step_columns){
	    .prefill_new = arrays_add(a, n, sizeof *c->prefill_new),
	    .prefill_ctx = arrays_add(a, n, sizeof *c->prefill_ctx),
	    .prefill_last = arrays_add(a, n, sizeof *c->prefill_last),
	    .prefill_prompt = arrays_add(a, n, sizeof *c->prefill_prompt),
	    .prefill_id = arrays_add(a, n, sizeof *c->prefill_id),
	    .decode_ctx = arrays_add(a, n, sizeof *c->decode_ctx),
	    .decode_new = arrays_add(a, n, sizeof *c->decode_new),
	    .decode_id = arrays_add(a, n, sizeof *c->decode_id),
	};
}

static void rank_make(struct arrays *a, struct rank *r, size_t n,
		      int wants_scheduled)
{
	for (int i = 0; i < MOST_PARTS; i++) {
		struct rank_part *b = &r->part[i];
		b->columns = columns_make(a, n);
		b->admitted = arrays_add(a, n, sizeof *b->admitted);
		if (wants_scheduled)
			b->scheduled = arrays_add(a, n, sizeof *b->scheduled);
	}
}

struct lockstep *lockstep_new(struct replica *rank)
{
	const struct engine *e = rank->e;
	struct lockstep *g = calloc(1, sizeof *g);
	if (!g)
		return NULL;
	g->e = e;
	g->replica = rank;
	g->rank = arrays_add(&g->arrays, e->lockstep_ranks, sizeof *g->rank);
	while (g->rank && g->n < e->lockstep_ranks)
		rank_make(&g->arrays, &g->rank[g->n++], e->max_num_seqs,
			  rank->shared->scheduled != NULL);
	if (!g->arrays.out_of_memory)
		return g;
	lockstep_free(g);
	return NULL;
}

void lockstep_free(struct lockstep *g)
{
	if (!g)
		return;
	arrays_free(&g->arrays);
	free(g);
}

/* ---- waves ---- */

/* Lets a rank schedule at that time. */
static void next_turn(struct replica *r, int64_t at_ns)
{
	r->is_held = 0;
	replica_next(r, REPLICA_SCHEDULE, at_ns);
}

/* Stops a rank until next_turn(). */
static void hold(struct replica *r)
{
	r->is_held = 1;
	replica_next(r, r->next, REPLICA_NEVER);
}

void lockstep_wake(struct lockstep *g, const struct replica *by)
{
	int64_t now = by->next_ns;
	if (g->is_running)
		return;
	g->is_running = 1;
	for (uint32_t i = 0; i < g->n; i++) {
		struct replica *r = &g->replica[i];
		if (r != by && r->next == REPLICA_SCHEDULE && r->next_ns > now)
			next_turn(r, r->ready_ns > now ? r->ready_ns : now);
	}
}

/* Ends a wave, because no rank has requests left; some may have just ended. */
static void end_wave(struct lockstep *g, int64_t now)
{
	g->is_running = 0;
	for (uint32_t i = 0; i < g->n; i++) {
		g->replica[i].turns = 0;
		next_turn(&g->replica[i], now);
	}
}

/* All ranks have been asked whether they have requests: goes on if one has, or
 * else ends the wave. */
static void answer(struct lockstep *g, int64_t now)
{
	int goes_on = g->is_unfinished;
	g->n_asked = 0;
	g->is_unfinished = 0;
	if (!goes_on) {
		end_wave(g, now);
		return;
	}
	for (uint32_t i = 0; i < g->n; i++)
		next_turn(&g->replica[i], now);
}

int lockstep_may_turn(struct lockstep *g, struct replica *r)
{
	int64_t now = r->next_ns;
	uint32_t every = rank_assignment_is_used(g->e) ? 1 : ASKED_EVERY;
	if (!g->is_running || r->turns == 0 || r->turns % every || r->is_asked)
		return 1;
	r->is_asked = 1;
	r->ready_ns = now;
	g->is_unfinished |= scheduler_is_unfinished(r->scheduler);
	hold(r);
	if (++g->n_asked == g->n)
		answer(g, now);
	return 0;
}

int lockstep_is_running(const struct lockstep *g)
{
	return g->is_running;
}

int lockstep_defers(const struct lockstep *g, const struct replica *r)
{
	return g->is_running && r->turns % g->e->prefill_interval != 0;
}

/* ---- a step of all ranks ---- */

static struct rank_part *first_of(struct rank *r)
{
	return &r->part[r->first];
}

/* Writes into each rank's part what all ranks compute together, because a cost
 * model prices their communication: tokens, and whether all use captured
 * graphs.  *sampled: how many sequences make a token. */
static void describe_group(struct lockstep *g, struct drafter_group *sampled)
{
	uint32_t tokens = 0, most = 0, flags = SC_STEP_GRAPH;
	*sampled = (struct drafter_group){0};
	for (uint32_t i = 0; i < g->n; i++) {
		uint32_t n = first_of(&g->rank[i])->event.tokens;
		uint32_t makes = first_of(&g->rank[i])->step.n_sampled;
		flags &= first_of(&g->rank[i])->step.flags;
		tokens += n;
		most = n > most ? n : most;
		sampled->sampled += makes;
		if (makes > sampled->most_sampled)
			sampled->most_sampled = makes;
	}
	for (uint32_t i = 0; i < g->n; i++) {
		sc_step *s = &first_of(&g->rank[i])->step;
		s->flags = flags;
		s->dp_tokens = tokens;
		s->dp_max_tokens = engine_padded_tokens(g->e, most);
	}
}

static void copy_columns(const struct step_columns *to, const sc_step *s)
{
	size_t p = s->n_prefill, d = s->n_decode;
	memcpy(to->prefill_new, s->prefill_new, p * sizeof *to->prefill_new);
	memcpy(to->prefill_ctx, s->prefill_ctx, p * sizeof *to->prefill_ctx);
	memcpy(to->prefill_last, s->prefill_last, p * sizeof *to->prefill_last);
	memcpy(to->prefill_prompt, s->prefill_prompt,
	       p * sizeof *to->prefill_prompt);
	memcpy(to->prefill_id, s->prefill_id, p * sizeof *to->prefill_id);
	memcpy(to->decode_ctx, s->decode_ctx, d * sizeof *to->decode_ctx);
	if (s->decode_new)
		memcpy(to->decode_new, s->decode_new,
		       d * sizeof *to->decode_new);
	memcpy(to->decode_id, s->decode_id, d * sizeof *to->decode_id);
}

/* Points a step to its own columns. */
static void point(sc_step *s, const struct step_columns *c)
{
	s->prefill_new = c->prefill_new;
	s->prefill_ctx = c->prefill_ctx;
	s->prefill_last = c->prefill_last;
	s->prefill_prompt = c->prefill_prompt;
	s->prefill_id = c->prefill_id;
	s->decode_ctx = c->decode_ctx;
	s->decode_id = c->decode_id;
	if (s->decode_new)
		s->decode_new = c->decode_new;
}

/* Prices a part.  It is copied to the step memory of the simulation first,
 * where all steps are that a cost model sees.  *us: its duration, drafting
 * included. */
static int price(struct replica *r, struct rank_part *b,
		 struct drafter_group sampled, double *us)
{
	sc_step *step = r->shared->step;
	copy_columns(&r->scheduler->columns, &b->step);
	*step = b->step;
	point(step, &r->scheduler->columns);
	const sc_result *result = cost_eval(r->cost, step, r->shared->p);
	if (!result)
		return -1;
	b->result = *result;
	b->event.step = step;
	b->event.result = &b->result;
	return launch_us(r, &b->event, sampled, us);
}

/* Prices the parts of all ranks.  *us: the longest; *ready_ns: the latest. */
static int price_all(struct lockstep *g, double *us, int64_t *ready_ns)
{
	struct drafter_group sampled;
	double lasts_us;
	*us = 0;
	*ready_ns = g->gpu_free_ns;
	describe_group(g, &sampled);
	for (uint32_t i = 0; i < g->n; i++) {
		struct rank_part *b = first_of(&g->rank[i]);
		if (price(&g->replica[i], b, sampled, &lasts_us) < 0)
			return -1;
		*us = lasts_us > *us ? lasts_us : *us;
		*ready_ns = b->ready_ns > *ready_ns ? b->ready_ns : *ready_ns;
	}
	return 0;
}

static int report_part(struct replica *r, struct rank_part *b, int64_t start_ns,
		       int64_t end_ns)
{
	b->event.step = &b->step;
	b->event.start_ns = start_ns;
	b->event.end_ns = end_ns;
	b->event.lasts_ns = end_ns - start_ns;
	return launch_report(r, &b->event, b->admitted, b->n_admitted);
}

/* Runs the part of rank i, and sets the rank's next event. */
static int run_one(struct lockstep *g, uint32_t i, int64_t start_ns,
		   int64_t end_ns)
{
	struct replica *r = &g->replica[i];
	struct rank *rank = &g->rank[i];
	struct rank_part *b = first_of(rank);
	rank->first = (rank->first + 1) % MOST_PARTS;
	rank->n--;
	if (!b->batch) {
		r->ready_ns = g->e->async_scheduling ? start_ns : end_ns;
		next_turn(r, r->ready_ns);
		return 0;
	}
	b->batch->end_ns = end_ns;
	if (r->next == REPLICA_RESULTS && r->next_ns == REPLICA_NEVER)
		replica_next(r, REPLICA_RESULTS,
			     end_ns > r->ready_ns ? end_ns : r->ready_ns);
	return report_part(r, b, start_ns, end_ns);
}

static int is_complete(const struct lockstep *g)
{
	for (uint32_t i = 0; i < g->n; i++)
		if (g->rank[i].n == 0)
			return 0;
	return 1;
}

/* If every rank has submitted a part, runs the step of all. */
static int meet(struct lockstep *g)
{
	int64_t start_ns, end_ns;
	double us;
	if (!is_complete(g))
		return 0;
	if (price_all(g, &us, &start_ns) < 0 ||
	    launch_end(g->replica, start_ns, us, &end_ns) < 0)
		return -1;
	g->gpu_free_ns = end_ns;
	for (uint32_t i = 0; i < g->n; i++)
		if (run_one(g, i, start_ns, end_ns) < 0)
			return -1;
	return 0;
}

/* ---- submitting a part ---- */

/* Appends a part to the rank's ring; the caller fills it in. */
static struct rank_part *add_part(struct lockstep *g, const struct replica *r)
{
	struct rank *rank = &g->rank[r - g->replica];
	return &rank->part[(rank->first + rank->n++) % MOST_PARTS];
}

int lockstep_join(struct lockstep *g, struct replica *r, struct batch *b,
		  int64_t called_ns)
{
	const struct scheduler *s = r->scheduler;
	struct rank_part *mine = add_part(g, r);
	mine->batch = b;
	mine->ready_ns = r->ready_ns;
	mine->event = launch_event(r, called_ns);
	mine->step = *r->shared->step;
	mine->step.step_index = r->steps++;
	copy_columns(&mine->columns, &mine->step);
	point(&mine->step, &mine->columns);
	mine->n_admitted = s->n_admitted;
	memcpy(mine->admitted, s->admitted,
	       s->n_admitted * sizeof *mine->admitted);
	if (mine->scheduled) {
		memcpy(mine->scheduled, mine->event.scheduled,
		       mine->event.n_scheduled * sizeof *mine->scheduled);
		mine->event.scheduled = mine->scheduled;
	}
	b->end_ns = REPLICA_NEVER;
	r->scheduler->policy->commit(r->scheduler, b);
	return meet(g);
}

static int join_dummy(struct lockstep *g, struct replica *r)
{
	struct rank_part *mine = add_part(g, r);
	mine->batch = NULL;
	mine->ready_ns = r->ready_ns;
	uint32_t tokens = 1 + g->e->speculation.drafts;
	mine->event = (struct step_event){.tokens = tokens};
	mine->step = (sc_step){
	    .size = sizeof mine->step,
	    .flags = tokens <= g->e->graph_max_tokens ? SC_STEP_GRAPH : 0,
	    .replica = r->index,
	    .step_index = r->steps,
	    .n_decode = 1,
	    .n_sampled = 1};
	mine->columns.decode_ctx[0] = 1;
	mine->columns.decode_id[0] = 0;
	mine->columns.decode_new[0] = tokens;
	if (tokens > 1)
		mine->step.decode_new = mine->columns.decode_new;
	point(&mine->step, &mine->columns);
	hold(r);
	return meet(g);
}

int lockstep_end_turn(struct lockstep *g, struct replica *r)
{
	if (!g->is_running)
		return 0;
	r->turns++;
	r->is_asked = 0;
	return r->found ? 0 : join_dummy(g, r);
}
