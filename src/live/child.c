/* child.c -- Simulates an arm on the server's clock. */
#include "live/child.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "api/buffer.h"
#include "engine/engine.h"
#include "live/message.h"
#include "record/recorder.h"
#include "workload/segments.h"

struct child_state {
	const struct arm_process *is;
	const struct live_start *s;
	struct observer own; /* of the recorder */
	struct recorder recorder;
	struct breakdown breakdown;
	struct simulation *m;
	struct workload *w;
	struct outcome outcome;
	const struct engine *e;
	struct buffer in, out; /* bytes read, and to be written */
	size_t at;             /* in `in`, of the next message */
	int is_closed;
};

/* ---- writing ---- */

static void tell(struct child_state *c, enum up_kind kind, uint32_t n,
		 uint64_t row, int64_t ns)
{
	const struct up u = {kind, n, row, ns};
	buffer_add(&c->out, &u, sizeof u);
}

static void flush(struct child_state *c)
{
	for (size_t at = 0; at < c->out.n;) {
		ssize_t got =
		    write(c->is->child_fd, c->out.s + at, c->out.n - at);
		if (got < 0 && errno != EINTR) {
			c->is_closed = 1;
			break;
		}
		at += got > 0 ? (size_t)got : 0;
	}
	c->out.n = 0;
}

/* ---- what the simulation tells ---- */

static void on_routed(void *ctx, uint64_t row, uint32_t replica, int again)
{
	tell(ctx, again ? UP_LOST : UP_ROUTED, replica, row, 0);
}

static void on_tokens(void *ctx, uint64_t row, uint32_t n, int64_t client_ns)
{
	tell(ctx, UP_TOKENS, n, row, client_ns);
}

static void on_reset(void *ctx, int all)
{
	tell(ctx, UP_RESET, (uint32_t)all, 0, 0);
}

static int on_request(void *ctx, const struct request_event *e,
		      struct problem *p)
{
	struct child_state *c = ctx;
	struct request_event copy = *e;
	copy.request.name = NULL;
	copy.request.segment = NULL;
	copy.request.item = NULL;
	memset(copy.visit + copy.n_visits, 0,
	       (REQUEST_VISITS - copy.n_visits) * sizeof *copy.visit);
	tell(c, UP_ENDED, 0, e->request.row, 0);
	buffer_add(&c->out, &copy, sizeof copy);
	return c->own.on_request ? c->own.on_request(c->own.ctx, e, p) : 0;
}

static int on_step(void *ctx, const struct step_event *e, struct problem *p)
{
	struct child_state *c = ctx;
	struct live_step step = {.tokens = e->tokens,
				 .lasts_ns = e->end_ns - e->start_ns};
	memcpy(step.lookup_us, e->result->lookup_us, sizeof step.lookup_us);
	for (uint32_t i = 0; i < e->n_scheduled; i++) {
		const struct scheduled *x = &e->scheduled[i];
		step.drafts += x->drafts;
		step.members += x->drafts > 0;
		for (uint32_t k = 0; x->drafts && k + 1 < x->emitted; k++)
			step.accepted_at[k]++;
	}
	tell(c, UP_STEP, 0, e->step->replica, 0);
	buffer_add(&c->out, &step, sizeof step);
	return c->own.on_step ? c->own.on_step(c->own.ctx, e, p) : 0;
}

static int on_results(void *ctx, const struct results_event *e,
		      struct problem *p)
{
	struct child_state *c = ctx;
	return c->own.on_results(c->own.ctx, e, p);
}

static void on_blocks(void *ctx, uint32_t replica, const struct block_change *x)
{
	struct child_state *c = ctx;
	tell(c, UP_BLOCKS, x->n, replica, 0);
	buffer_add(&c->out, x, sizeof *x);
	buffer_add(&c->out, x->block, x->n * sizeof *x->block);
	if (x->n % 2) /* later messages are aligned */
		buffer_add(&c->out, x->block, sizeof *x->block);
}

/* Returns an observer that records the run and passes its events to the server.
 */
static struct observer observe(struct child_state *c)
{
	c->recorder = (struct recorder){.arm = c->is->name,
					.status = &c->is->slot->status,
					.breakdown = &c->breakdown,
					.requests = c->s->requests,
					.steps = c->s->steps};
	c->own = recorder_observe(&c->recorder);
	return (struct observer){
	    .on_request = on_request,
	    .on_step = on_step,
	    .on_results = c->own.on_results ? on_results : NULL,
	    .on_routed = on_routed,
	    .on_tokens = on_tokens,
	    .on_blocks = c->s->tells_blocks ? on_blocks : NULL,
	    .on_reset = on_reset,
	    .wants_scheduled =
		c->own.wants_scheduled || c->e->speculation.drafts > 0,
	    .ctx = c};
}

/* ---- what the server tells ---- */

/* Gives a request of the server to the simulation. */
static int give(struct child_state *c, const struct down *d, const char *more,
		struct problem *p)
{
	const struct live_request *x = &d->r;
	struct segments segments = {0};
	struct request r = {.row = x->row,
			    .arrival_ns = x->arrival_ns,
			    .input_tokens = x->input_tokens,
			    .output_tokens = x->output_tokens,
			    .max_tokens = x->max_tokens,
			    .stop_tokens = x->stop_tokens,
			    .priority = x->priority,
			    .pinned = x->pinned,
			    .session = x->session,
			    .adapter = x->adapter,
			    .cache_salt = x->cache_salt};
	size_t blocks = x->n_blocks * sizeof *x->block;
	size_t items = x->n_items * sizeof *x->item;
	/* Aligned copies: the bytes behind the message are not. */
	uint64_t *block = malloc(blocks + items + d->n + 1);
	int rc = block ? 0 : -1;
	if (rc == 0) {
		char *name = (char *)block + blocks + items;
		memcpy(block, more, blocks + items + d->n);
		name[d->n] = '\0';
		r.name = name;
		r.item = (const void *)(block + x->n_blocks);
		r.n_items = x->n_items;
	}
	if (rc == 0 && x->n_blocks)
		rc = segments_add_blocks(&segments, block, x->n_blocks,
					 x->block_tokens, &r);
	r.segment = segments.item;
	r.n_segments = segments.n;
	rc = rc < 0 ? problem_no_memory(p) : simulation_arrive(c->m, &r);
	segments_free(&segments);
	free(block);
	return rc;
}

static int advance(struct child_state *c, int64_t ns)
{
	int rc = simulation_advance(c->m, ns);
	tell(c, UP_REACHED, c->e->replicas,
	     (uint64_t)(rc ? ns : simulation_next_ns(c->m)), ns);
	for (uint32_t i = 0; i < c->e->replicas; i++) {
		const struct simulation_load load = simulation_load(c->m, i);
		buffer_add(&c->out, &load, sizeof load);
	}
	flush(c);
	return rc;
}

/* Returns 1 if a whole message of n bytes is there. */
static int has(const struct child_state *c, size_t n)
{
	return c->in.n - c->at >= n;
}

/* Carries out the messages that are there.  Returns 1 at the end. */
static int carry_out(struct child_state *c, struct problem *p)
{
	struct down d;
	while (has(c, sizeof d)) {
		memcpy(&d, c->in.s + c->at, sizeof d);
		size_t more = 0;
		if (d.kind == DOWN_REQUEST)
			more = d.r.n_blocks * sizeof *d.r.block +
			       d.r.n_items * sizeof *d.r.item + d.n;
		if (!has(c, sizeof d + more))
			break;
		const char *behind = c->in.s + c->at + sizeof d;
		int rc = 0;
		c->at += sizeof d + more;
		switch (d.kind) {
		case DOWN_REQUEST:
			rc = give(c, &d, behind, p);
			break;
		case DOWN_CANCEL:
			rc = simulation_cancel(c->m, d.row, d.ns);
			break;
		case DOWN_RESET:
			rc = simulation_reset(c->m, d.ns, d.n);
			break;
		case DOWN_ADVANCE:
			rc = advance(c, d.ns);
			break;
		case DOWN_END:
			return simulation_finish(c->m) < 0 ? -1 : 1;
		}
		if (rc < 0)
			return -1;
	}
	return 0;
}

/* Reads more.  Returns 0 at the end. */
static int read_more(struct child_state *c)
{
	enum { PIECE = 65536 };
	ssize_t got;
	buffer_drop(&c->in, c->at);
	c->at = 0;
	if (buffer_room(&c->in, PIECE) < 0)
		return 0;
	do
		got = read(c->is->child_fd, c->in.s + c->in.n, PIECE);
	while (got < 0 && errno == EINTR);
	c->in.n += got > 0 ? (size_t)got : 0;
	return got > 0;
}

static int serve(struct child_state *c, struct problem *p)
{
	int rc = 0;
	while (rc == 0 && !c->is_closed && read_more(c))
		rc = carry_out(c, p);
	if (c->out.out_of_memory && rc >= 0)
		rc = problem_no_memory(p);
	return rc < 0 ? -1 : 0;
}

/* ---- the arm ---- */

static void tell_facts(struct child_state *c, const struct arm *a)
{
	const struct engine *e = &a->engine;
	const struct live_facts f = {
	    .max_model_len =
		e->max_model_len ? engine_longest_request(e) : INT32_MAX,
	    .num_gpu_blocks = e->num_gpu_blocks,
	    .block_size = e->block_size,
	    .replicas = e->replicas,
	    .prefill_replicas = e->prefill_replicas,
	    .drafts = e->speculation.drafts,
	    .ranks = e->ranks,
	    .caches = (int)e->prefix_caching,
	    .max_loras = (int)e->lora.max_loras,
	    .has_adapters = e->lora.max_loras > 0,
	    .scales = e->fleet.metric != FLEET_METRIC_NONE,
	    .startup_ns = e->fleet.cold_start_ns,
	    .groups = e->kv_groups,
	    .is_mla = a->model.n_groups && a->model.group[0]->kv_lora_rank,
	    .tells_blocks = e->scheduler == SCHEDULER_VLLM};
	tell(c, UP_FACTS, 0, 0, 0);
	buffer_add(&c->out, &f, sizeof f);
	flush(c);
}

static int simulate_live(struct child_state *c, struct arm *a,
			 struct problem *p)
{
	struct cost *cost[2];
	struct live_slot *slot = (struct live_slot *)c->is->slot;
	const struct observer o = observe(c);
	arm_run_costs(a, cost);
	for (int pool = 0; c->s->steps && pool < 2; pool++) {
		if (cost_ask_figures(cost[pool], p) < 0)
			return -1;
		c->recorder.n_sigma[pool] = cost[pool]->p->n_sigma;
	}
	if (simulation_step_bytes(&a->engine) > c->s->step_bytes)
		return problem_set(p, EXIT_USAGE, "no room for a step");
	const struct simulation_setup setup = {.e = &a->engine,
					       .cost = cost,
					       .w = c->w,
					       .o = &o,
					       .step_memory = slot->step,
					       .is_open = 1};
	c->m = simulation_open(&setup, &c->outcome, p);
	if (!c->m)
		return -1;
	fflush(c->is->said);
	tell_facts(c, a);
	int rc = simulation_close(c->m, serve(c, p));
	recorder_end(&c->recorder);
	flush(c);
	if (rc == 0 && ((c->s->requests && fflush(c->s->requests)) ||
			(c->s->steps && fflush(c->s->steps))))
		rc = problem_set(p, EXIT_USAGE, "rows: %s", strerror(errno));
	return rc;
}

int live_child(struct job *j, struct arm *a, void *ctx, struct problem *p)
{
	struct child_state *c = calloc(1, sizeof *c);
	(void)j;
	if (!c)
		return problem_no_memory(p);
	c->is = ctx;
	c->s = c->is->user;
	c->e = &a->engine;
	c->w = workload_live(c->s->longest_item);
	int rc = c->w ? simulate_live(c, a, p) : problem_no_memory(p);
	workload_free(c->w);
	buffer_free(&c->in), buffer_free(&c->out);
	free(c);
	return rc;
}
