/* http.c -- Lets libmicrohttpd call the endpoints, and passes answers back. */
#include "serve/http.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>
#include "serve/call.h"
#include "serve/header.h"
#include "serve/listen.h"

/* A connection that may be too slow. */
struct link {
	struct server *s;
	int fd;
	int64_t deadline_ns; /* wall; 0: its request is complete */
	struct link *next, *previous;
};
static struct link *first_link(const struct server *s)
{
	return s->links;
}

/* ---- answers ---- */

static void add_headers(struct MHD_Response *r, const struct call *c)
{
	const struct flight *f = c->flight;
	char text[32];
	if (f && f->id)
		c->s->mhd.add_response_header(r, "X-Request-Id", f->id);
	else if (c->id)
		c->s->mhd.add_response_header(r, "X-Request-Id", c->id);
	if (f && f->replica != UINT32_MAX) {
		snprintf(text, sizeof text, "%u", f->replica);
		c->s->mhd.add_response_header(r, "X-Stepcost-Replica", text);
	}
	if (*c->s->keys.pod) {
		c->s->mhd.add_response_header(r, "x-inference-pod",
					      c->s->keys.pod);
		snprintf(text, sizeof text, "%d", c->at->number);
		c->s->mhd.add_response_header(r, "x-inference-port", text);
	}
	if (c->closes)
		c->s->mhd.add_response_header(r, "Connection", "close");
	if (c->allow)
		c->s->mhd.add_response_header(r, "Allow", c->allow);
}

static enum MHD_Result send_text(const struct call *c, int status,
				 const struct buffer *b)
{
	struct MHD_Response *r = c->s->mhd.create_response_from_buffer(
	    b->n, b->n ? b->s : (char *)(uintptr_t) "", MHD_RESPMEM_MUST_COPY);
	if (!r)
		return MHD_NO;
	if (b->n)
		c->s->mhd.add_response_header(
		    r, "Content-Type", c->type ? c->type : "application/json");
	if (c->type && !strncmp(c->type, "text/html", 9))
		c->s->mhd.add_response_header(
		    r, "Content-Security-Policy",
		    "default-src 'none'; script-src 'self'; style-src 'self' "
		    "'unsafe-inline'; connect-src 'self'");
	if (status == 503 || status == 429)
		c->s->mhd.add_response_header(r, "Retry-After", "1");
	add_headers(r, c);
	enum MHD_Result rc =
	    c->s->mhd.queue_response(c->connection, (unsigned)status, r);
	c->s->mhd.destroy_response(r);
	return rc;
}

/* Suspends the connection until flight_resume(). */
static void suspend(struct flight *f)
{
	f->is_suspended = 1;
	f->s->mhd.suspend_connection(f->connection);
}

/* Sends a reset; an end of file comes with the close. */
static void reset_socket(int fd)
{
	const struct sockaddr nobody = {.sa_family = AF_UNSPEC};
	(void)connect(fd, &nobody, sizeof nobody);
}

static ssize_t read_stream(void *cls, uint64_t pos, char *to, size_t most)
{
	struct flight *f = cls;
	size_t n = f->out.n - f->sent;
	(void)pos;
	if (f->stalled_until_ns)
		n = f->leaves;
	if (f->is_gone && (n == 0 || !f->ends_with_error)) {
		if (f->ends_with_error)
			reset_socket(f->fd);
		return MHD_CONTENT_READER_END_WITH_ERROR;
	}
	if (n) {
		n = n < most ? n : most;
		memcpy(to, f->out.s + f->sent, n);
		f->sent += n;
		f->leaves -= f->stalled_until_ns ? n : 0;
		if (f->sent == f->out.n)
			f->sent = f->out.n = 0;
		return (ssize_t)n;
	}
	if (f->is_complete && !f->stalled_until_ns)
		return MHD_CONTENT_READER_END_OF_STREAM;
	suspend(f);
	return 0;
}

static enum MHD_Result send_stream(const struct call *c)
{
	struct MHD_Response *r = c->s->mhd.create_response_from_callback(
	    MHD_SIZE_UNKNOWN, 8192, read_stream, c->flight, NULL);
	if (!r)
		return MHD_NO;
	c->s->mhd.add_response_header(r, "Content-Type",
				      "text/event-stream; charset=utf-8");
	c->s->mhd.add_response_header(r, "Cache-Control", "no-store");
	add_headers(r, c);
	c->flight->state = FLIGHT_STREAMS;
	enum MHD_Result rc =
	    c->s->mhd.queue_response(c->connection, MHD_HTTP_OK, r);
	c->s->mhd.destroy_response(r);
	return rc;
}

static enum MHD_Result reset(const struct call *c)
{
	const union MHD_ConnectionInfo *i = c->s->mhd.get_connection_info(
	    c->connection, MHD_CONNECTION_INFO_CONNECTION_FD);
	if (i)
		reset_socket(i->connect_fd);
	return MHD_NO;
}

static enum MHD_Result answer_flight(struct call *c)
{
	struct flight *f = c->flight;
	if (f->is_gone)
		return MHD_NO;
	if (f->state == FLIGHT_DONE && f->error.status) {
		struct buffer b = {0};
		api_error_write(&f->error, &b);
		enum MHD_Result rc = send_text(c, f->error.status, &b);
		buffer_free(&b);
		return rc;
	}
	if (f->state == FLIGHT_DONE && !f->stalled_until_ns)
		return send_text(c, MHD_HTTP_OK, &f->out);
	if (f->body.stream && f->replica != UINT32_MAX)
		return send_stream(c);
	suspend(f);
	return MHD_YES;
}

/* ---- requests ---- */

/* Makes the call of a new request.  Refuses a body that is too large before it
 * is sent. */
static enum MHD_Result begin(struct port *at, struct MHD_Connection *c,
			     void **con_cls)
{
	struct server *s = at->s;
	struct call *call = calloc(1, sizeof *call);
	if (!call)
		return MHD_NO;
	call->s = s;
	call->at = at;
	call->connection = c;
	*con_cls = call;
	int is_ambiguous = header_find_ambiguity(&s->mhd, c);
	const char *length = call_header(call, "Content-Length");
	if (!is_ambiguous &&
	    (!length || strtoull(length, NULL, 10) <=
			    (unsigned long long)s->keys.max_body))
		return MHD_YES;
	/* Before the body is sent. */
	call->closes = 1;
	if (is_ambiguous)
		call_fail(
		    call, 400, "Bad Request", NULL,
		    "Content-Length and Transfer-Encoding are ambiguous.");
	else
		call_fail(call, 413, "Bad Request", NULL,
			  "The body is too large.");
	return send_text(call, call->status, &call->out);
}

static void take_data(struct call *c, const char *data, size_t n)
{
	struct server *s = c->s;
	if (c->body.n + n > (size_t)s->keys.max_body)
		c->is_too_large = 1;
	if (s->body_bytes + n > (uint64_t)s->keys.max_bodies)
		c->lacks_room = 1;
	if (c->is_too_large || c->lacks_room)
		return;
	buffer_add(&c->body, data, n);
	c->counted += n;
	s->body_bytes += n;
}

static void request_is_complete(const struct call *c)
{
	const union MHD_ConnectionInfo *i = c->s->mhd.get_connection_info(
	    c->connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
	struct link *l = i ? i->socket_context : NULL;
	if (l)
		l->deadline_ns = 0;
}

static enum MHD_Result on_call(void *cls, struct MHD_Connection *connection,
			       const char *url, const char *method,
			       const char *version, const char *data,
			       size_t *n_data, void **con_cls)
{
	struct call *c = *con_cls;
	(void)version;
	if (!c)
		return begin(cls, connection, con_cls);
	if (*n_data) {
		take_data(c, data, *n_data);
		*n_data = 0;
		return MHD_YES;
	}
	if (c->flight)
		return answer_flight(c);
	c->path = url;
	c->method = method;
	request_is_complete(c);
	endpoint_call(c);
	c->s->body_bytes -= c->counted;
	c->counted = 0;
	buffer_free(&c->body);
	if (c->status < 0)
		return reset(c);
	return c->status ? send_text(c, c->status, &c->out) : answer_flight(c);
}

static void on_completed(void *cls, struct MHD_Connection *connection,
			 void **con_cls, enum MHD_RequestTerminationCode why)
{
	struct call *c = *con_cls;
	(void)cls, (void)why;
	if (!c)
		return;
	const union MHD_ConnectionInfo *i = c->s->mhd.get_connection_info(
	    connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
	struct link *l = i ? i->socket_context : NULL;
	if (l)
		l->deadline_ns = server_wall_ns() +
				 (int64_t)(1e9 * (c->s->keys.idle_seconds +
						  c->s->keys.request_seconds));
	c->s->body_bytes -= c->counted;
	flight_free(c->flight);
	buffer_free(&c->body);
	buffer_free(&c->out);
	free(c);
	*con_cls = NULL;
}

/* ---- connections ---- */

static void on_connection(void *cls, struct MHD_Connection *connection,
			  void **context,
			  enum MHD_ConnectionNotificationCode what)
{
	struct server *s = ((struct port *)cls)->s;
	struct link *l = *context;
	if (what == MHD_CONNECTION_NOTIFY_STARTED) {
		const union MHD_ConnectionInfo *i = s->mhd.get_connection_info(
		    connection, MHD_CONNECTION_INFO_CONNECTION_FD);
		l = calloc(1, sizeof *l);
		if (!l)
			return;
		*l = (struct link){
		    .s = s, .fd = i ? i->connect_fd : -1, .next = s->links};
		l->deadline_ns =
		    server_wall_ns() + (int64_t)(1e9 * s->keys.request_seconds);
		if (s->links)
			s->links->previous = l;
		s->links = l;
		s->connections++;
		*context = l;
		return;
	}
	if (!l)
		return;
	if (l->previous)
		l->previous->next = l->next;
	else
		s->links = l->next;
	if (l->next)
		l->next->previous = l->previous;
	s->connections--;
	free(l);
	*context = NULL;
}

void http_end_slow(struct server *s)
{
	int64_t now = server_wall_ns();
	for (struct link *l = first_link(s); l; l = l->next)
		if (l->deadline_ns && l->deadline_ns < now && l->fd >= 0) {
			shutdown(l->fd, SHUT_RDWR);
			l->deadline_ns = 0;
		}
}

/* ---- the daemons ---- */

/* The same address with another port. */
static void next_address(const char *listen, int number, char to[600])
{
	const char *colon = strrchr(listen, ':');
	snprintf(to, 600, "%.*s:%d",
		 (int)(colon && colon - listen < 500 ? colon - listen : 0),
		 listen, number);
}

/* Opens the ports that are not yet open. */
static int listen_all(struct server *s, uint32_t n, uint32_t replicas,
		      struct problem *p)
{
	char address[600];
	for (; s->n_ports < n; s->n_ports++) {
		uint32_t i = s->n_ports;
		struct port *at = &s->port[i];
		int local = 1;
		*at = (struct port){.s = s, .first = i, .n = replicas / n};
		if (i)
			next_address(s->keys.listen, s->port[0].number + (int)i,
				     address);
		at->listen_fd = listen_open(i ? address : s->keys.listen,
					    &at->number, &local, p);
		if (at->listen_fd < 0)
			return -1;
		s->is_open_to_others = !local;
	}
	return 0;
}

int http_listen(struct server *s, uint32_t replicas, struct problem *p)
{
	const char *colon = strrchr(s->keys.listen, ':');
	uint32_t n = s->keys.ports == PORTS_EACH ? replicas : 1;
	int tries = colon && !strcmp(colon, ":0") ? 20 : 1;
	s->port = calloc(n, sizeof *s->port);
	if (!s->port)
		return problem_no_memory(p);
	if (n > 1 && !strncmp(s->keys.listen, "unix:", 5))
		return problem_set(
		    p, EXIT_USAGE,
		    "serve.ports = each needs ports: serve.listen "
		    "= %s",
		    s->keys.listen);
	/* The port after one that was free may be another program's. */
	while (listen_all(s, n, replicas, p) < 0) {
		if (--tries == 0 || s->n_ports == 0)
			return -1;
		while (s->n_ports > 0)
			close(s->port[--s->n_ports].listen_fd);
	}
	return 0;
}

/* Raises the limit of open files to what the connections need. */
static unsigned most_connections(const struct server *s)
{
	struct rlimit r;
	rlim_t wanted = (rlim_t)s->keys.max_connections + 64;
	if (getrlimit(RLIMIT_NOFILE, &r) < 0)
		return 512;
	if (r.rlim_cur < wanted) {
		r.rlim_cur = wanted < r.rlim_max ? wanted : r.rlim_max;
		setrlimit(RLIMIT_NOFILE, &r);
	}
	return (unsigned)(r.rlim_cur < wanted ? r.rlim_cur - 64 : wanted - 64);
}

static void no_log(void *cls, const char *fmt, va_list ap)
{
	(void)cls, (void)fmt, (void)ap;
}

static int start(struct port *at, struct problem *p)
{
	struct server *s = at->s;
	at->http = s->mhd.start_daemon(
	    MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, on_call,
	    at, MHD_OPTION_EXTERNAL_LOGGER, no_log, NULL,
	    MHD_OPTION_LISTEN_SOCKET, at->listen_fd,
	    MHD_OPTION_NOTIFY_COMPLETED, on_completed, s,
	    MHD_OPTION_NOTIFY_CONNECTION, on_connection, at,
	    MHD_OPTION_CONNECTION_MEMORY_LIMIT,
	    (size_t)s->keys.max_header + 16384, MHD_OPTION_CONNECTION_TIMEOUT,
	    (unsigned)(s->keys.idle_seconds + 1), MHD_OPTION_CONNECTION_LIMIT,
	    most_connections(s), MHD_OPTION_STRICT_FOR_CLIENT, 1,
	    MHD_OPTION_END);
	if (!at->http)
		return problem_set(p, EXIT_USAGE,
				   "libmicrohttpd cannot be started");
	const union MHD_DaemonInfo *i =
	    s->mhd.get_daemon_info(at->http, MHD_DAEMON_INFO_EPOLL_FD);
	struct epoll_event e = {.events = EPOLLIN};
	if (!i || epoll_ctl(s->epoll_fd, EPOLL_CTL_ADD, i->epoll_fd, &e) < 0)
		return problem_set(p, EXIT_USAGE, "libmicrohttpd has no epoll");
	return 0;
}

int http_start(struct server *s, struct problem *p)
{
	for (uint32_t i = 0; i < s->n_ports; i++)
		if (start(&s->port[i], p) < 0)
			return -1;
	return 0;
}

static int64_t run(const struct port *at)
{
	MHD_UNSIGNED_LONG_LONG ms = 0;
	const struct mhd *mhd = &at->s->mhd;
	enum { TURNS = 64 }; /* then the arms have theirs */
	for (int i = 0; at->http && i < TURNS; i++) {
		mhd->run(at->http);
		if (mhd->get_timeout(at->http, &ms) != MHD_YES)
			return INT64_MAX;
		if (ms)
			return (int64_t)ms * 1000000;
	}
	return at->http ? 0 : INT64_MAX;
}

int64_t http_run(struct server *s)
{
	int64_t first = INT64_MAX;
	for (uint32_t i = 0; i < s->n_ports; i++) {
		int64_t ns = run(&s->port[i]);
		first = ns < first ? ns : first;
	}
	return first;
}

void http_stop_listening(struct server *s)
{
	for (uint32_t i = 0; i < s->n_ports; i++) {
		struct port *at = &s->port[i];
		MHD_socket fd = at->listen_fd < 0
				    ? MHD_INVALID_SOCKET
				    : s->mhd.quiesce_daemon(at->http);
		if (fd != MHD_INVALID_SOCKET)
			close(fd);
		at->listen_fd = -1;
	}
}

void http_stop(struct server *s)
{
	for (uint32_t i = 0; i < s->n_ports; i++) {
		struct port *at = &s->port[i];
		if (at->http)
			s->mhd.stop_daemon(at->http);
		else if (at->listen_fd >= 0)
			close(at->listen_fd);
	}
	free(s->port);
	s->port = NULL;
	s->n_ports = 0;
}
