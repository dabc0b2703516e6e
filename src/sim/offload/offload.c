/* offload.c -- Makes, submits and notices the copies between GPU and host. */
#include <config.h>
#include "sim/offload/offload.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- lists of jobs ---- */

static int push(struct job_list *l, struct offload_job *j)
{
	if (l->n == l->cap) {
		uint32_t cap = l->cap ? 2 * l->cap : 16;
		struct offload_job **more = malloc(cap * sizeof *more);
		if (!more)
			return -1;
		for (uint32_t i = 0; i < l->n; i++)
			more[i] = l->job[(l->head + i) & (l->cap - 1)];
		free(l->job);
		l->job = more;
		l->head = 0;
		l->cap = cap;
	}
	l->job[(l->head + l->n++) & (l->cap - 1)] = j;
	return 0;
}

static struct offload_job *at(const struct job_list *l, uint32_t i)
{
	return l->job[(l->head + i) & (l->cap - 1)];
}

static struct offload_job *pop(struct job_list *l)
{
	struct offload_job *j = at(l, 0);
	l->head = (l->head + 1) & (l->cap - 1);
	l->n--;
	return j;
}

/* ---- requests ---- */

static void drop_unused(struct offloaded *of)
{
	if (of->is_over && of->jobs == 0 && !of->is_kept)
		free(of);
}

static void free_job(struct offload_job *j)
{
	j->of->jobs--;
	drop_unused(j->of);
	free(j->chunk);
	free(j->block);
	free(j);
}

static void free_ended(struct offload_ended *x)
{
	free(x->key);
	free(x->block);
	x->of->is_kept = 0;
	drop_unused(x->of);
}

void offload_end(struct offload *o, struct offloaded *of, uint64_t *key,
		 uint32_t n, uint32_t *block, uint32_t blocks)
{
	of->is_over = 1;
	if (!key || !block) {
		free(key);
		free(block);
		drop_unused(of);
		return;
	}
	of->is_kept = 1;
	if (o->n_ended == o->cap_ended) {
		uint32_t cap = o->cap_ended ? 2 * o->cap_ended : 16;
		void *more = realloc(o->ended, cap * sizeof *o->ended);
		if (!more) {
			o->out_of_memory = 1;
			free(key);
			free(block);
			return;
		}
		o->ended = more;
		o->cap_ended = cap;
	}
	o->ended[o->n_ended++] =
	    (struct offload_ended){of, n, blocks, key, block};
}

void offload_forget_ended(struct offload *o)
{
	for (uint32_t i = 0; i < o->n_ended; i++)
		free_ended(&o->ended[i]);
	o->n_ended = 0;
}

/* A request is forgotten at once if its last stores are noticed in the turn in
 * which it ends. */
static void forget_one(struct offload *o, const struct offloaded *of)
{
	uint32_t i = 0;
	while (i < o->n_ended && o->ended[i].of != of)
		i++;
	if (i == o->n_ended)
		return;
	struct offload_ended x = o->ended[i];
	memmove(&o->ended[i], &o->ended[i + 1],
		(--o->n_ended - i) * sizeof *o->ended);
	free_ended(&x);
}

/* ---- construction ---- */

struct offload *offload_new(const struct offload_rules *rules)
{
	struct offload *o = calloc(1, sizeof *o);
	if (!o)
		return NULL;
	o->rules = rules;
	chunks_init(&o->chunks, rules->chunks, rules->policy);
	return o;
}

void offload_report(struct offload *o, uint32_t replica,
		    const struct observer *to)
{
	if (!o || !to)
		return;
	o->replica = replica;
	o->tell = to->on_transfer;
	o->ctx = to->ctx;
}

static void free_list(struct job_list *l)
{
	while (l->n)
		free_job(pop(l));
	free(l->job);
}

void offload_free(struct offload *o)
{
	if (!o)
		return;
	free_list(&o->fresh);
	free_list(&o->late);
	free_list(&o->loads);
	free_list(&o->log);
	offload_forget_ended(o);
	free(o->ended);
	chunks_free(&o->chunks);
	map64_free(&o->counts);
	free(o);
}

/* ---- making jobs ---- */

void offload_count(struct offload *o, uint64_t key)
{
	if (o->rules->store_threshold < 2)
		return;
	uint64_t *n = map64_at(&o->counts, key, NULL);
	if (n)
		++*n;
	else
		o->out_of_memory = 1;
}

static int is_wanted(struct offload *o, uint64_t key)
{
	if (o->rules->store_threshold < 2)
		return 1;
	const uint64_t *n = map64_at(&o->counts, key, NULL);
	return n && *n >= o->rules->store_threshold;
}

/* Adds a job to a list; NULL if memory is out. */
static struct offload_job *make(struct offload *o, struct job_list *to,
				struct offloaded *of, uint32_t chunks,
				uint32_t blocks, int64_t now)
{
	struct offload_job *j = calloc(1, sizeof *j);
	if (j)
		j->chunk = malloc(chunks * sizeof *j->chunk);
	if (!j || !j->chunk || push(to, j)) {
		if (j)
			free(j->chunk);
		free(j);
		o->out_of_memory = 1;
		return NULL;
	}
	j->of = of;
	j->is = (struct transfer_event){.row = of->row,
					.replica = o->replica,
					.decided_ns = now,
					.blocks = blocks,
					.chunks = chunks};
	of->jobs++;
	o->under_way++;
	return j;
}

void offload_load(struct offload *o, struct offloaded *of, const uint64_t *key,
		  uint32_t n, uint32_t blocks, int64_t now)
{
	struct offload_job *j = make(o, &o->loads, of, n, blocks, now);
	of->load = LOAD_UNDER_WAY;
	for (uint32_t i = 0; j && i < n; i++) {
		j->chunk[i] = chunks_find(&o->chunks, key[i]);
		chunks_hold(&o->chunks, j->chunk[i]);
	}
}

/* Puts the chunks of `fresh`, indices of keys, in, and makes their job. */
static void store(struct offload *o, struct offloaded *of, const uint64_t *key,
		  const uint32_t *block, const uint32_t *fresh, uint32_t n,
		  int64_t now)
{
	uint32_t c = o->rules->blocks_per_chunk;
	struct offload_job *j = make(o, &o->fresh, of, n, n * c, now);
	if (!j)
		return;
	j->is.is_store = 1;
	j->block = malloc((size_t)n * c * sizeof *j->block);
	of->stores++;
	for (uint32_t i = 0; i < n; i++) {
		j->chunk[i] = chunks_add(&o->chunks, key[fresh[i]]);
		if (j->block)
			memcpy(j->block + (size_t)i * c,
			       block + (size_t)fresh[i] * c, c * sizeof *block);
	}
	o->out_of_memory |= !j->block || o->chunks.out_of_memory;
}

void offload_store(struct offload *o, struct offloaded *of, const uint64_t *key,
		   uint32_t n_keys, const uint32_t *block, uint32_t last,
		   int64_t now)
{
	uint32_t from = of->stored, n = 0, n_wanted = 0;
	if (last <= from)
		return;
	uint32_t *fresh = malloc((last - from) * sizeof *fresh);
	uint64_t *wanted = malloc((last - from) * sizeof *wanted);
	for (uint32_t i = from; fresh && wanted && i < last; i++) {
		if (!is_wanted(o, key[i]))
			continue;
		wanted[n_wanted++] = key[i];
		if (chunks_find(&o->chunks, key[i]) == NO_CHUNK)
			fresh[n++] = i;
	}
	if (!fresh || !wanted) {
		o->out_of_memory = 1;
	} else if (n == 0) {
		of->stored = last;
	} else if (chunks_make_room(&o->chunks, n, wanted, n_wanted)) {
		o->figures.refused++;
	} else {
		store(o, of, key, block, fresh, n, now);
		chunks_touch(&o->chunks, key, n_keys);
		of->stored = last;
	}
	free(fresh);
	free(wanted);
}

/* ---- the worker ---- */

static void submit(struct offload *o, struct offload_job *j, int64_t from_ns,
		   int64_t *end_ns)
{
	const struct offload_rules *r = o->rules;
	double bytes = j->is.blocks * r->block_bytes;
	int64_t lasts_ns = llround(bytes / r->bytes_per_ns) + r->latency_ns;
	j->is.start_ns = from_ns > *end_ns ? from_ns : *end_ns;
	*end_ns = j->is.end_ns = j->is.start_ns + lasts_ns;
	if (j->is.is_store) {
		o->figures.stores++;
		o->figures.store_bytes += bytes;
		o->figures.store_ns += lasts_ns;
	} else {
		o->figures.loads++;
		o->figures.load_bytes += bytes;
		o->figures.load_ns += lasts_ns;
	}
	if (push(&o->log, j))
		o->out_of_memory = 1;
}

/* Stores that must be over before the step: those of a request that the call
 * preempted, and those of an ended one that read a block which the call gave
 * to another. */
static int must_wait(const struct offload_job *j, const struct blocks *pool)
{
	if (j->of->preempted_in == pool->call)
		return 1;
	for (uint32_t k = 0; j->of->is_over && k < j->is.blocks; k++)
		if (pool->block[j->block[k]].taken_in == pool->call)
			return 1;
	return 0;
}

static void submit_stores(struct offload *o, int64_t from_ns,
			  const struct blocks *pool)
{
	while (o->late.n)
		submit(o, pop(&o->late), from_ns, &o->store_end_ns);
	for (uint32_t left = o->fresh.n; left > 0; left--) {
		struct offload_job *j = pop(&o->fresh);
		if (must_wait(j, pool))
			submit(o, j, from_ns, &o->store_end_ns);
		else if (push(&o->late, j))
			o->out_of_memory = 1;
	}
}

static int64_t wait_for_stores(const struct offload *o, int64_t w,
			       const struct blocks *pool)
{
	for (uint32_t i = 0; i < o->log.n; i++) {
		const struct offload_job *j = at(&o->log, i);
		if (j->is.is_store && j->is.end_ns > w && must_wait(j, pool))
			w = j->is.end_ns;
	}
	return w;
}

int64_t offload_pass(struct offload *o, int64_t now, int64_t gpu_ns,
		     const struct blocks *pool)
{
	int64_t began_ns = now > o->clock_ns ? now : o->clock_ns;
	submit_stores(o, began_ns > gpu_ns ? began_ns : gpu_ns, pool);
	int64_t w = wait_for_stores(o, began_ns, pool);
	o->figures.waited_steps += w > began_ns;
	o->figures.waited_ns += w - began_ns;
	while (o->loads.n)
		submit(o, pop(&o->loads), w, &o->load_end_ns);
	for (uint32_t i = 0; i < o->log.n; i++) {
		struct offload_job *j = at(&o->log, i);
		if (!j->is_noted && j->is.end_ns <= w) {
			j->is_noted = 1;
			j->noted_in = pool->call;
		}
	}
	o->clock_ns = w;
	return w;
}

/* ---- noticing ---- */

static void notice(struct offload *o, struct offload_job *j, int64_t now)
{
	struct offloaded *of = j->of;
	for (uint32_t i = 0; i < j->is.chunks; i++)
		if (j->is.is_store)
			chunks_stored(&o->chunks, j->chunk[i]);
		else
			chunks_let_go(&o->chunks, j->chunk[i]);
	j->is.seen_ns = now;
	j->is_noticed = 1;
	o->under_way--;
	if (!j->is.is_store) {
		of->load = LOAD_DONE;
		if (of->is_first)
			o->figures.loading_ns += now - j->is.decided_ns;
	} else if (--of->stores == 0 && of->is_kept)
		forget_one(o, of);
}

static void notice_kind(struct offload *o, int stores, uint32_t call,
			int64_t now)
{
	for (uint32_t i = 0; i < o->log.n; i++) {
		struct offload_job *j = at(&o->log, i);
		if (j->is_noted && !j->is_noticed && j->is.is_store == stores &&
		    j->noted_in == call)
			notice(o, j, now);
	}
}

void offload_notice(struct offload *o, uint32_t call, int64_t now)
{
	notice_kind(o, 1, call, now);
	notice_kind(o, 0, call, now);
	while (o->log.n && at(&o->log, 0)->is_noticed) {
		struct offload_job *j = pop(&o->log);
		if (o->tell)
			o->tell(o->ctx, &j->is);
		free_job(j);
	}
}
