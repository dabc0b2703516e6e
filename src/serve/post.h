/* serve/post.h -- a small HTTP server: each POST of JSON to one path is
 * answered by a function, one after another; GET / tells what the server is.
 * [main] */
#pragma once
#include <stddef.h>
#include "api/buffer.h"
#include "base/problem.h"

struct post_options {
	const char *listen; /* HOST:PORT, … (listen.h) */
	const char *path;   /* of POST */
	const char *greeting;
	size_t most_body; /* bytes */
	/* Answers a body.  Returns the HTTP status. */
	int (*answer)(void *user, const char *body, size_t n,
		      struct buffer *out);
	/* Called once it listens on that port; local: 1 if only this machine
	 * reaches it. */
	void (*listens)(void *user, int port, int local);
	/* Called now and then, and when `fd` has something to read.  Returns
	 * 0, or -1 to end. */
	int (*look)(void *user);
	int fd;
	void *user;
};
/* Serves until look() says so.  Returns 0, or -1 with *p filled in. */
int post_serve(const struct post_options *o, struct problem *p);
