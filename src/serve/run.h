/* serve/run.h -- serves until a signal or the end of the time. */
#pragma once
#include "serve/server.h"

struct serve_options {
	const char *record, *write_requests, *write_steps;
	double duration_s, max_lag_s, answer_limit_s, memory_limit_gib;
};
/* Called when the server listens, and when it is ready; and with warnings. */
struct serve_says {
	void (*listens)(void *user, const struct server *s);
	void (*ready)(void *user);
	void (*warns)(void *user, const char *text);
	void *user;
};
/* Serves the configuration.  requests, steps: rows go there at the end; NULL:
 * not wanted.  Returns 0, or -1 with *p filled in; s->stop_signal: the signal
 * that ended it at once.  The caller calls server_close() in either case. */
int server_run(struct server *s, const struct config *c,
	       const struct serve_options *o, const struct serve_says *says,
	       FILE *requests, FILE *steps, struct problem *p);
void server_close(struct server *s);
