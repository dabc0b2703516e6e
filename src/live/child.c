/* child.c -- Simulates an arm on the server's clock. */
#include <config.h>
#include "live/child.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "arm/host.h"
#include "arm/run.h"
#include "engine/engine.h"
#include "live/message.h"
#include "record/recorder.h"
#include "workload/segments.h"

struct child_state {
	const struct live_start *s;
	struct observer own; /* of the recorder */
	struct recorder recorder;
	struct breakdown breakdown;
	struct simulation *m;
	struct workload *w;
	struct outcome outcome;
	const struct engine *e;
	unsigned char *in, *out; /* bytes read, and to be written */
	size_t n_in, cap_in, at_in, n_out, cap_out;
	int is_closed, out_of_memory;
};

/* ---- writing ---- */

static void put(struct child_state *c, const void *from, size_t n)
{
	if (c->n_out + n > c->cap_out) {
		size_t cap = 2 * (c->n_out + n) + 4096;
		unsigned char *more = realloc(c->out, cap);
		if (!more) {
			c->out_of_memory = 1;
			return;
		}
		c->out = more;
		c->cap_out = cap;
	}
	memcpy(c->out + c->n_out, from, n);
	c->n_out += n;
}

static void tell(struct child_state *c, enum up_kind kind, uint32_t n,
		 uint64_t row, int64_t ns)
{
	const struct up u = {kind, n, row, ns};
	put(c, &u, sizeof u);
}

static void flush(struct child_state *c)
{
	for (size_t at = 0; at < c->n_out;) {
		ssize_t got = write(c->s->fd, c->out + at, c->n_out - at);
		if (got < 0 && errno != EINTR) {
			c->is_closed = 1;
			break;
		}
		at += got > 0 ? (size_t)got : 0;
	}
	c->n_out = 0;
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
	put(c, &copy, sizeof copy);
	return c->own.on_request ? c->own.on_request(c->own.ctx, e, p) : 0;
}

static int on_step(void *ctx, const struct step_event *e, struct problem *p)
{
	struct child_state *c = ctx;
	tell(c, UP_STEP, e->tokens, e->step->replica, e->end_ns - e->start_ns);
	return c->own.on_step ? c->own.on_step(c->own.ctx, e, p) : 0;
}

static struct observer observe(struct child_state *c)
{
	c->recorder =
	    (struct recorder){.arm = c->s->config->arm[c->s->arm].name,
			      .status = &c->s->slot->status,
			      .breakdown = &c->breakdown,
			      .requests = c->s->requests};
	c->own = recorder_observe(&c->recorder);
	return (struct observer){.on_request = on_request,
				 .on_step = on_step,
				 .on_routed = on_routed,
				 .on_tokens = on_tokens,
				 .on_reset = on_reset,
				 .ctx = c};
}

/* ---- what the server tells ---- */

static int give(struct child_state *c, const struct down *d,
		const unsigned char *more, struct problem *p)
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
	size_t bytes = x->n_blocks * sizeof(uint64_t);
	uint64_t *block = malloc(bytes + 1);
	char *name = strndup((const char *)more + bytes, d->n);
	int rc = block && name ? 0 : -1;
	if (rc == 0 && bytes)
		memcpy(block, more, bytes);
	r.name = name;
	if (rc == 0 && x->n_blocks)
		rc = segments_add_blocks(&segments, block, x->n_blocks,
					 x->block_tokens, &r);
	r.segment = segments.item;
	r.n_segments = segments.n;
	rc = rc < 0 ? problem_no_memory(p) : simulation_arrive(c->m, &r);
	segments_free(&segments);
	free(block), free(name);
	return rc;
}

static int advance(struct child_state *c, int64_t ns)
{
	int rc = simulation_advance(c->m, ns);
	tell(c, UP_REACHED, c->e->replicas,
	     (uint64_t)(rc ? ns : simulation_next_ns(c->m)), ns);
	for (uint32_t i = 0; i < c->e->replicas; i++) {
		const struct simulation_load load = simulation_load(c->m, i);
		put(c, &load, sizeof load);
	}
	flush(c);
	return rc;
}

/* Returns 1 if a whole message of n bytes is there. */
static int has(const struct child_state *c, size_t n)
{
	return c->n_in - c->at_in >= n;
}

/* Carries out the messages that are there.  Returns 1 at the end. */
static int carry_out(struct child_state *c, struct problem *p)
{
	struct down d;
	while (has(c, sizeof d)) {
		memcpy(&d, c->in + c->at_in, sizeof d);
		size_t more = 0;
		if (d.kind == DOWN_REQUEST)
			more = d.r.n_blocks * sizeof(uint64_t) + d.n;
		if (!has(c, sizeof d + more))
			break;
		const unsigned char *behind = c->in + c->at_in + sizeof d;
		int rc = 0;
		c->at_in += sizeof d + more;
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
			return 1;
		}
		if (rc < 0)
			return -1;
	}
	return 0;
}

/* Reads more.  Returns 0 at the end. */
static int read_more(struct child_state *c)
{
	memmove(c->in, c->in + c->at_in, c->n_in - c->at_in);
	c->n_in -= c->at_in;
	c->at_in = 0;
	if (c->cap_in - c->n_in < 65536) {
		size_t cap = 2 * c->cap_in + 131072;
		unsigned char *more = realloc(c->in, cap);
		if (!more)
			return 0;
		c->in = more;
		c->cap_in = cap;
	}
	for (;;) {
		ssize_t got =
		    read(c->s->fd, c->in + c->n_in, c->cap_in - c->n_in);
		if (got < 0 && errno == EINTR)
			continue;
		c->n_in += got > 0 ? (size_t)got : 0;
		return got > 0;
	}
}

static int serve(struct child_state *c, struct problem *p)
{
	int rc = 0;
	while (rc == 0 && !c->is_closed && read_more(c))
		rc = carry_out(c, p);
	if (c->out_of_memory && rc >= 0)
		rc = problem_no_memory(p);
	return rc < 0 ? -1 : 0;
}

/* ---- the arm ---- */

static int64_t startup_ns(const struct engine *e)
{
	return e->fleet.cold_start_ns;
}

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
	    .has_fleet = fleet_changes(&e->fleet),
	    .scales = e->fleet.metric != FLEET_METRIC_NONE,
	    .startup_ns = startup_ns(e)};
	tell(c, UP_FACTS, 0, 0, 0);
	put(c, &f, sizeof f);
	flush(c);
}

static int simulate_live(struct child_state *c, struct arm *a,
			 struct problem *p)
{
	struct cost *cost[2];
	const struct observer o = observe(c);
	arm_run_costs(a, cost);
	if (simulation_step_bytes(&a->engine) > c->s->step_bytes)
		return problem_set(p, EXIT_USAGE, "no room for a step");
	const struct simulation_setup setup = {.e = &a->engine,
					       .cost = cost,
					       .w = c->w,
					       .o = &o,
					       .step_memory = c->s->slot->step,
					       .is_open = 1};
	c->m = simulation_open(&setup, &c->outcome, p);
	if (!c->m)
		return -1;
	if (c->s->said)
		fflush(c->s->said);
	tell_facts(c, a);
	int rc = simulation_close(c->m, serve(c, p));
	recorder_end(&c->recorder);
	flush(c);
	if (c->s->requests && fflush(c->s->requests) && rc == 0)
		rc = problem_set(p, EXIT_USAGE, "--write-requests: %s",
				 strerror(errno));
	return rc;
}

static int work(struct job *j, struct arm *a, void *ctx, struct problem *p)
{
	struct child_state *c = calloc(1, sizeof *c);
	(void)j;
	if (!c)
		return problem_no_memory(p);
	c->s = ctx;
	c->e = &a->engine;
	c->w = workload_live(0);
	int rc = c->w ? simulate_live(c, a, p) : problem_no_memory(p);
	workload_free(c->w);
	free(c->in), free(c->out);
	free(c);
	return rc;
}

void live_child(void *user)
{
	struct live_start *s = user;
	struct watch watch;
	const int fd[] = {s->fd};
	struct job j = {.name = s->config->arm[s->arm].name,
			.status = &s->slot->status,
			.live = s->slot->step,
			.watch = &watch};
	const sc_host host = host_writing(s->said);
	struct problem *p = &s->slot->problem;
	if (watch_open(&watch, &s->slot->status, 1, fd, 1, p) < 0)
		return;
	if (arm_run(&j, s->config, s->arm, &host, work, s, p) < 0 &&
	    p->code == EXIT_DONE)
		problem_set(p, EXIT_USAGE, "failed without a reason");
	s->slot->done = p->code == EXIT_DONE;
}
