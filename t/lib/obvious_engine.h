/* obvious_engine.h -- a serving engine that is slow and obvious, and tells what
 * happened as text: the reference for the engine without a preset.
 *
 * It knows no hashes (it compares prefixes token by token), no free list (it
 * looks for the block that has been free longest) and no columns. */
#ifndef T_OBVIOUS_ENGINE_H
#define T_OBVIOUS_ENGINE_H
#include <inttypes.h>
#include "serve.h"
#include "tap.h"

#define MAX_REQUESTS 24
#define MAX_BLOCKS 4096

/* ---- what happened, as text ---- */

struct story {
	char text[400000];
	size_t length;
};
static struct story ours, theirs;

__attribute__((format(printf, 2, 3))) static void tell(struct story *s,
						       const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	int n =
	    vsnprintf(s->text + s->length, sizeof s->text - s->length, fmt, ap);
	va_end(ap);
	s->length += (size_t)n;
	if (s->length >= sizeof s->text)
		bail_out("the story is too long");
}

/* ---- the reference ---- */

struct item {
	const struct request *is;
	uint32_t generated, in_flight, computed, target;
	uint32_t block[512], n_blocks;
	uint32_t preemptions, cached;
	int64_t seen_ns, token_ns[64];
	int is_running, was_admitted, is_over;
};
struct kv_block {
	uint32_t users, freed_at; /* later: freed later */
	const struct item *of;    /* NULL: not full; else the first `tokens` */
	uint32_t tokens, full_at;
};
struct flight {
	struct item *item[MAX_REQUESTS];
	uint32_t n;
	int64_t end_ns;
};
static struct {
	const struct engine *e;
	const struct linear_cost *cost;
	struct item item[MAX_REQUESTS];
	uint32_t n_items, n_seen;
	struct item *running[MAX_REQUESTS], *waiting[MAX_REQUESTS];
	uint32_t n_running, n_waiting;
	struct kv_block block[MAX_BLOCKS];
	uint32_t n_blocks, in_use, peak, clock;
	uint32_t preemptions, hit, queried, steps;
	/* of the step being made */
	uint32_t chunk[MAX_REQUESTS];
	int has_preempted;
} ref;

struct token {
	uint64_t kind, id, at;
};
static struct token token_of(const struct item *x, uint32_t at)
{
	const struct request *r = x->is;
	uint32_t start = 0;
	for (uint32_t i = 0; i < r->n_segments; i++) {
		if (at < start + r->segment[i].tokens && at < r->input_tokens)
			return (struct token){1, r->segment[i].id, at - start};
		start += r->segment[i].tokens;
	}
	if (at >= r->input_tokens && r->output_id)
		return (struct token){1, r->output_id, at - r->input_tokens};
	return (struct token){2, r->row, at};
}

static int same_prefix(const struct item *a, const struct item *b, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		struct token x = token_of(a, i), y = token_of(b, i);
		if (x.kind != y.kind || x.id != y.id || x.at != y.at)
			return 0;
	}
	return 1;
}

static struct kv_block *cached(const struct item *x, uint32_t tokens)
{
	struct kv_block *best = NULL;
	for (uint32_t i = 0; i < ref.n_blocks; i++) {
		struct kv_block *b = &ref.block[i];
		if (b->of && b->tokens == tokens &&
		    same_prefix(b->of, x, tokens) &&
		    (!best || b->full_at < best->full_at))
			best = b;
	}
	return best;
}

static uint32_t n_free(void)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < ref.n_blocks; i++)
		n += ref.block[i].users == 0;
	return n;
}

static struct kv_block *free_longest(void)
{
	struct kv_block *best = NULL;
	for (uint32_t i = 0; i < ref.n_blocks; i++) {
		struct kv_block *b = &ref.block[i];
		if (b->users == 0 && (!best || b->freed_at < best->freed_at))
			best = b;
	}
	return best;
}

static uint32_t blocks_for(uint32_t tokens)
{
	return (tokens + ref.e->block_size - 1) / ref.e->block_size;
}

static void own(struct item *x, struct kv_block *b)
{
	if (b->users++ == 0)
		ref.in_use++;
	ref.peak = ref.in_use > ref.peak ? ref.in_use : ref.peak;
	x->block[x->n_blocks++] = (uint32_t)(b - ref.block);
}

/* Blocks up to `tokens`; 0 and nothing done if there are not enough. */
static int hold(struct item *x, struct kv_block **found, uint32_t n_found,
		uint32_t tokens)
{
	uint32_t need = blocks_for(tokens) - x->n_blocks - n_found, idle = 0;
	for (uint32_t i = 0; i < n_found; i++)
		idle += found[i]->users == 0;
	if (need + idle > n_free())
		return 0;
	for (uint32_t i = 0; i < n_found; i++)
		own(x, found[i]);
	while (need--) {
		struct kv_block *b = free_longest();
		b->of = NULL;
		own(x, b);
	}
	for (uint32_t i = 0; ref.e->prefix_caching && i < x->n_blocks; i++) {
		struct kv_block *b = &ref.block[x->block[i]];
		uint32_t end = (i + 1) * ref.e->block_size;
		if (b->of || end > tokens)
			continue;
		*b = (struct kv_block){b->users, 0, x, end, ++ref.clock};
	}
	return 1;
}

static void let_go(struct item *x)
{
	while (x->n_blocks) {
		struct kv_block *b = &ref.block[x->block[--x->n_blocks]];
		if (--b->users == 0) {
			b->freed_at = ++ref.clock;
			ref.in_use--;
		}
	}
}

static uint32_t place_of(struct item *const *list, const struct item *x)
{
	uint32_t i = 0;
	while (list[i] != x)
		i++;
	return i;
}

static void take_out(struct item **list, uint32_t *n, uint32_t i)
{
	memmove(list + i, list + i + 1, (--*n - i) * sizeof *list);
}

static void put_in(struct item **list, uint32_t *n, uint32_t i, struct item *x)
{
	memmove(list + i + 1, list + i, ((*n)++ - i) * sizeof *list);
	list[i] = x;
}

static int is_before(const struct item *a, const struct item *b)
{
	if (a->is->priority != b->is->priority)
		return a->is->priority < b->is->priority;
	if (a->is->arrival_ns != b->is->arrival_ns)
		return a->is->arrival_ns < b->is->arrival_ns;
	return a->is->row < b->is->row;
}

static void wait(struct item *x, int in_front)
{
	uint32_t at = in_front ? 0 : ref.n_waiting;
	if (ref.e->policy == POLICY_PRIORITY)
		for (at = 0; at < ref.n_waiting; at++)
			if (is_before(x, ref.waiting[at]))
				break;
	put_in(ref.waiting, &ref.n_waiting, at, x);
}

static struct item *whom_to_preempt(void)
{
	struct item *worst = ref.running[0];
	for (uint32_t i = 1; i < ref.n_running; i++)
		if (ref.e->policy == POLICY_FCFS ||
		    ref.running[i]->is->priority >= worst->is->priority)
			worst = ref.running[i];
	return worst;
}

static uint32_t most(uint32_t left, uint32_t budget)
{
	uint32_t cap = ref.e->long_prefill_token_threshold;
	if (cap && left > cap)
		left = cap;
	return left < budget ? left : budget;
}

static uint32_t *chunk_of(const struct item *x)
{
	return &ref.chunk[x - ref.item];
}

static void schedule_running(uint32_t *budget)
{
	struct item *in_turn[MAX_REQUESTS];
	uint32_t n = ref.n_running;
	memcpy(in_turn, ref.running, sizeof in_turn);
	for (uint32_t i = 0; i < n && *budget; i++) {
		struct item *x = in_turn[i];
		if (!x->is_running ||
		    x->generated + x->in_flight >= x->is->output_tokens)
			continue;
		uint32_t known =
		    x->is->input_tokens + x->generated + x->in_flight;
		uint32_t new = most(known - x->computed, *budget);
		while (!hold(x, NULL, 0, x->computed + new)) {
			struct item *v = whom_to_preempt();
			ref.has_preempted = 1;
			ref.preemptions++;
			v->preemptions++;
			let_go(v);
			take_out(ref.running, &ref.n_running,
				 place_of(ref.running, v));
			v->is_running = 0;
			v->computed = 0;
			*budget += *chunk_of(v);
			*chunk_of(v) = 0;
			wait(v, 1);
			if (v == x)
				return;
		}
		*chunk_of(x) = new;
		*budget -= new;
	}
}

static int admit_first(uint32_t *budget)
{
	struct item *x = ref.waiting[0];
	struct kv_block *found[512];
	uint32_t n = 0, size = ref.e->block_size;
	uint32_t known = x->is->input_tokens + x->generated;
	if (ref.e->prefix_caching)
		while (n < (known - 1) / size &&
		       (found[n] = cached(x, (n + 1) * size)))
			n++;
	uint32_t new = most(known - n * size, *budget);
	if (!hold(x, found, n, n * size + new))
		return 0;
	if (!x->was_admitted) {
		ref.hit += n * size;
		ref.queried += known;
		x->cached = n * size;
	}
	x->was_admitted = x->is_running = 1;
	x->computed = n * size;
	x->target = known;
	take_out(ref.waiting, &ref.n_waiting, 0);
	ref.running[ref.n_running++] = x;
	*chunk_of(x) = new;
	*budget -= new;
	return 1;
}

/* 0: nothing to do. */
static int schedule(void)
{
	uint32_t budget = ref.e->max_num_batched_tokens;
	memset(ref.chunk, 0, sizeof ref.chunk);
	ref.has_preempted = 0;
	schedule_running(&budget);
	while (!ref.has_preempted && ref.n_waiting && budget &&
	       ref.n_running < ref.e->max_num_seqs && admit_first(&budget))
		;
	return budget < ref.e->max_num_batched_tokens;
}

static void execute(struct flight *f, int64_t start_ns)
{
	uint32_t tokens = 0, kv = 0;
	f->n = 0;
	for (uint32_t i = 0; i < ref.n_running; i++) {
		struct item *x = ref.running[i];
		uint32_t new = *chunk_of(x);
		tokens += new;
		kv += new ? x->computed : 0;
	}
	double us = ref.cost->base_us + ref.cost->token_us * (double)tokens +
		    ref.cost->kv_us * (double)kv;
	f->end_ns = start_ns + llround(1e3 * us);
	tell(&theirs, "%" PRId64 "-%" PRId64 ":", start_ns, f->end_ns);
	for (int prefill = 0; prefill < 2; prefill++)
		for (uint32_t i = 0; i < ref.n_running; i++) {
			struct item *x = ref.running[i];
			uint32_t new = *chunk_of(x);
			if (new && (x->computed < x->target) == prefill)
				tell(&theirs, " %c%d@%u+%u", "dp"[prefill],
				     (int)x -> is -> row, x -> computed, new);
		}
	tell(&theirs, " %u blocks\n", ref.in_use);
	for (uint32_t i = 0; i < ref.n_running; i++) {
		struct item *x = ref.running[i];
		if (*chunk_of(x) == 0)
			continue;
		x->computed += *chunk_of(x);
		if (x->computed <
		    x->is->input_tokens + x->generated + x->in_flight)
			continue;
		x->in_flight++;
		f->item[f->n++] = x;
	}
	ref.steps++;
}

static void hand_out(const struct flight *f)
{
	for (uint32_t i = 0; i < f->n; i++) {
		struct item *x = f->item[i];
		x->in_flight--;
		int64_t *token_ns = &x->token_ns[x->generated++];
		*token_ns = f->end_ns + ref.e->response_overhead_ns +
			    f->n * ref.e->response_sequence_ns;
		if (*token_ns < x->token_ns[0])
			*token_ns = x->token_ns[0];
		if (x->generated < x->is->output_tokens)
			continue;
		struct item **list = x->is_running ? ref.running : ref.waiting;
		take_out(list, x->is_running ? &ref.n_running : &ref.n_waiting,
			 place_of(list, x));
		let_go(x);
		x->is_over = 1;
	}
}

static int fits(const struct request *r)
{
	uint32_t tokens = r->input_tokens + r->output_tokens;
	if (ref.e->max_model_len && tokens > ref.e->max_model_len)
		return 0;
	return ref.e->num_gpu_blocks == ENGINE_UNLIMITED ||
	       blocks_for(tokens - 1) <= ref.e->num_gpu_blocks;
}

static void look(int64_t now)
{
	for (; ref.n_seen < ref.n_items; ref.n_seen++) {
		struct item *x = &ref.item[ref.n_seen];
		if (x->seen_ns > now)
			break;
		if (fits(x->is))
			wait(x, 0);
	}
}

static void serve_obviously(void)
{
	const struct engine *e = ref.e;
	struct flight queue[2];
	uint32_t n_queued = 0, depth = e->async_scheduling ? 2 : 1;
	int64_t now = 0, gpu_free = 0;
	for (;;) {
		look(now);
		while (n_queued < depth) {
			if (!schedule()) {
				if (ref.has_preempted && n_queued == 0)
					continue;
				break;
			}
			int64_t start = now;
			if (e->async_scheduling)
				start = now + e->schedule_ns > gpu_free
					    ? now + e->schedule_ns
					    : gpu_free;
			execute(&queue[n_queued], start);
			gpu_free = queue[n_queued++].end_ns;
		}
		if (n_queued) {
			hand_out(&queue[0]);
			now = queue[0].end_ns;
			queue[0] = queue[1];
			n_queued--;
			if (!e->async_scheduling)
				now += e->schedule_ns;
		} else if (ref.n_seen < ref.n_items) {
			int64_t next = ref.item[ref.n_seen].seen_ns;
			now = next > now ? next : now;
		} else {
			return;
		}
	}
}

/* Requests pass the thread in front of the engine one after another. */
static void pass_front(void)
{
	int64_t now = 0;
	for (uint32_t i = 0; i < ref.n_items; i++) {
		struct item *x = &ref.item[i];
		int64_t there_ns = x->is->arrival_ns + ref.e->api_overhead_ns;
		now = there_ns > now ? there_ns : now;
		if (fits(x->is))
			now += ref.e->api_request_ns;
		x->seen_ns = now;
	}
}

static void reference(const struct engine *e, const struct linear_cost *c,
		      const struct request *r, uint32_t n)
{
	memset(&ref, 0, sizeof ref);
	ref.e = e;
	ref.cost = c;
	ref.n_items = n;
	ref.n_blocks = e->num_gpu_blocks == ENGINE_UNLIMITED
			   ? MAX_BLOCKS
			   : (uint32_t)e->num_gpu_blocks;
	for (uint32_t i = 0; i < n; i++)
		ref.item[i].is = &r[i];
	for (uint32_t i = 0; i < ref.n_blocks; i++)
		ref.block[i].freed_at = ++ref.clock;
	theirs.length = 0;
	pass_front();
	serve_obviously();
	for (uint32_t i = 0; i < n; i++) {
		const struct item *x = &ref.item[i];
		int64_t arrival = r[i].arrival_ns;
		if (!x->is_over)
			tell(&theirs, "%u rejected\n", i);
		else
			tell(&theirs,
			     "%u ttft %" PRId64 " e2e %" PRId64
			     " preempted %u cached %u\n",
			     i, x->token_ns[0] - arrival,
			     x->token_ns[r[i].output_tokens - 1] - arrival,
			     x->preemptions, x->cached);
	}
	tell(&theirs, "steps %u preemptions %u hit %u of %u peak %u left %u\n",
	     ref.steps, ref.preemptions, ref.hit, ref.queried, ref.peak,
	     ref.in_use);
}
#endif
