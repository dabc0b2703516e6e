/* serve/zmq.h -- libzmq, loaded when KV events are asked for.  Its ABI is
 * stable since version 3; the numbers of its options are from zmq.h, which need
 * not be installed. */
#pragma once
#include <stddef.h>
#include "base/problem.h"

enum { ZMQ_PUB = 1, ZMQ_ROUTER = 6 };
enum { ZMQ_FD = 14, ZMQ_LINGER = 17, ZMQ_SNDHWM = 23, ZMQ_RCVMORE = 13 };
enum { ZMQ_DONTWAIT = 1, ZMQ_SNDMORE = 2 };

struct zmq {
	void *library; /* NULL: not loaded */
	void *(*ctx_new)(void);
	int (*ctx_term)(void *context);
	void *(*make)(void *context, int type);
	int (*close)(void *socket);
	int (*setsockopt)(void *socket, int option, const void *v, size_t n);
	int (*getsockopt)(void *socket, int option, void *v, size_t *n);
	int (*bind)(void *socket, const char *endpoint);
	int (*connect)(void *socket, const char *endpoint);
	int (*send)(void *socket, const void *s, size_t n, int flags);
	int (*recv)(void *socket, void *s, size_t n, int flags);
	int (*last_error)(void);
	const char *(*strerror)(int error);
};
/* Returns 0, or -1 with *p filled in (EXIT_USAGE). */
int zmq_load(struct zmq *z, struct problem *p);
