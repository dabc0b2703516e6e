/* serve/http.h -- HTTP in the server's own loop: libmicrohttpd parses and
 * writes, and calls the endpoints.  [one thread] */
#pragma once
#include "serve/server.h"

/* Listens as keys.listen and keys.ports say, and sets s->port.  Returns 0, or
 * -1 with *p filled in. */
int http_listen(struct server *s, uint32_t replicas, struct problem *p);
/* Begins to answer.  Returns 0, or -1 with *p filled in. */
int http_start(struct server *s, struct problem *p);
/* Runs libmicrohttpd until it has nothing to do.  Returns the ns until it wants
 * to run again, or INT64_MAX. */
int64_t http_run(struct server *s);
/* Takes no more connections. */
void http_stop_listening(struct server *s);
/* Ends connections that take too long to send a request. */
void http_end_slow(struct server *s);
void http_stop(struct server *s);
