/* chunks.c -- Keeps chunks by key and in the order in which they give way. */
#include "sim/offload/chunks.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

void chunks_init(struct chunks *c, uint64_t capacity,
		 enum eviction_policy policy)
{
	*c = (struct chunks){
	    .policy = policy, .capacity = capacity, .unused = NO_CHUNK};
	for (int i = 0; i < N_CHUNK_LISTS; i++)
		c->order[i].oldest = c->order[i].youngest = NO_CHUNK;
}

void chunks_free(struct chunks *c)
{
	free(c->chunk);
	free(c->bucket);
	free(c->victim);
}

static int is_there(const struct chunk *x)
{
	return x->list < CHUNKS_GHOST;
}

static int is_idle(const struct chunk *x)
{
	return is_there(x) && !x->is_pending && x->loads == 0;
}

/* ---- by key ---- */

static uint32_t *bucket_of(const struct chunks *c, uint64_t key)
{
	return &c->bucket[key & (c->n_buckets - 1)];
}

static uint32_t find_any(const struct chunks *c, uint64_t key)
{
	if (c->n_buckets == 0)
		return NO_CHUNK;
	uint32_t i = *bucket_of(c, key);
	while (i != NO_CHUNK && c->chunk[i].key != key)
		i = c->chunk[i].next_in_bucket;
	return i;
}

uint32_t chunks_find(const struct chunks *c, uint64_t key)
{
	uint32_t i = find_any(c, key);
	return i != NO_CHUNK && is_there(&c->chunk[i]) ? i : NO_CHUNK;
}

static int grow_buckets(struct chunks *c)
{
	uint32_t n = c->n_buckets ? 2 * c->n_buckets : 1024;
	uint32_t *bucket = malloc(n * sizeof *bucket);
	if (!bucket)
		return -1;
	memset(bucket, 0xff, n * sizeof *bucket);
	free(c->bucket);
	c->bucket = bucket;
	c->n_buckets = n;
	for (uint32_t i = 0; i < c->n_made; i++) {
		if (c->chunk[i].key == 0)
			continue;
		uint32_t *head = bucket_of(c, c->chunk[i].key);
		c->chunk[i].next_in_bucket = *head;
		*head = i;
	}
	return 0;
}

/* ---- lists ---- */

static void unlist(struct chunks *c, uint32_t i)
{
	struct chunk *x = &c->chunk[i];
	struct chunk_order *o = &c->order[x->list];
	if (!x->is_listed)
		return;
	*(x->older == NO_CHUNK ? &o->oldest : &c->chunk[x->older].younger) =
	    x->younger;
	*(x->younger == NO_CHUNK ? &o->youngest : &c->chunk[x->younger].older) =
	    x->older;
	o->n--;
	x->is_listed = 0;
}

/* Moves it to the end of a list. */
static void list(struct chunks *c, uint32_t i, enum chunk_list to)
{
	struct chunk *x = &c->chunk[i];
	struct chunk_order *o = &c->order[to];
	unlist(c, i);
	x->list = (uint16_t)to;
	x->is_listed = 1;
	x->younger = NO_CHUNK;
	x->older = o->youngest;
	*(o->youngest == NO_CHUNK ? &o->oldest
				  : &c->chunk[o->youngest].younger) = i;
	o->youngest = i;
	o->n++;
}

static void forget(struct chunks *c, uint32_t i)
{
	struct chunk *x = &c->chunk[i];
	uint32_t *at = bucket_of(c, x->key);
	unlist(c, i);
	while (*at != i)
		at = &c->chunk[*at].next_in_bucket;
	*at = x->next_in_bucket;
	x->key = 0;
	x->younger = c->unused;
	c->unused = i;
	c->n_keys--;
}

/* ---- putting in ---- */

/* Returns the index of an unused chunk; NO_CHUNK: memory is out. */
static uint32_t make(struct chunks *c)
{
	uint32_t i = c->unused;
	if (i != NO_CHUNK) {
		c->unused = c->chunk[i].younger;
		return i;
	}
	if (c->n_made == c->cap) {
		uint32_t cap = c->cap ? 2 * c->cap : 1024;
		void *more = c->cap > NO_CHUNK / 4
				 ? NULL
				 : realloc(c->chunk, cap * sizeof *c->chunk);
		if (!more)
			return NO_CHUNK;
		c->chunk = more;
		c->cap = cap;
	}
	return c->n_made++;
}

static uint32_t enter(struct chunks *c, uint64_t key)
{
	if (c->n_keys >= c->n_buckets && grow_buckets(c))
		return NO_CHUNK;
	uint32_t i = make(c);
	if (i == NO_CHUNK)
		return i;
	uint32_t *head = bucket_of(c, key);
	c->chunk[i] = (struct chunk){.key = key, .next_in_bucket = *head};
	*head = i;
	c->n_keys++;
	return i;
}

uint32_t chunks_add(struct chunks *c, uint64_t key)
{
	uint32_t i = find_any(c, key);
	if (i == NO_CHUNK)
		i = enter(c, key);
	if (i == NO_CHUNK) {
		c->out_of_memory = 1;
		return i;
	}
	unlist(c, i);
	c->chunk[i].list = CHUNKS_IDLE;
	c->chunk[i].is_pending = 1;
	if (c->policy == EVICTION_ARC)
		list(c, i, CHUNKS_IDLE);
	if (++c->n > c->peak)
		c->peak = c->n;
	return i;
}

/* ---- touching ---- */

static double share(uint64_t a, uint64_t b)
{
	double x = (double)a / (double)b;
	return x > 1 ? x : 1;
}

static void touch_arc(struct chunks *c, uint32_t i)
{
	const struct chunk *x = &c->chunk[i];
	const struct chunk_order *o = c->order;
	uint64_t once = o[CHUNKS_GHOST].n, again = o[CHUNKS_GHOST_AGAIN].n;
	switch ((enum chunk_list)x->list) {
	case CHUNKS_IDLE:
		list(c, i, x->is_pending ? CHUNKS_IDLE : CHUNKS_AGAIN);
		break;
	case CHUNKS_GHOST:
		c->target =
		    fmin(c->target + share(again, once), (double)c->capacity);
		list(c, i, CHUNKS_GHOST);
		break;
	case CHUNKS_GHOST_AGAIN:
		c->target = fmax(c->target - share(once, again), 0);
		list(c, i, CHUNKS_GHOST_AGAIN);
		break;
	default:
		list(c, i, CHUNKS_AGAIN);
	}
}

void chunks_touch(struct chunks *c, const uint64_t *key, uint32_t n)
{
	while (n-- > 0) {
		uint32_t i = find_any(c, key[n]);
		if (i == NO_CHUNK)
			continue;
		if (c->policy == EVICTION_ARC)
			touch_arc(c, i);
		else if (is_idle(&c->chunk[i]))
			list(c, i, CHUNKS_IDLE);
	}
}

/* ---- stores and loads ---- */

static void rest(struct chunks *c, uint32_t i)
{
	if (c->policy == EVICTION_LRU && is_idle(&c->chunk[i]))
		list(c, i, CHUNKS_IDLE);
}

void chunks_stored(struct chunks *c, uint32_t i)
{
	c->chunk[i].is_pending = 0;
	rest(c, i);
}

void chunks_hold(struct chunks *c, uint32_t i)
{
	c->chunk[i].loads++;
	if (c->policy == EVICTION_LRU)
		unlist(c, i);
}

void chunks_let_go(struct chunks *c, uint32_t i)
{
	c->chunk[i].loads--;
	rest(c, i);
}

/* ---- evicting ---- */

/* Returns the first chunk of the list that may be taken. */
static uint32_t first_of(const struct chunks *c, enum chunk_list from)
{
	uint32_t i = c->order[from].oldest;
	while (i != NO_CHUNK &&
	       (!is_idle(&c->chunk[i]) || c->chunk[i].is_chosen))
		i = c->chunk[i].younger;
	return i;
}

/* chosen: how many of the first list are victims already. */
static uint32_t next_victim(const struct chunks *c, uint64_t chosen)
{
	uint32_t i = NO_CHUNK;
	if (c->policy == EVICTION_LRU)
		return first_of(c, CHUNKS_IDLE);
	if ((double)(c->order[CHUNKS_IDLE].n - chosen) >= floor(c->target))
		i = first_of(c, CHUNKS_IDLE);
	return i == NO_CHUNK ? first_of(c, CHUNKS_AGAIN) : i;
}

/* Chooses n victims.  Returns 0, or -1 if fewer chunks have no users. */
static int choose(struct chunks *c, uint64_t n)
{
	uint64_t chosen = 0;
	if (n > c->cap_victims) {
		void *more = realloc(c->victim, n * sizeof *c->victim);
		if (!more) {
			c->out_of_memory = 1;
			return -1;
		}
		c->victim = more;
		c->cap_victims = (uint32_t)n;
	}
	for (c->n_victims = 0; c->n_victims < n; c->n_victims++) {
		uint32_t i = next_victim(c, chosen);
		if (i == NO_CHUNK)
			return -1;
		chosen += c->chunk[i].list == CHUNKS_IDLE;
		c->chunk[i].is_chosen = 1;
		c->victim[c->n_victims] = i;
	}
	return 0;
}

static void cut(struct chunks *c, enum chunk_list ghosts)
{
	while (c->order[ghosts].n > c->capacity)
		forget(c, c->order[ghosts].oldest);
}

/* Drops the chosen victims.  ARC remembers their keys as ghosts. */
static void evict(struct chunks *c)
{
	for (uint32_t k = 0; k < c->n_victims; k++) {
		uint32_t i = c->victim[k];
		if (c->policy == EVICTION_LRU)
			forget(c, i);
		else
			list(c, i,
			     c->chunk[i].list == CHUNKS_IDLE
				 ? CHUNKS_GHOST
				 : CHUNKS_GHOST_AGAIN);
	}
	c->n -= c->n_victims;
	c->evicted += c->n_victims;
	cut(c, CHUNKS_GHOST);
	cut(c, CHUNKS_GHOST_AGAIN);
}

/* Marks the chunks of the keys, which are not evicted, or takes the marks
 * away. */
static void protect(struct chunks *c, const uint64_t *key, uint32_t n,
		    uint16_t mark)
{
	for (uint32_t k = 0; k < n; k++) {
		uint32_t i = chunks_find(c, key[k]);
		if (i != NO_CHUNK)
			c->chunk[i].is_chosen = mark;
	}
}

int chunks_make_room(struct chunks *c, uint64_t n, const uint64_t *key,
		     uint32_t n_keys)
{
	uint64_t room = c->capacity - c->n;
	if (n <= room)
		return 0;
	if (n - room > c->n)
		return -1;
	protect(c, key, n_keys, 1);
	int rc = choose(c, n - room);
	for (uint32_t k = 0; k < c->n_victims; k++)
		c->chunk[c->victim[k]].is_chosen = 0;
	protect(c, key, n_keys, 0);
	if (rc == 0)
		evict(c);
	return rc;
}
