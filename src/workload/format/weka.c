/* weka.c -- Coding sessions of agents, as Weka's kv-cache-tester has them: one
 * JSON object a session, one or several in a file.
 *
 * `requests` come one after another.  An entry of type `subagent` has requests
 * of its own: sub-agents that stand together start together, and the agent
 * goes on when all are over.  Ids of blocks belong to their session unless
 * hash_id_scope is "global". */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/decimal.h"
#include "base/grow.h"
#include "base/hash.h"
#include "workload/trace/trace_formats.h"
#include "workload/trace/trace_turns.h"

enum { DEEPEST = 32, BLOCK_TOKENS = 64, NOT_GIVEN = -1 };

/* The rows that the next one of an agent waits for. */
struct front {
	uint64_t *id;
	uint32_t n, cap;
	int64_t t_ns;     /* the latest of their times */
	int64_t api_ns;   /* api_time of the last row, or NOT_GIVEN */
	int64_t fixed_ns; /* delay of the next row, or NOT_GIVEN */
};
struct load {
	struct trace *t;
	struct turns *w;
	uint64_t session, agents; /* agents: of all sessions so far */
	uint64_t scope;
	uint32_t block_tokens;
};
struct entry {
	const char *at;
	int is_subagent;
	int64_t t_ns, think_ns, api_ns; /* or NOT_GIVEN */
	int64_t in, out;
	const char *ids;
	struct span requests; /* of a sub-agent */
};

/* ---- one entry ---- */

/* Times before 0, of requests that overlap, become 0. */
static const char *seconds(struct load *l, struct json_cursor *j,
			   const char *what, int64_t *ns)
{
	struct span s;
	if (jc_peek(j) == 'n')
		return jc_skip(j) ? NULL : j->why;
	if (!jc_number(j, &s))
		return j->why;
	if (decimal_scaled(s.s, s.n, 9, ns) < 0 || *ns > REQUEST_LAST_NS)
		return trace_say(l->t, "%s = %.*s: not a time in s", what,
				 (int)(s.n < 60 ? s.n : 60), s.s);
	if (*ns < 0)
		*ns = 0;
	return NULL;
}

static const char *type(struct load *l, struct json_cursor *j, struct entry *e)
{
	struct span s;
	if (!jc_string(j, &s))
		return j->why;
	e->is_subagent = span_is(s, "subagent");
	if (e->is_subagent || span_is(s, "n") || span_is(s, "s"))
		return NULL;
	return trace_say(l->t, "type = %.*s: is n, s or subagent",
			 (int)(s.n < 60 ? s.n : 60), s.s);
}

/* Reads a member of an entry; nested requests are read later, from where they
 * begin. */
static const char *value(struct load *l, struct json_cursor *j,
			 struct span name, struct entry *e)
{
	if (span_is(name, "type"))
		return type(l, j, e);
	if (span_is(name, "t"))
		return seconds(l, j, "t", &e->t_ns);
	if (span_is(name, "think_time"))
		return seconds(l, j, "think_time", &e->think_ns);
	if (span_is(name, "api_time"))
		return seconds(l, j, "api_time", &e->api_ns);
	if (span_is(name, "in"))
		return trace_json_whole(l->t, j, "in", &e->in);
	if (span_is(name, "out"))
		return trace_json_whole(l->t, j, "out", &e->out);
	int has_ids = span_is(name, "hash_ids") && jc_peek(j) == '[';
	int has_requests = span_is(name, "requests") && jc_peek(j) == '[';
	const char *from = j->s;
	if (!jc_skip(j))
		return j->why;
	if (has_ids)
		e->ids = from;
	if (has_requests)
		e->requests = (struct span){from, (size_t)(j->s - from)};
	return NULL;
}

static const char *read_entry(struct load *l, struct json_cursor *j,
			      struct entry *e)
{
	struct span name;
	const char *why = NULL;
	jc_peek(j);
	*e = (struct entry){.at = j->s,
			    .is_subagent = NOT_GIVEN,
			    .t_ns = NOT_GIVEN,
			    .think_ns = NOT_GIVEN,
			    .api_ns = NOT_GIVEN,
			    .in = NOT_GIVEN,
			    .out = NOT_GIVEN};
	jc_enter(j, '{');
	while (!why && jc_key(j, &name))
		why = value(l, j, name, e);
	if (why || j->why)
		return why ? why : j->why;
	const char *missing = e->is_subagent == NOT_GIVEN ? "type"
			      : e->is_subagent
				  ? e->requests.s ? NULL : "requests"
			      : e->t_ns == NOT_GIVEN ? "t"
			      : e->in == NOT_GIVEN   ? "in"
			      : e->out == NOT_GIVEN  ? "out"
						     : NULL;
	if (missing)
		return trace_say(l->t, "no %s, which a weka %s has", missing,
				 e->is_subagent == 1 ? "sub-agent" : "request");
	return NULL;
}

/* ---- which row waits for which ---- */

static const char *wait_for(struct front *f, uint64_t id)
{
	if (!MAKE_ROOM(f->id, f->n, f->cap))
		return out_of_memory;
	f->id[f->n++] = id;
	return NULL;
}

/* *to also waits for all that the other waits for. */
static const char *join(struct front *to, const struct front *other)
{
	const char *why = NULL;
	if (to->n == 0 || other->t_ns > to->t_ns)
		to->t_ns = other->t_ns;
	to->api_ns = other->api_ns;
	for (uint32_t i = 0; !why && i < other->n; i++)
		why = wait_for(to, other->id[i]);
	return why;
}

static int64_t delay_ns(const struct load *l, const struct entry *e,
			const struct front *f)
{
	const struct trace_options *o = trace_options(l->t);
	int64_t apart = e->t_ns > f->t_ns ? e->t_ns - f->t_ns : 0;
	if (f->fixed_ns != NOT_GIVEN)
		return f->fixed_ns;
	if (e->think_ns == NOT_GIVEN || o->timing == TIMING_ORIGINAL)
		return apart;
	if (o->timing == TIMING_THINK_ONLY)
		return e->think_ns;
	double ns = (double)f->api_ns * o->api_time_scale + (double)e->think_ns;
	double most_ns = (double)REQUEST_LAST_NS;
	return f->api_ns == NOT_GIVEN ? apart
				      : llround(ns < most_ns ? ns : most_ns);
}

/* Adds a request of an agent; the next one waits for it alone.  No request
 * waits for a request that failed. */
static const char *add_request(struct load *l, const struct entry *e,
			       uint64_t agent, struct front *f)
{
	struct turns *w = l->w;
	struct turn *i = turns_add(w);
	if (!i)
		return out_of_memory;
	i->ids = e->ids;
	i->scope = l->scope;
	i->row.request.line = trace_values_line(&w->file, e->at);
	i->row.request.session = hash_mix(agent) | 1;
	i->row.time_ns = e->t_ns;
	i->row.input_tokens = e->in;
	i->row.output_tokens = e->out;
	i->row.own_block_tokens = l->block_tokens;
	i->row.delay_ns = f->n ? delay_ns(l, e, f) : 0;
	const char *why = turns_wait(w, f->id, f->n);
	if (why || e->in == 0 || e->out == 0)
		return why;
	f->n = 0;
	f->t_ns = e->t_ns;
	f->api_ns = e->api_ns;
	f->fixed_ns = NOT_GIVEN;
	return wait_for(f, i->row.id);
}

static const char *play(struct load *l, struct json_cursor *j, uint64_t agent,
			struct front *f, int depth);

/* Plays a sub-agent, which begins as the others of its group do; the group
 * waits for it. */
static const char *play_child(struct load *l, const struct entry *e,
			      const struct front *f, struct front *group,
			      int depth)
{
	struct json_cursor j;
	struct front own = {.fixed_ns = group->fixed_ns};
	uint64_t before = l->w->n;
	if (depth == DEEPEST)
		return "sub-agents inside each other more than 32 deep";
	jc_begin(&j, e->requests.s, e->requests.n);
	const char *why = join(&own, f);
	if (!why)
		why = play(l, &j, ++l->agents, &own, depth + 1);
	if (!why && l->w->n > before) {
		if (f->n && group->fixed_ns == NOT_GIVEN)
			group->fixed_ns = l->w->turn[before].row.delay_ns;
		why = join(group, &own);
	}
	free(own.id);
	return why;
}

/* The front becomes the group's, if it has any. */
static void leave_group(struct front *f, struct front *group)
{
	if (group->n) {
		struct front before = *f;
		*f = *group;
		*group = before;
	}
	group->n = 0;
	f->fixed_ns = group->fixed_ns = NOT_GIVEN;
}

/* Turns the entries of an agent into requests.  Subagents in a row run side by
 * side. */
static const char *play(struct load *l, struct json_cursor *j, uint64_t agent,
			struct front *f, int depth)
{
	struct front group = {.fixed_ns = NOT_GIVEN};
	struct entry e = {0};
	const char *why = NULL;
	int in_group = 0;
	jc_enter(j, '[');
	while (!why && jc_element(j)) {
		why = read_entry(l, j, &e);
		if (!why && e.is_subagent) {
			why = play_child(l, &e, f, &group, depth);
			in_group = 1;
		} else if (!why) {
			if (in_group)
				leave_group(f, &group);
			in_group = 0;
			why = add_request(l, &e, agent, f);
		}
	}
	if (in_group)
		leave_group(f, &group);
	free(group.id);
	if ((why || j->why) && !l->w->file.bad)
		l->w->file.bad = j->why ? j->at : e.at;
	return why ? why : j->why;
}

/* ---- one session ---- */

static const char *scope(struct load *l, struct json_cursor *j)
{
	struct span s;
	if (!jc_string(j, &s))
		return j->why;
	if (span_is(s, "global"))
		l->scope = 0;
	else if (!span_is(s, "local"))
		return trace_say(l->t, "hash_id_scope = %.*s: local or global",
				 (int)(s.n < 60 ? s.n : 60), s.s);
	return NULL;
}

static const char *block_size(struct load *l, struct json_cursor *j)
{
	const int64_t most = 1 << 20;
	int64_t n;
	const char *why = trace_json_whole(l->t, j, "block_size", &n);
	if (!why && (n < 1 || n > most))
		why = trace_say(l->t, "block_size = %lld: 1 to %lld",
				(long long)n, (long long)most);
	if (!why)
		l->block_tokens = (uint32_t)n;
	return why;
}

/* Reads a session, and plays its requests. */
static const char *session(void *user, struct json_cursor *j)
{
	struct load *l = user;
	struct front f = {.fixed_ns = NOT_GIVEN, .api_ns = NOT_GIVEN};
	struct span name;
	struct json_cursor requests = {0};
	const char *why = NULL;
	l->scope = ++l->session;
	l->block_tokens = BLOCK_TOKENS;
	jc_enter(j, '{');
	while (!why && jc_key(j, &name)) {
		if (span_is(name, "hash_id_scope")) {
			why = scope(l, j);
		} else if (span_is(name, "block_size")) {
			why = block_size(l, j);
		} else {
			jc_peek(j);
			const char *from = j->s;
			jc_skip(j);
			if (span_is(name, "requests"))
				jc_begin(&requests, from,
					 (size_t)(j->s - from));
		}
	}
	if (why || j->why)
		return why ? why : j->why;
	if (!requests.s)
		return "no requests, which a weka session has";
	why = play(l, &requests, ++l->agents, &f, 0);
	free(f.id);
	return why;
}

static int load(struct trace *t, FILE *f, struct problem *p)
{
	struct load l = {.t = t, .w = turns_begin(t, f, p)};
	if (!l.w)
		return -1;
	return trace_values_end(&l.w->file,
				trace_values_each(&l.w->file, session, &l), p);
}

const struct trace_format trace_weka = {
    .name = "weka",
    .shape = TRACE_DOCUMENT,
    .has_times = 1,
    .failed_rows = 1,
    .has_trees = 1,
    .mark = {"\"hash_id_scope\"", "\"block_size\""},
    .load = load,
    .item = turns_item,
    .unload = turns_unload};
