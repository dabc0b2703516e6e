/* serve/publisher.h -- the events of the replicas' KV caches over ZMQ, as vLLM
 * sends them, and those sent before to whoever asks again.
 *
 * A PUB socket for each replica: topic, sequence number, a batch of events in
 * msgpack.  A batch leaves when the engine has processed a batch of tokens.  A
 * ROUTER socket takes the first number that a client wants, and answers with
 * all batches since, then number -1.  [one thread] */
#pragma once
#include "api/kv_event.h"
#include "api/serve_keys.h"
#include "live/message.h"
#include "serve/zmq.h"

enum { PUBLISHER_KEEPS = 10000, PUBLISHER_GROUPS = 64 };

struct publisher_rank {
	void *pub, *replay; /* sockets; replay NULL: none */
	int replay_fd;      /* ready when a client may ask; -1: none */
	char topic[512];
	uint32_t number; /* in the batches */
	struct buffer events;
	size_t n_events;
	/* The last batches: batch i at i % PUBLISHER_KEEPS. */
	struct buffer *kept;
	uint64_t oldest, next;
	size_t kept_bytes;
	/* For each block of the cache: its hashes, and its group. */
	unsigned char (*hash)[SHA256_DIGEST_LENGTH]; /* [n_blocks * units] */
	uint32_t *group, n_blocks;
};
struct publisher {
	struct zmq zmq;
	void *context; /* NULL: nothing is published */
	struct kv_format format;
	const char *seed;
	struct kv_group group[PUBLISHER_GROUPS];
	uint32_t unit, units; /* tokens of a hash; hashes of a block at most */
	struct publisher_rank *rank;
	uint32_t n;
	int out_of_memory;
};
/* Opens the sockets if the keys ask for them.  port: of HTTP; each: replica i
 * has port + i of its own.  Returns 0, or -1 with *p filled in; the caller
 * calls publisher_close() in either case. */
int publisher_open(struct publisher *u, const struct serve_keys *k,
		   const struct live_facts *f, int port, int each,
		   struct problem *p);
/* A change in a replica's cache; t: the text of its request, NULL: unknown. */
void publisher_take(struct publisher *u, uint32_t replica,
		    const struct block_change *x, struct kv_text *t);
/* Answers those who ask for batches again. */
void publisher_replay(struct publisher *u);
void publisher_close(struct publisher *u);
