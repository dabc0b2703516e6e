/* publisher.c -- Sends the events of KV caches. */
#include "serve/publisher.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "serve/listen.h"

enum { HIGH_WATER = 100000, LINGER_MS = 1000, KEPT_BYTES = 256 << 20 };

/* ---- opening ---- */

static int fail(const struct publisher *u, const char *endpoint,
		struct problem *p)
{
	return problem_set(p, EXIT_USAGE, "%s: %s", endpoint,
			   u->zmq.strerror(u->zmq.last_error()));
}

/* Adds i to the port of an endpoint.  Returns 0, or -1 with *p filled in. */
static int place_of(const char *endpoint, uint32_t i, char to[300],
		    struct problem *p)
{
	const char *colon = strrchr(endpoint, ':');
	unsigned port;
	if (i == 0 && strlen(endpoint) < 300)
		return strcpy(to, endpoint), 0;
	if (strncmp(endpoint, "tcp://", 6) != 0 || strlen(endpoint) > 280 ||
	    sscanf(colon + 1, "%u", &port) != 1)
		return problem_set(p, EXIT_USAGE,
				   "%s: not tcp://HOST:PORT, which several "
				   "replicas need",
				   endpoint);
	snprintf(to, 300, "%.*s:%u", (int)(colon - endpoint), endpoint,
		 port + i);
	return 0;
}

/* Binds a socket.  libzmq removes any file at the path of an ipc:// endpoint,
 * so only a socket that was left there may be.  Returns 0, or -1 with *p filled
 * in. */
static int bind_to(const struct publisher *u, void *socket, const char *at,
		   struct problem *p)
{
	const char *path = strncmp(at, "ipc://", 6) ? "" : at + 6;
	if (*path && *path != '@' && listen_clear_path(path, p) < 0)
		return -1;
	return socket && u->zmq.bind(socket, at) == 0 ? 0 : fail(u, at, p);
}

static void *open_socket(const struct publisher *u, int type)
{
	const int linger = LINGER_MS, most = HIGH_WATER;
	void *s = u->zmq.make(u->context, type);
	if (s) {
		u->zmq.setsockopt(s, ZMQ_LINGER, &linger, sizeof linger);
		u->zmq.setsockopt(s, ZMQ_SNDHWM, &most, sizeof most);
	}
	return s;
}

static int open_pub(struct publisher *u, struct publisher_rank *r, uint32_t i,
		    const struct serve_keys *k, struct problem *p)
{
	char at[300];
	if (place_of(k->kv_events, i, at, p) < 0)
		return -1;
	int binds = k->kv_events_bind || strchr(at, '*') || strstr(at, "::") ||
		    !strncmp(at, "ipc://", 6);
	r->pub = open_socket(u, ZMQ_PUB);
	if (binds)
		return bind_to(u, r->pub, at, p);
	return r->pub && u->zmq.connect(r->pub, at) == 0 ? 0 : fail(u, at, p);
}

static int open_replay(struct publisher *u, struct publisher_rank *r,
		       uint32_t i, const struct serve_keys *k,
		       struct problem *p)
{
	char at[300];
	size_t n = sizeof r->replay_fd;
	r->replay_fd = -1;
	if (!*k->kv_replay)
		return 0;
	if (place_of(k->kv_replay, i, at, p) < 0)
		return -1;
	r->replay = open_socket(u, ZMQ_ROUTER);
	r->kept = calloc(PUBLISHER_KEEPS, sizeof *r->kept);
	if (!r->kept)
		return problem_no_memory(p);
	if (bind_to(u, r->replay, at, p) < 0)
		return -1;
	return u->zmq.getsockopt(r->replay, ZMQ_FD, &r->replay_fd, &n) == 0
		   ? 0
		   : fail(u, at, p);
}

/* Writes the topic, with numbers in place of {port} and {rank}. */
static void make_topic(struct publisher_rank *r, const char *text, int port,
		       uint32_t number)
{
	size_t n = 0, most = sizeof r->topic;
	while (*text && n + 12 < most) {
		int is_port = !strncmp(text, "{port}", 6);
		if (is_port || !strncmp(text, "{rank}", 6)) {
			n +=
			    (size_t)snprintf(r->topic + n, most - n, "%u",
					     is_port ? (unsigned)port : number);
			text += 6;
		} else {
			r->topic[n++] = *text++;
		}
	}
	r->topic[n] = '\0';
}

static const char *kind_of(const struct kv_kind *k, int is_mla)
{
	if (k->state != KV_TOKENS)
		return "mamba";
	if (k->window)
		return is_mla ? "sliding_window_mla" : "sliding_window";
	return is_mla ? "mla_attention" : "full_attention";
}

static int make_groups(struct publisher *u, const struct live_facts *f,
		       struct problem *p)
{
	const struct kv_groups *g = &f->groups;
	const struct kv_kind one = {.block_size = f->block_size, .n_groups = 1};
	uint32_t n = 0, kinds = g->n_kinds ? g->n_kinds : 1;
	u->unit = g->n_kinds ? g->key_unit : f->block_size;
	for (uint32_t i = 0; i < kinds; i++) {
		const struct kv_kind *k = g->n_kinds ? &g->kind[i] : &one;
		uint32_t units = k->block_size / u->unit;
		u->units = units > u->units ? units : u->units;
		for (uint32_t j = 0; j < k->n_groups; j++, n++) {
			if (n == PUBLISHER_GROUPS)
				return problem_set(
				    p, EXIT_USAGE,
				    "serve.kv_events: more than %d KV-cache "
				    "groups",
				    PUBLISHER_GROUPS);
			u->group[n] = (struct kv_group){
			    n, k->block_size, k->window, kind_of(k, f->is_mla)};
		}
	}
	return 0;
}

int publisher_open(struct publisher *u, const struct serve_keys *k,
		   const struct live_facts *f, int port, int each,
		   struct problem *p)
{
	if (!*k->kv_events)
		return 0;
	if (!f->caches || !f->tells_blocks)
		return problem_set(p, EXIT_USAGE,
				   "serve.kv_events: this engine has no prefix "
				   "cache of full blocks (engine.preset = "
				   "vllm-… has one)");
	if (make_groups(u, f, p) < 0 || zmq_load(&u->zmq, p) < 0)
		return -1;
	u->format = (struct kv_format){(enum kv_form)k->kv_events_form,
				       (enum kv_hashes)k->kv_hashes};
	u->seed = k->hash_seed;
	u->context = u->zmq.ctx_new();
	u->rank = calloc(f->replicas, sizeof *u->rank);
	if (!u->context || !u->rank)
		return problem_no_memory(p);
	for (; u->n < f->replicas; u->n++) {
		uint32_t i = u->n;
		struct publisher_rank *r = &u->rank[i];
		r->number = each ? 0 : i;
		make_topic(r, k->kv_topic, port + (each ? (int)i : 0),
			   r->number);
		if (open_pub(u, r, i, k, p) < 0 ||
		    open_replay(u, r, i, k, p) < 0) {
			u->n++;
			return -1;
		}
	}
	return 0;
}

/* ---- events ---- */

/* Makes room for the hashes of the block.  Returns 0, or -1. */
static int make_block(const struct publisher *u, struct publisher_rank *r,
		      uint32_t block)
{
	if (block < r->n_blocks)
		return 0;
	size_t n = 2 * (size_t)block + 1024;
	void *hash = realloc(r->hash, n * u->units * sizeof *r->hash);
	if (hash)
		r->hash = hash;
	void *group = realloc(r->group, n * sizeof *r->group);
	if (group)
		r->group = group;
	if (!hash || !group)
		return -1;
	r->n_blocks = (uint32_t)n;
	return 0;
}

/* Adds an event: blocks got their hashes and can be found now. */
static void stored(struct publisher *u, struct publisher_rank *r,
		   const struct block_change *x, struct kv_text *t)
{
	const struct kv_group *g = &u->group[x->group];
	uint32_t units = g->block_size / u->unit;
	if (!t || kv_text_hash(t, u->seed, (x->place + x->n) * units) < 0) {
		u->out_of_memory |= t != NULL;
		return;
	}
	for (uint32_t i = 0; i < x->n; i++) {
		uint32_t block = x->block[i];
		if (make_block(u, r, block) < 0) {
			u->out_of_memory = 1;
			return;
		}
		r->group[block] = x->group;
		memcpy(r->hash[(size_t)block * u->units],
		       t->hash[(size_t)(x->place + i) * units + 1],
		       units * sizeof *r->hash);
	}
	kv_event_stored(&r->events, &u->format, t, g, x->place, x->n);
	r->n_events++;
}

static void removed(struct publisher *u, struct publisher_rank *r,
		    uint32_t block)
{
	if (block >= r->n_blocks)
		return;
	const struct kv_group *g = &u->group[r->group[block]];
	kv_event_removed(&r->events, &u->format, g->index,
			 (const unsigned char(*)[SHA256_DIGEST_LENGTH])
			     r->hash[(size_t)block * u->units],
			 g->block_size / u->unit);
	r->n_events++;
}

static void send_batch(const struct publisher *u, void *socket,
		       const char *topic, int64_t number,
		       const struct buffer *payload)
{
	unsigned char n[8];
	for (int i = 0; i < 8; i++)
		n[i] = (unsigned char)((uint64_t)number >> (8 * (7 - i)));
	u->zmq.send(socket, topic, strlen(topic), ZMQ_SNDMORE);
	u->zmq.send(socket, n, sizeof n, ZMQ_SNDMORE);
	u->zmq.send(socket, payload->s, payload->n, 0);
}

static void forget_oldest(struct publisher_rank *r)
{
	struct buffer *b = &r->kept[r->oldest++ % PUBLISHER_KEEPS];
	r->kept_bytes -= b->n;
	buffer_free(b);
}

/* Sends the events so far as one batch, and keeps it for clients that ask
 * later. */
static void publish(struct publisher *u, struct publisher_rank *r)
{
	struct buffer batch = {0};
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	kv_event_batch(&batch, (double)now.tv_sec + 1e-9 * (double)now.tv_nsec,
		       r->n_events, &r->events, r->number);
	r->events.n = r->n_events = 0;
	send_batch(u, r->pub, r->topic, (int64_t)r->next, &batch);
	if (!r->kept) {
		r->next++;
		buffer_free(&batch);
		return;
	}
	if (r->next - r->oldest == PUBLISHER_KEEPS)
		forget_oldest(r);
	r->kept[r->next++ % PUBLISHER_KEEPS] = batch;
	r->kept_bytes += batch.n;
	while (r->kept_bytes > KEPT_BYTES / u->n && r->oldest < r->next)
		forget_oldest(r);
}

void publisher_take(struct publisher *u, uint32_t replica,
		    const struct block_change *x, struct kv_text *t)
{
	if (replica >= u->n)
		return;
	struct publisher_rank *r = &u->rank[replica];
	switch (x->kind) {
	case BLOCKS_STORED:
		stored(u, r, x, t);
		break;
	case BLOCKS_REMOVED:
		removed(u, r, x->block[0]);
		break;
	case BLOCKS_CLEARED:
		kv_event_cleared(&r->events, &u->format);
		r->n_events++;
		break;
	case BLOCKS_PROCESSED:
		if (r->n_events)
			publish(u, r);
	}
}

/* ---- again ---- */

/* Sends a batch to the client with that name; number -1: the end. */
static void answer(const struct publisher *u, const struct publisher_rank *r,
		   const char *client, size_t n, int64_t number)
{
	const struct buffer end = {0};
	u->zmq.send(r->replay, client, n, ZMQ_SNDMORE);
	u->zmq.send(r->replay, "", 0, ZMQ_SNDMORE);
	send_batch(u, r->replay, number < 0 ? "" : r->topic, number,
		   number < 0 ? &end
			      : &r->kept[(uint64_t)number % PUBLISHER_KEEPS]);
}

/* Answers a client that asks for the batches from a number on. */
static void replay(const struct publisher *u, struct publisher_rank *r)
{
	char frame[3][256];
	int size[3], n = 0, more = 1;
	while (more) {
		size_t length = sizeof more;
		char *to = frame[n < 3 ? n : 2];
		int got = u->zmq.recv(r->replay, to, 256, ZMQ_DONTWAIT);
		if (got < 0)
			return;
		size[n < 3 ? n : 2] = got;
		n++;
		u->zmq.getsockopt(r->replay, ZMQ_RCVMORE, &more, &length);
	}
	if (n != 3 || size[0] > 256 || size[1] != 0 || size[2] != 8)
		return;
	uint64_t first = 0;
	for (int i = 0; i < 8; i++)
		first = first << 8 | (unsigned char)frame[2][i];
	for (uint64_t i = first < r->oldest ? r->oldest : first; i < r->next;
	     i++)
		answer(u, r, frame[0], (size_t)size[0], (int64_t)i);
	answer(u, r, frame[0], (size_t)size[0], -1);
}

void publisher_replay(struct publisher *u)
{
	/* The descriptor says once that something came: look again. */
	enum { AT_ONCE = 4 };
	for (uint32_t i = 0; i < u->n; i++)
		for (int k = 0; u->rank[i].replay && k < AT_ONCE; k++)
			replay(u, &u->rank[i]);
}

void publisher_close(struct publisher *u)
{
	for (uint32_t i = 0; i < u->n; i++) {
		struct publisher_rank *r = &u->rank[i];
		if (r->pub)
			u->zmq.close(r->pub);
		if (r->replay)
			u->zmq.close(r->replay);
		while (r->kept && r->oldest < r->next)
			forget_oldest(r);
		buffer_free(&r->events);
		free(r->kept), free(r->hash), free(r->group);
	}
	if (u->context)
		u->zmq.ctx_term(u->context);
	free(u->rank);
}
