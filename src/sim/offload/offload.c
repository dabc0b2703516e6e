/* offload.c -- Makes, submits and notices the copies between GPU and host. */
#include "sim/offload/offload.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/grow.h"
#include "base/whole.h"

/* ---- lists of jobs ---- */

static int push(struct job_list *l, struct offload_job *j)
{
	if (!MAKE_RING_ROOM(l->job, l->head, l->n, l->cap))
		return -1;
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
		offloaded_free(of);
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
	free((void *)(uintptr_t)x->reach.text.key);
	x->of->is_kept = 0;
	drop_unused(x->of);
}

static int keep(struct offload *o, struct offloaded *of,
		const struct offload_reach *reach)
{
	size_t n = reach->text.known / o->groups.block_tokens;
	if (!MAKE_ROOM(o->ended, o->n_ended, o->cap_ended))
		return -1;
	uint64_t *key = malloc(n * sizeof *key);
	if (!key)
		return -1;
	memcpy(key, reach->text.key, n * sizeof *key);
	struct offload_ended *x = &o->ended[o->n_ended++];
	*x = (struct offload_ended){of, *reach};
	x->reach.text.key = key;
	return 0;
}

void offload_end(struct offload *o, struct offloaded *of,
		 const struct offload_reach *reach)
{
	of->is_over = 1;
	of->is_kept = reach != NULL;
	if (reach && keep(o, of, reach)) {
		o->out_of_memory = 1;
		of->is_kept = 0;
	}
	drop_unused(of);
}

static void forget_ended(struct offload *o)
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

struct offload *offload_new(const struct offload_rules *rules,
			    const struct kv_groups *kv, uint32_t block_tokens)
{
	struct offload *o = calloc(1, sizeof *o);
	if (!o)
		return NULL;
	o->rules = rules;
	chunks_init(&o->chunks, rules->chunks, rules->policy);
	if (offload_groups_init(&o->groups, kv, block_tokens,
				rules->blocks_per_chunk) == 0) {
		o->has_dropped = calloc(o->groups.n, sizeof *o->has_dropped);
		o->loaded = malloc(OFFLOAD_PRICED * sizeof *o->loaded);
		if (o->has_dropped && o->loaded)
			return o;
	}
	offload_free(o);
	return NULL;
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
	forget_ended(o);
	free(o->ended);
	free(o->key);
	free(o->choice);
	free(o->has_dropped);
	free(o->loaded);
	offload_groups_free(&o->groups);
	chunks_free(&o->chunks);
	map64_free(&o->counts);
	free(o);
}

/* ---- look-ups ---- */

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

static int reaches_threshold(struct offload *o, uint64_t key)
{
	if (o->rules->store_threshold < 2)
		return 1;
	const uint64_t *n = map64_at(&o->counts, key, NULL);
	return n && *n >= o->rules->store_threshold;
}

/* Returns room for n keys; NULL if memory is out. */
static uint64_t *room_for_keys(struct offload *o, uint32_t n)
{
	if (n <= o->cap_keys)
		return o->key;
	void *more = realloc(o->key, 2 * (size_t)n * sizeof *o->key);
	if (!more) {
		o->out_of_memory = 1;
		return NULL;
	}
	o->key = more;
	o->cap_keys = 2 * n;
	return o->key;
}

void offload_touch(struct offload *o, const struct offloaded *of,
		   const struct offload_text *text)
{
	const struct offload_groups *g = &o->groups;
	uint32_t n = offload_text_chunks(g, text);
	uint64_t *key = room_for_keys(o, n);
	for (uint32_t i = 0; key && i < g->n; i++) {
		uint32_t reach = g->of[i].window_chunks, from = 0;
		if (reach && of->group[i].found > reach)
			from = of->group[i].found - reach;
		for (uint32_t k = from; k < n; k++)
			key[k] = offload_key(g, text, i, k);
		if (from < n)
			chunks_touch(&o->chunks, key + from, n - from);
	}
}

/* ---- making jobs ---- */

/* Adds a job to a list; NULL if memory is out. */
static struct offload_job *make(struct offload *o, struct job_list *to,
				struct offloaded *of, uint32_t chunks,
				int64_t now)
{
	struct offload_job *j = calloc(1, sizeof *j);
	if (j)
		j->chunk = malloc((chunks + 1) * sizeof *j->chunk);
	if (!j || !j->chunk || push(to, j)) {
		if (j)
			free(j->chunk);
		free(j);
		o->out_of_memory = 1;
		return NULL;
	}
	j->of = of;
	j->is = (struct transfer_event){
	    .row = of->row, .replica = o->replica, .decided_ns = now};
	of->jobs++;
	o->under_way++;
	return j;
}

/* Adds the chunks of a group's blocks [first, last) to a load. */
static void load_group(struct offload *o, struct offload_job *j,
		       const struct offload_text *text, uint32_t group,
		       uint32_t first, uint32_t last)
{
	const struct offload_groups *g = &o->groups;
	uint32_t c = g->chunk_blocks;
	for (uint32_t k = first / c; k < whole_divide_up(last, c); k++) {
		uint32_t i =
		    chunks_find(&o->chunks, offload_key(g, text, group, k));
		j->chunk[j->is.chunks++] = i;
		chunks_hold(&o->chunks, i);
	}
	j->is.blocks += last - first;
	j->bytes += (last - first) * g->of[group].block_bytes;
}

void offload_load(struct offload *o, struct offloaded *of,
		  const struct offload_text *text, uint32_t found,
		  uint32_t more, int64_t now)
{
	const struct offload_groups *g = &o->groups;
	uint32_t tokens = found + more;
	uint32_t last = whole_divide_up(tokens, g->block_tokens);
	uint32_t chunks = whole_divide_up(tokens, g->chunk_tokens);
	struct offload_job *j = make(o, &o->loads, of, g->n * chunks, now);
	of->load = LOAD_UNDER_WAY;
	of->loaded_to = tokens;
	if (j) {
		j->found = found;
		j->tokens = more;
	}
	for (uint32_t i = 0; j && i < g->n; i++) {
		uint32_t first = offload_first_block(g, i, tokens);
		if (first < found / g->block_tokens)
			first = found / g->block_tokens;
		of->group[i].stored = chunks;
		if (first < last)
			load_group(o, j, text, i, first, last);
	}
}

/* ---- choosing what to store ---- */

/* Returns how many chunks of a group the host must have. */
static uint32_t last_chunk(const struct offload *o, const struct offloaded *of,
			   uint32_t group, const struct offload_reach *reach)
{
	uint32_t n = reach->tokens / o->groups.chunk_tokens;
	n -= whole_min(n, reach->chunks_less);
	return whole_min(n, of->group[group].n_given / o->groups.chunk_blocks);
}

static void note_stored(const struct offload *o, struct offloaded *of,
			const struct offload_reach *reach)
{
	for (uint32_t i = 0; i < o->groups.n; i++) {
		uint32_t last = last_chunk(o, of, i, reach);
		if (of->group[i].stored < last)
			of->group[i].stored = last;
	}
}

/* Returns how many chunks of all groups are not stored; 0 also if memory is
 * out. */
static uint32_t count_due(struct offload *o, const struct offloaded *of,
			  const struct offload_reach *reach)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < o->groups.n; i++) {
		uint32_t last = last_chunk(o, of, i, reach);
		if (last > of->group[i].stored)
			n += last - of->group[i].stored;
	}
	if (n > o->cap_choices) {
		void *more =
		    realloc(o->choice, 2 * (size_t)n * sizeof *o->choice);
		if (!more) {
			o->out_of_memory = 1;
			return 0;
		}
		o->choice = more;
		o->cap_choices = 2 * n;
	}
	return n && room_for_keys(o, n) ? n : 0;
}

/* Chooses chunks of a group, and puts their keys into o->key; those without a
 * last block are left out.  Returns how many the host does not have. */
static uint32_t choose_in(struct offload *o, const struct offloaded *of,
			  uint32_t group, const struct offload_reach *reach,
			  const struct blocks *pool)
{
	const struct offload_groups *g = &o->groups;
	uint32_t last = last_chunk(o, of, group, reach), n_new = 0;
	for (uint32_t k = of->group[group].stored; k < last; k++) {
		uint32_t end = (k + 1) * g->chunk_blocks - 1;
		uint64_t key = offload_key(g, &reach->text, group, k);
		if (offloaded_block(of, g, group, end, pool) == NO_BLOCK ||
		    !reaches_threshold(o, key))
			continue;
		int is_new = chunks_find(&o->chunks, key) == NO_CHUNK;
		o->key[o->n_choices] = key;
		o->choice[o->n_choices++] =
		    (struct offload_choice){group, k, is_new};
		n_new += (uint32_t)is_new;
	}
	return n_new;
}

/* Adds the blocks of the new chunks of windows, or of full attention, to a
 * store. */
static void add_blocks(const struct offload *o, struct offload_job *j,
		       int of_windows, const struct blocks *pool)
{
	const struct offload_groups *g = &o->groups;
	for (uint32_t k = 0; k < o->n_choices; k++) {
		const struct offload_choice *x = &o->choice[k];
		if (!x->is_new || (g->of[x->group].window != 0) != of_windows)
			continue;
		for (uint32_t i = 0; i < g->chunk_blocks; i++) {
			uint32_t b = offloaded_block(
			    j->of, g, x->group, x->chunk * g->chunk_blocks + i,
			    pool);
			if (b == NO_BLOCK)
				continue;
			j->block[j->is.blocks++] = b;
			j->bytes += g->of[x->group].block_bytes;
		}
	}
}

/* Makes the job of the n_new chosen chunks, and puts them in. */
static void store(struct offload *o, struct offloaded *of, uint32_t n_new,
		  const struct blocks *pool, int64_t now)
{
	size_t most = (size_t)n_new * o->groups.chunk_blocks;
	struct offload_job *j = make(o, &o->fresh, of, n_new, now);
	if (!j)
		return;
	of->stores++;
	j->is.is_store = 1;
	j->made_in = pool->call;
	for (uint32_t k = 0; k < o->n_choices; k++)
		if (o->choice[k].is_new)
			j->chunk[j->is.chunks++] =
			    chunks_add(&o->chunks, o->key[k]);
	j->block = malloc(most * sizeof *j->block);
	if (j->block) {
		add_blocks(o, j, 1, pool);
		j->window_blocks = j->is.blocks;
		add_blocks(o, j, 0, pool);
	}
	o->out_of_memory |= !j->block || o->chunks.out_of_memory;
}

void offload_store(struct offload *o, struct offloaded *of,
		   const struct offload_reach *reach, const struct blocks *pool,
		   int64_t now)
{
	uint32_t n_new = 0;
	if (count_due(o, of, reach) == 0)
		return;
	o->n_choices = 0;
	for (uint32_t i = 0; i < o->groups.n; i++)
		n_new += choose_in(o, of, i, reach, pool);
	if (n_new &&
	    chunks_make_room(&o->chunks, n_new, o->key, o->n_choices)) {
		o->figures.refused++;
		return;
	}
	if (n_new) {
		store(o, of, n_new, pool, now);
		offload_touch(o, of, &reach->text);
	}
	note_stored(o, of, reach);
}

void offload_store_ended(struct offload *o, const struct blocks *pool,
			 int64_t now)
{
	for (uint32_t i = 0; i < o->n_ended; i++)
		offload_store(o, o->ended[i].of, &o->ended[i].reach, pool, now);
	forget_ended(o);
}

/* ---- the worker ---- */

/* Puts a copy into the queue of its link, and counts it. */
static void submit(struct offload *o, struct offload_job *j, int64_t from_ns,
		   int64_t *end_ns)
{
	const struct offload_rules *r = o->rules;
	double bytes = j->bytes;
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
		if (o->n_loaded < OFFLOAD_PRICED)
			o->loaded[o->n_loaded++] = (struct offload_loaded){
			    j->found, j->tokens, lasts_ns};
	}
	if (push(&o->log, j))
		o->out_of_memory = 1;
}

/* Stores that must be over before the step: those of a request that the call
 * preempted, and those that read a block which the call gave to another.  Only
 * blocks of windows, and those of a request that ended, can be such blocks.  A
 * job of this call has no blocks of windows that it gave to another. */
static int must_wait(const struct offload_job *j, const struct blocks *pool)
{
	if (j->of->preempted_in == pool->call)
		return 1;
	uint32_t k = j->made_in == pool->call ? j->window_blocks : 0;
	uint32_t end = j->of->is_over ? j->is.blocks : j->window_blocks;
	for (; k < end; k++)
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

/* The scheduler sees that a copy has ended. */
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
		of->load_seen_ns = now;
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
