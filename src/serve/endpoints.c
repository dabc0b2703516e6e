/* endpoints.c -- Answers the requests to each path of the server. */
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include "base/hash.h"
#include "base/utf8.h"
#include "serve/adapters.h"
#include "serve/call.h"
#include "serve/header.h"
#include "serve/status.h"

static const char wrong[] = "BadRequestError";
static const char unavailable[] = "ServiceUnavailableError";

const char *call_header(const struct call *c, const char *name)
{
	return c->s->mhd.lookup_connection_value(c->connection, MHD_HEADER_KIND,
						 name);
}

int call_fail(struct call *c, int status, const char *type, const char *param,
	      const char *what)
{
	struct api_error e;
	api_error_set(&e, status, type, param, "%s", what);
	c->out.n = 0;
	api_error_write(&e, &c->out);
	return c->status = status;
}

static void fail_with(struct call *c, const struct api_error *e)
{
	c->out.n = 0;
	api_error_write(e, &c->out);
	c->status = e->status;
}

/* ---- requests ---- */

static int known_model(const struct server *s, const char *name)
{
	return !name || !*name || names_have(&s->models, name) ||
	       server_adapter(s, name);
}

static int is_utf8(const char *s, size_t n)
{
	size_t i = 0, length = 1;
	for (; i < n && length; i += length)
		length = utf8_length(s + i, n - i);
	return length > 0;
}

/* Returns 1 for an id of 1 to 256 visible characters. */
static int is_id(const char *s)
{
	size_t n = s ? strlen(s) : 0;
	if (n == 0 || n > 256)
		return 0;
	for (size_t i = 0; i < n; i++)
		if (s[i] < 0x21 || s[i] > 0x7e)
			return 0;
	return 1;
}

static char *make_id(const struct call *c, const struct body *b)
{
	const char *given = call_header(c, "X-Request-Id");
	char text[24];
	if (is_id(given))
		return strdup(given);
	if (is_id(b->request_id))
		return strdup(b->request_id);
	uint64_t h = hash_mix((uint64_t)server_wall_ns() ^
			      hash_mix(c->s->next_row + c->s->n_orders));
	snprintf(text, sizeof text, "%016" PRIx64, h);
	return strdup(text);
}

/* Reads the body.  Returns 0, or -1 when the answer is an error. */
static int read_body(struct call *c, struct body *b)
{
	const struct server *s = c->s;
	struct api_error e;
	const struct body_limits limits = {
	    .max_model_len = s->live.arm[0].facts.max_model_len,
	    .max_prompts = s->keys.max_prompts,
	    .max_n = s->keys.max_n,
	    .image_tokens = (uint32_t)s->keys.image_tokens,
	    .chars = s->chars,
	    .json_depth = (int)s->keys.json_depth};
	if (body_read(c->kind, c->body.s ? c->body.s : "", c->body.n, &limits,
		      b, &e) < 0) {
		fail_with(c, &e);
		return -1;
	}
	if (known_model(s, b->model))
		return 0;
	api_error_set(&e, 404, "NotFoundError", "model",
		      "The model `%.200s` does not exist.", b->model);
	fail_with(c, &e);
	return -1;
}

/* The replica that a header asks for.  Returns 0, or -1 when the answer is an
 * error; *pinned: 1 + replica, or 0. */
static int read_rank(struct call *c, uint32_t *pinned)
{
	const struct live_facts *f = &c->s->live.arm[0].facts;
	const char *text = call_header(c, "X-data-parallel-rank");
	char *end;
	*pinned = 0;
	int is_one = c->s->keys.ports == PORTS_EACH;
	if (is_one)
		*pinned = 1 + c->at->first;
	if (!text || !*text)
		return 0;
	long n = strtol(text, &end, 10);
	if (*end)
		return 0;
	if (n < 0 || (uint64_t)n >= (is_one ? 1 : f->replicas) ||
	    f->prefill_replicas || f->scales) {
		call_fail(c, 400, wrong, NULL,
			  "X-data-parallel-rank is not one of the replicas.");
		return -1;
	}
	*pinned = 1 + c->at->first + (uint32_t)n;
	return 0;
}

/* Sets *to to the session of the header; NULL: it has none. */
static int read_session(struct call *c, const char **to)
{
	*to = call_header(c, "X-Session-Id");
	if (!*to || is_utf8(*to, strlen(*to)))
		return 0;
	call_fail(c, 400, wrong, NULL, "X-Session-Id is not UTF-8.");
	return -1;
}

static int read_fault(struct call *c, struct fault *to)
{
	struct server *s = c->s;
	const char *text = call_header(c, "X-Stepcost-Fault");
	*to =
	    fault_draw(&s->faults, (uint64_t)s->keys.seed, s->n_fault_draws++);
	if (text && fault_parse(text, strlen(text), to) < 0) {
		call_fail(c, 400, wrong, NULL,
			  "X-Stepcost-Fault: not 429, 500, 503, reset, cut:N "
			  "or stall:SECONDS.");
		return -1;
	}
	s->measures.faults[to->kind]++;
	return 0;
}

/* Returns 1 if the fault is the answer. */
static int answer_fault(struct call *c, struct fault *f, int streams)
{
	static const struct {
		int status;
		const char *type, *what;
	} refused[N_FAULTS] = {
	    [FAULT_429] = {429, "TooManyRequestsError",
			   "Too many requests (a fault on demand)."},
	    [FAULT_500] = {500, "InternalServerError",
			   "Internal error (a fault on demand)."},
	    [FAULT_503] = {503, unavailable,
			   "Unavailable (a fault on demand)."},
	};
	if (f->kind == FAULT_CUT && !streams)
		f->kind = FAULT_RESET;
	if (refused[f->kind].status)
		return call_fail(c, refused[f->kind].status,
				 refused[f->kind].type, NULL,
				 refused[f->kind].what);
	if (f->kind != FAULT_RESET)
		return 0;
	c->status = -1;
	return 1;
}

static uint64_t waiting(const struct port *at)
{
	const struct live_arm *a = &at->s->live.arm[0];
	uint64_t n = 0;
	for (uint32_t i = at->first; i < at->first + at->n; i++)
		n += a->load[i].waiting;
	return n;
}

/* Returns 1 if the server takes no requests now. */
static int answer_unavailable(struct call *c)
{
	const struct server *s = c->s;
	if (server_is_dead(s))
		return call_fail(c, 500, "InternalServerError", NULL,
				 "The engine is dead.");
	const char *why = s->is_draining        ? "The server shuts down."
			  : !server_is_ready(s) ? "The server starts."
			  : c->at->sleep_level  ? "The server sleeps."
						: NULL;
	if (why)
		return call_fail(c, 503, unavailable, NULL, why);
	if (s->keys.max_waiting &&
	    waiting(c->at) >= (uint64_t)s->keys.max_waiting)
		return call_fail(c, 429, "TooManyRequestsError", NULL,
				 "Too many requests wait.");
	return 0;
}

/* Notices when its client goes away. */
static void watch(struct flight *f)
{
	const union MHD_ConnectionInfo *i = f->s->mhd.get_connection_info(
	    f->connection, MHD_CONNECTION_INFO_CONNECTION_FD);
	struct epoll_event e = {.events = EPOLLRDHUP, .data.ptr = f};
	f->fd = i ? i->connect_fd : -1;
	if (f->fd >= 0)
		f->is_watched =
		    epoll_ctl(f->s->epoll_fd, EPOLL_CTL_ADD, f->fd, &e) == 0;
}

static struct flight *new_flight(struct call *c, struct body *b)
{
	struct flight *f = calloc(1, sizeof *f);
	if (!f)
		return NULL;
	f->s = c->s;
	f->at = c->at;
	f->connection = c->connection;
	f->replica = UINT32_MAX;
	f->body = *b;
	*b = (struct body){0};
	f->id = make_id(c, &f->body);
	f->reply = (struct reply){
	    .body = &f->body,
	    .id = f->id,
	    .model = server_adapter(c->s, f->body.model) ? f->body.model
							 : c->s->models.item[0],
	    .fingerprint = c->s->fingerprint,
	    .created = (int64_t)time(NULL),
	    .tells_cached = (int)c->s->keys.prompt_tokens_details};
	flight_open(f);
	if (f->id)
		return f;
	flight_free(f);
	return NULL;
}

/* Begins to answer a request for a completion, or answers with an error. */
static void generate(struct call *c)
{
	struct body b = {0};
	const char *session;
	uint32_t pinned;
	struct fault fault;
	if (answer_unavailable(c) || read_fault(c, &fault) < 0)
		return;
	if (read_body(c, &b) < 0 || answer_fault(c, &fault, b.stream) ||
	    read_rank(c, &pinned) < 0 || read_session(c, &session) < 0) {
		body_free(&b);
		return;
	}
	struct flight *f = new_flight(c, &b);
	body_free(&b);
	if (!f) {
		call_fail(c, 503, unavailable, NULL, "no memory");
		return;
	}
	f->fault = fault;
	watch(f);
	if (flight_begin(f, pinned, session ? session : f->body.user) < 0) {
		fail_with(c, &f->error);
		flight_free(f);
		return;
	}
	c->flight = f;
}

/* Answers with what a body becomes: its tokens, their text, or the request. */
static void convert(struct call *c)
{
	uint64_t most = c->s->live.arm[0].facts.max_model_len;
	struct body b = {0};
	char *id = NULL;
	if (c->kind == BODY_DETOKENIZE && c->s->chars) {
		call_fail(c, 501, "NotImplementedError", NULL,
			  "serve.tokens = chars:N has no way back to texts.");
	} else if (read_body(c, &b) == 0) {
		c->status = 200;
		if (c->kind == BODY_TOKENIZE)
			reply_tokenize(&b, most, &c->out);
		else if (c->kind == BODY_DETOKENIZE)
			reply_detokenize(&b, &c->out);
		else if ((id = make_id(c, &b)))
			reply_render(&b, id, c->s->models.item[0], most,
				     &c->out);
		else
			call_fail(c, 503, unavailable, NULL, "no memory");
	}
	free(id);
	body_free(&b);
}

/* Empties the prefix caches; the answer waits for that. */
static void begin_reset(struct call *c, int is_silent)
{
	struct body b = {0};
	struct flight *f = new_flight(c, &b);
	if (!f) {
		call_fail(c, 503, unavailable, NULL, "no memory");
		return;
	}
	f->is_silent = is_silent;
	c->flight = f;
	if (is_silent) {
		c->at->sleeper = f;
		c->at->sleep_stamp_ns = c->s->live.stamp_ns;
	} else {
		flight_reset(f);
	}
}

static void reset_cache(struct call *c)
{
	if (!answer_unavailable(c))
		begin_reset(c, 0);
}

/* What runs is aborted; from level 1 on the caches are emptied. */
static void sleep_now(struct call *c)
{
	const char *level = c->s->mhd.lookup_connection_value(
	    c->connection, MHD_GET_ARGUMENT_KIND, "level");
	long n = level ? strtol(level, NULL, 10) : 1;
	if (answer_unavailable(c))
		return;
	if (n < 0 || n > 2) {
		call_fail(c, 400, wrong, "level", "level: 0, 1 or 2.");
		return;
	}
	flights_abort(c->s, c->at);
	c->at->sleep_level = n ? (int)n : -1;
	if (n)
		begin_reset(c, 1);
	else
		c->status = 200;
}

static void wake_up(struct call *c)
{
	c->at->sleep_level = 0;
	c->status = 200;
}

static void show_sleep(struct call *c)
{
	buffer_say(&c->out, "{\"is_sleeping\":%s}",
		   c->at->sleep_level ? "true" : "false");
	c->status = 200;
}

/* ---- who may, and what there is ---- */

enum {
	GET = 1,
	POST = 2,
	NEEDS_BODY = 4,
	NEEDS_KEY = 8,
	IS_LOCAL = 16,
	NEEDS_DEV = 32
};
#define GUARDED NEEDS_KEY | IS_LOCAL
/* POST with a body of that kind. */
#define READS(kind) POST | NEEDS_BODY | (kind) << 6
static const struct {
	const char *path;
	int allows; /* a set of the above */
	void (*get)(struct call *c);
	void (*post)(struct call *c);
} endpoint[] = {
    {"/health", GET, status_health, NULL},
    {"/ping", GET | POST, status_health, status_health},
    {"/version", GET, status_version, NULL},
    {"/v1/models", GET | NEEDS_KEY, status_models, NULL},
    {"/metrics", GET, status_metrics, NULL},
    {"/load", GET, status_load, NULL},
    {"/v1/completions", READS(BODY_COMPLETION) | NEEDS_KEY, NULL, generate},
    {"/v1/chat/completions", READS(BODY_CHAT) | NEEDS_KEY, NULL, generate},
    {"/v1/completions/render", READS(BODY_COMPLETION) | NEEDS_KEY, NULL,
     convert},
    {"/v1/chat/completions/render", READS(BODY_CHAT) | NEEDS_KEY, NULL,
     convert},
    {"/v1/load_lora_adapter", POST | NEEDS_BODY | NEEDS_KEY, NULL,
     adapters_post_load},
    {"/v1/unload_lora_adapter", POST | NEEDS_BODY | NEEDS_KEY, NULL,
     adapters_post_unload},
    {"/tokenize", READS(BODY_TOKENIZE), NULL, convert},
    {"/detokenize", READS(BODY_DETOKENIZE), NULL, convert},
    {"/reset_prefix_cache", POST | GUARDED | NEEDS_DEV, NULL, reset_cache},
    {"/sleep", POST | GUARDED | NEEDS_DEV, NULL, sleep_now},
    {"/wake_up", POST | GUARDED | NEEDS_DEV, NULL, wake_up},
    {"/is_sleeping", GET | GUARDED | NEEDS_DEV, show_sleep, NULL},
    {"/stepcost/state", GET | GUARDED, status_state, NULL},
    {"/stepcost/record", GET | GUARDED, status_record, NULL},
    {"/stepcost/faults", GET | POST | NEEDS_BODY | GUARDED, status_show_faults,
     status_set_faults},
    {"/stepcost/page.js", GET, status_script, NULL},
    {"/", GET, status_page, NULL},
};

/* Compares all characters, so that the time tells nothing. */
static int same_text(const char *a, const char *b)
{
	size_t n = strlen(a), m = strlen(b);
	unsigned differs = n != m;
	for (size_t i = 0; i < m; i++)
		differs |= (unsigned)(a[i < n ? i : 0] ^ b[i]);
	return n > 0 && !differs;
}

static int has_key(const struct call *c)
{
	const char *given = call_header(c, "Authorization");
	int good = c->s->api_keys.n == 0;
	if (!given || strncmp(given, "Bearer ", 7) != 0)
		return good;
	for (size_t i = 0; i < c->s->api_keys.n; i++)
		good |= same_text(c->s->api_keys.item[i], given + 7);
	return good;
}

/* method: GET or POST; 0: another one. */
static int refuse(struct call *c, int allows, int method)
{
	static const char *const methods[] = {"", "GET, HEAD", "POST",
					      "GET, HEAD, POST"};
	if (server_port_is_away(c->at))
		return call_fail(c, 503, unavailable, NULL,
				 "The replica of this port is gone.");
	if (allows & NEEDS_DEV && !c->s->keys.dev)
		return call_fail(c, 404, "Not Found", NULL, "Not Found");
	if (!(allows & method)) {
		c->allow = methods[allows & (GET | POST)];
		return call_fail(c, 405, "Method Not Allowed", NULL,
				 "Method Not Allowed");
	}
	if (c->is_too_large)
		return call_fail(c, 413, "Bad Request", NULL,
				 "The body is too large.");
	if (c->lacks_room)
		return call_fail(c, 503, unavailable, NULL,
				 "Too many bodies are on their way.");
	if (allows & NEEDS_KEY && !has_key(c)) {
		buffer_say(&c->out, "{\"error\":\"Unauthorized\"}");
		return c->status = 401;
	}
	if (allows & IS_LOCAL &&
	    header_names_other_site(&c->s->mhd, c->connection))
		return call_fail(c, 403, "Forbidden", NULL,
				 "The page of another site may not do this.");
	if (method != POST || !(allows & NEEDS_BODY))
		return 0;
	if (!header_names_json(&c->s->mhd, c->connection))
		return call_fail(c, 400, "Bad Request", NULL,
				 "Content-Type must be application/json.");
	return is_utf8(c->body.s, c->body.n)
		   ? 0
		   : call_fail(c, 400, "Bad Request", "body",
			       "The body is not UTF-8.");
}

void endpoint_call(struct call *c)
{
	const char *id = call_header(c, "X-Request-Id");
	int method = !strcmp(c->method, "POST") ? POST
		     : !strcmp(c->method, "GET") || !strcmp(c->method, "HEAD")
			 ? GET
			 : 0;
	c->id = is_id(id) ? id : NULL;
	for (size_t i = 0; i < sizeof endpoint / sizeof *endpoint; i++) {
		if (strcmp(c->path, endpoint[i].path))
			continue;
		c->kind = (enum body_kind)(endpoint[i].allows >> 6);
		if (!refuse(c, endpoint[i].allows, method))
			(method == POST ? endpoint[i].post
					: endpoint[i].get)(c);
		return;
	}
	call_fail(c, 404, "Not Found", NULL, "Not Found");
}
