/* post.c -- Answers POSTs. */
#include "serve/post.h"
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "serve/header.h"
#include "serve/listen.h"

struct post {
	const struct post_options *o;
	struct mhd mhd;
	struct MHD_Daemon *http;
	int fd;
};
struct request_body {
	struct buffer text;
	int is_too_large;
};

static enum MHD_Result reply_with(const struct post *s,
				  struct MHD_Connection *c, int status,
				  const char *text, size_t n)
{
	struct MHD_Response *r = s->mhd.create_response_from_buffer(
	    n, (char *)(uintptr_t)text, MHD_RESPMEM_MUST_COPY);
	if (!r)
		return MHD_NO;
	s->mhd.add_response_header(r, "Content-Type", "application/json");
	enum MHD_Result rc = s->mhd.queue_response(c, (unsigned)status, r);
	s->mhd.destroy_response(r);
	return rc;
}

static enum MHD_Result refuse(const struct post *s, struct MHD_Connection *c,
			      int status, const char *what)
{
	struct buffer b = {0};
	buffer_say(&b, "{\"error\":\"%s\",\"code\":3}", what);
	enum MHD_Result rc = reply_with(s, c, status, b.s ? b.s : "", b.n);
	buffer_free(&b);
	return rc;
}

/* Answers a request when its body is complete, or refuses it. */
static enum MHD_Result answer(const struct post *s, struct MHD_Connection *c,
			      const struct request_body *b)
{
	struct buffer out = {0};
	if (b->is_too_large)
		return refuse(s, c, 413, "the body is too large");
	if (!header_names_json(&s->mhd, c))
		return refuse(s, c, 400,
			      "Content-Type must be application/json");
	if (header_names_other_site(&s->mhd, c))
		return refuse(s, c, 403, "the page of another site");
	int status = s->o->answer(s->o->user, b->text.s ? b->text.s : "",
				  b->text.n, &out);
	enum MHD_Result rc =
	    reply_with(s, c, status, out.s ? out.s : "", out.n);
	buffer_free(&out);
	return rc;
}

static enum MHD_Result on_call(void *cls, struct MHD_Connection *c,
			       const char *url, const char *method,
			       const char *version, const char *data, size_t *n,
			       void **con_cls)
{
	const struct post *s = cls;
	struct request_body *b = *con_cls;
	(void)version;
	if (!b) {
		*con_cls = b = calloc(1, sizeof *b);
		if (!b)
			return MHD_NO;
		return header_find_ambiguity(&s->mhd, c)
			   ? refuse(s, c, 400, "ambiguous lengths")
			   : MHD_YES;
	}
	if (*n) {
		b->is_too_large |= b->text.n + *n > s->o->most_body;
		if (!b->is_too_large)
			buffer_add(&b->text, data, *n);
		*n = 0;
		return MHD_YES;
	}
	if (!strcmp(url, "/") && !strcmp(method, "GET"))
		return reply_with(s, c, 200, s->o->greeting,
				  strlen(s->o->greeting));
	if (strcmp(url, s->o->path) != 0)
		return refuse(s, c, 404, "not found");
	if (strcmp(method, "POST") != 0)
		return refuse(s, c, 405, "method not allowed");
	return answer(s, c, b);
}

static void on_completed(void *cls, struct MHD_Connection *c, void **con_cls,
			 enum MHD_RequestTerminationCode why)
{
	struct request_body *b = *con_cls;
	(void)cls, (void)c, (void)why;
	if (b)
		buffer_free(&b->text);
	free(b);
	*con_cls = NULL;
}

static int start(struct post *s, struct problem *p)
{
	enum { HEADERS = 49152, IDLE_S = 75, CONNECTIONS = 512 };
	s->http = s->mhd.start_daemon(
	    MHD_USE_EPOLL, 0, NULL, NULL, on_call, s, MHD_OPTION_LISTEN_SOCKET,
	    s->fd, MHD_OPTION_NOTIFY_COMPLETED, on_completed, s,
	    MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)HEADERS,
	    MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE_S,
	    MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS,
	    MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_END);
	return s->http ? 0
		       : problem_set(p, EXIT_USAGE,
				     "libmicrohttpd cannot be started");
}

/* Serves requests until look() ends it. */
static void loop(struct post *s)
{
	enum { LOOK_MS = 200 };
	const union MHD_DaemonInfo *i =
	    s->mhd.get_daemon_info(s->http, MHD_DAEMON_INFO_EPOLL_FD);
	do {
		struct pollfd at[2] = {
		    {.fd = i ? i->epoll_fd : -1, .events = POLLIN},
		    {.fd = s->o->fd, .events = POLLIN}};
		MHD_UNSIGNED_LONG_LONG ms = 0;
		do {
			s->mhd.run(s->http);
		} while (s->mhd.get_timeout(s->http, &ms) == MHD_YES &&
			 ms == 0);
		poll(at, 2, LOOK_MS);
	} while (s->o->look(s->o->user) == 0);
}

int post_serve(const struct post_options *o, struct problem *p)
{
	struct post s = {.o = o};
	int port, local;
	if (mhd_load(&s.mhd, p) < 0)
		return -1;
	s.fd = listen_open(o->listen, &port, &local, p);
	if (s.fd < 0)
		return -1;
	if (start(&s, p) < 0) {
		close(s.fd);
		return -1;
	}
	o->listens(o->user, port, local);
	loop(&s);
	s.mhd.stop_daemon(s.http);
	return 0;
}
