/* otel.c -- OpenTelemetry spans of calls of language models: OTLP as JSON, as
 * the collector's file exporter writes it (an object a line), the SDKs' form
 * with dates and plain attributes, and that of inference-perf.
 *
 * A call is a span with tokens in and out.  Spans around it say which calls
 * follow each other: of the spans inside one span, a later one waits for an
 * earlier one if its calls begin when the calls of that one are over; it waits
 * for a tool's time or a user's, too.  Spans that overlap run side by side.
 * Only the times of calls count, because a span may end before the spans that
 * it began.  Traces with one conversation are one session.
 */
#include <stdlib.h>
#include <string.h>
#include "base/grow.h"
#include "base/hash.h"
#include "workload/trace/trace_spans.h"
#include "workload/trace/trace_turns.h"

enum { DEEPEST = 200, STEPS_BACK = 64, MOST_WAITS = 10000000 };

struct load {
	struct otel_spans s; /* behind those of the file: the sessions */
	struct turns *w;
	uint32_t n_read, n_calls; /* spans of the file; those that are calls */
	uint32_t *order;
	struct map64 sessions, agents;
	uint64_t *pool; /* ids of rows that others wait for */
	size_t n_pool, pool_cap;
};

/* ---- which spans are calls ---- */

static struct otel_span *parent_of(const struct load *l,
				   const struct otel_span *x)
{
	return x->up ? &l->s.span[x->up - 1] : NULL;
}

/* The span that it is inside, if the file has that. */
static const char *find_parents(struct load *l)
{
	for (uint32_t i = 0; i < l->s.n; i++) {
		struct otel_span *x = &l->s.span[i];
		if (!x->parent)
			continue;
		uint64_t *at = map64_at(
		    &l->s.ids, otel_span_id(x->trace, x->parent), NULL);
		if (!at)
			return out_of_memory;
		x->up = *at != i + 1u ? (uint32_t)*at : 0;
	}
	return NULL;
}

/* Orders the spans: each comes behind those inside it. */
static const char *find_order(struct load *l)
{
	uint32_t *left = calloc(l->s.n + 1u, sizeof *left), n = 0;
	l->order = calloc(l->s.n + 1u, sizeof *l->order);
	const char *why = left && l->order ? NULL : out_of_memory;
	for (uint32_t i = 0; !why && i < l->s.n; i++)
		if (l->s.span[i].up)
			left[l->s.span[i].up - 1]++;
	for (uint32_t i = 0; !why && i < l->s.n; i++)
		if (!left[i])
			l->order[n++] = i;
	for (uint32_t k = 0; !why && k < n; k++) {
		uint32_t up = l->s.span[l->order[k]].up;
		if (up && --left[up - 1] == 0)
			l->order[n++] = up - 1;
	}
	for (uint32_t i = 0; !why && n < l->s.n; i++)
		if (left[i]) {
			l->s.file->bad = l->s.span[i].at;
			why = "it is inside itself";
		}
	free(left);
	return why;
}

static int has_tokens(const struct otel_span *x)
{
	return x->in > 0 && x->out > 0;
}

/* A library's span of a call may be around another library's span of the same
 * call: the innermost counts. */
static const char *find_calls(struct load *l)
{
	for (uint32_t i = 0; i < l->n_read; i++) {
		struct otel_span *x = &l->s.span[i];
		if (x->role == CALL && x->in == OTEL_NOT_GIVEN && x->in_text.s)
			x->in = trace_text_tokens(l->s.file->t, x->in_text);
		if (x->role == CALL && x->out == OTEL_NOT_GIVEN &&
		    x->out_text.s)
			x->out = trace_text_tokens(l->s.file->t, x->out_text);
		x->is_call =
		    x->role == CALL || (x->role == NONE && has_tokens(x));
	}
	for (uint32_t i = 0; i < l->n_read; i++) {
		struct otel_span *x = &l->s.span[i];
		if (!x->is_call || !has_tokens(x))
			continue;
		while ((x = parent_of(l, x)) && x->role != AGENT && !x->wraps)
			x->wraps = 1;
	}
	for (uint32_t i = 0; i < l->n_read; i++) {
		struct otel_span *x = &l->s.span[i];
		l->s.file->bad = x->at;
		x->is_call &= !x->wraps;
		l->n_calls += x->is_call != 0;
		if (x->is_call && has_tokens(x) && x->end_ns < x->start_ns)
			return x->end_ns == OTEL_NOT_GIVEN
				   ? "a call without the time of its end"
				   : "a call that ends before it begins";
	}
	l->s.file->bad = NULL;
	return l->n_calls
		   ? NULL
		   : trace_say(l->s.file->t,
			       "none of its %u spans is a call of a model: no "
			       "gen_ai.usage.input_tokens and output_tokens, "
			       "and no gen_ai.operation.name = chat",
			       l->n_read);
}

/* ---- sessions ---- */

static const char *session_of(struct load *l, uint64_t key, uint32_t *session)
{
	uint64_t *at = map64_at(&l->sessions, key, NULL);
	if (!at || !MAKE_ROOM(l->s.span, l->s.n, l->s.cap))
		return out_of_memory;
	if (!*at) {
		l->s.span[l->s.n] = (struct otel_span){.name = key};
		*at = ++l->s.n;
	}
	*session = (uint32_t)*at;
	return NULL;
}

/* A session is a span around those that are in no other: of a conversation, or
 * of a trace without one. */
static const char *find_sessions(struct load *l)
{
	struct map64 of_trace = {0};
	const char *why = NULL;
	for (uint32_t i = 0; i < l->n_read; i++) {
		const struct otel_span *x = &l->s.span[i];
		uint64_t *at = map64_at(&of_trace, x->trace, NULL);
		if (!at)
			why = out_of_memory;
		else if (!*at)
			*at = x->conversation;
	}
	for (uint32_t i = 0; !why && i < l->n_read; i++) {
		uint64_t trace = l->s.span[i].trace;
		uint64_t *at = map64_at(&of_trace, trace, NULL);
		uint32_t session;
		if (l->s.span[i].up)
			continue;
		why = !at ? out_of_memory
			  : session_of(l,
				       *at     ? hash_mix(*at)
				       : trace ? trace
					       : hash_mix(i + 1u),
				       &session);
		if (!why)
			l->s.span[i].up = session;
	}
	map64_free(&of_trace);
	return why;
}

/* Fills in the lists of the spans inside each, and the times of their calls. */
static void find_times(struct load *l)
{
	for (uint32_t k = 0; k < l->n_read; k++) {
		struct otel_span *x = &l->s.span[l->order[k]],
				 *up = parent_of(l, x);
		if (x->is_call && (!x->has_calls || x->start_ns < x->begin_ns))
			x->begin_ns = x->start_ns;
		if (x->is_call && (!x->has_calls || x->end_ns > x->over_ns))
			x->over_ns = x->end_ns;
		x->has_calls |= x->is_call;
		if (!x->has_calls)
			continue;
		if (!up->has_calls || x->begin_ns < up->begin_ns)
			up->begin_ns = x->begin_ns;
		if (!up->has_calls || x->over_ns > up->over_ns)
			up->over_ns = x->over_ns;
		up->has_calls = 1;
		x->next = up->down;
		up->down = l->order[k] + 1;
	}
}

/* A call is part of the conversation of the agent or tool around it.  The
 * outermost ones with one name are one agent of the session. */
static void find_agents(struct load *l)
{
	for (uint32_t k = l->n_read; k-- > 0;) {
		struct otel_span *x = &l->s.span[l->order[k]];
		const struct otel_span *up = parent_of(l, x);
		x->agent = up->up ? up->agent : hash_mix(up->name + 1);
		x->is_agent = x->role == AGENT || up->is_agent;
		if (x->role == AGENT)
			x->agent = up->is_agent
				       ? hash_mix(l->order[k] + 1u)
				       : hash_mix(x->agent ^ hash_mix(x->name));
	}
}

/* ---- which call waits for which ---- */

struct ids {
	size_t at, n; /* in the pool */
};
/* Calls that are over before others begin: those of a span, or one. */
struct branch {
	int64_t begin_ns, over_ns;
	int64_t last_over_ns; /* of this branch and those before it */
	uint32_t span;
	int is_own;      /* 1: the call that the span is */
	struct ids last; /* the rows that come when it is over */
};

static int by_begin(const void *va, const void *vb)
{
	const struct branch *a = va, *b = vb;
	if (a->begin_ns != b->begin_ns)
		return a->begin_ns < b->begin_ns ? -1 : 1;
	if (a->over_ns != b->over_ns)
		return a->over_ns < b->over_ns ? -1 : 1;
	return (a->span > b->span) - (a->span < b->span);
}

static const char *pool_add(struct load *l, struct ids *to, struct ids more)
{
	if (to->n == 0)
		to->at = l->n_pool;
	for (size_t i = 0; i < more.n; i++) {
		if (!MAKE_ROOM(l->pool, l->n_pool, l->pool_cap))
			return out_of_memory;
		l->pool[l->n_pool++] = l->pool[more.at + i];
	}
	to->n += more.n;
	return NULL;
}

/* A prompt at least as long as the one before it in the conversation begins
 * with that and its answer. */
static const char *find_before(struct load *l, struct turn *now)
{
	uint64_t *at = map64_at(&l->agents, (uint64_t)now->row.own[1], NULL);
	if (!at)
		return out_of_memory;
	uint64_t before = *at;
	for (int i = 0; before && i < STEPS_BACK; i++) {
		const struct turn *x = &l->w->turn[before - 1];
		if (x->row.own[0] <= now->row.time_ns &&
		    x->row.input_tokens <= now->row.input_tokens) {
			turns_continue(l->w, before - 1);
			break;
		}
		before = x->continues;
	}
	*at = l->w->n;
	return NULL;
}

/* Adds the call as a row, which waits for others; *last becomes the row, or
 * these if it failed. */
static const char *add_call(struct load *l, const struct otel_span *x,
			    struct ids wait, struct ids *last)
{
	struct turn *i = turns_add(l->w);
	int64_t over_ns = 0;
	if (!i)
		return out_of_memory;
	i->row.request.line = x->line;
	i->row.time_ns = x->start_ns;
	i->row.input_tokens = x->in > 0 ? x->in : 0;
	i->row.output_tokens = x->out > 0 ? x->out : 0;
	i->row.own_block_tokens = 1;
	i->row.own[0] = x->end_ns;
	i->row.own[1] = (int64_t)x->agent;
	i->row.request.session = (uint64_t)i->row.own[1] | 1;
	*last = wait;
	for (size_t k = 0; k < wait.n; k++) {
		int64_t ns = l->w->turn[l->pool[wait.at + k] - 1].row.own[0];
		over_ns = ns > over_ns ? ns : over_ns;
	}
	i->row.delay_ns = wait.n ? x->start_ns - over_ns : 0;
	if (wait.n + l->w->n_after > MOST_WAITS)
		return "calls wait for others more than ten million times";
	const char *why = turns_wait(l->w, l->pool + wait.at, wait.n);
	if (why || !has_tokens(x))
		return why;
	if (!MAKE_ROOM(l->pool, l->n_pool, l->pool_cap))
		return out_of_memory;
	*last = (struct ids){l->n_pool, 1};
	l->pool[l->n_pool++] = i->row.id;
	return find_before(l, i);
}

/* Branch b waits for those that are over when it begins, except those that
 * others of these waited for. */
static const char *waits_of(struct load *l, const struct branch *all, size_t b,
			    struct ids *wait)
{
	const struct branch *latest = NULL;
	struct ids found = {0};
	const char *why = NULL;
	for (size_t i = b; !why && i-- > 0;) {
		const struct branch *a = &all[i];
		if (latest && a->last_over_ns <= latest->begin_ns)
			break;
		if (a->over_ns > all[b].begin_ns ||
		    (latest && a->over_ns <= latest->begin_ns))
			continue;
		latest = latest ? latest : a;
		why = pool_add(l, &found, a->last);
	}
	if (found.n)
		*wait = found;
	return why;
}

static const char *play(struct load *l, uint32_t span, struct ids wait,
			struct ids *last, int depth);

static const char *play_branches(struct load *l, struct branch *all, size_t n,
				 struct ids wait, struct ids *last, int depth)
{
	struct ids end = {0};
	const char *why = NULL;
	for (size_t b = 0; !why && b < n; b++) {
		struct ids own = wait;
		int64_t over_ns = all[b].over_ns;
		all[b].last_over_ns = b && all[b - 1].last_over_ns > over_ns
					  ? all[b - 1].last_over_ns
					  : over_ns;
		why = waits_of(l, all, b, &own);
		if (why)
			break;
		why = all[b].is_own
			  ? add_call(l, &l->s.span[all[b].span], own,
				     &all[b].last)
			  : play(l, all[b].span, own, &all[b].last, depth + 1);
	}
	*last = all[n - 1].last;
	for (size_t b = 0; !why && b < n; b++)
		if (n > 1 &&
		    (b == n - 1 || all[b].over_ns > all[n - 1].begin_ns)) {
			why = pool_add(l, &end, all[b].last);
			*last = end;
		}
	return why;
}

/* Adds the calls in a span, which has some, as rows.  The first of them wait
 * for `wait`; *last: the rows that come when it is over. */
static const char *play(struct load *l, uint32_t span, struct ids wait,
			struct ids *last, int depth)
{
	const struct otel_span *x = &l->s.span[span];
	while (!x->is_call && !l->s.span[x->down - 1].next)
		x = &l->s.span[span = x->down - 1];
	size_t n = x->is_call != 0, k = 0;
	for (uint32_t i = x->down; i; i = l->s.span[i - 1].next)
		n++;
	if (depth > DEEPEST) {
		l->s.file->bad = x->at;
		return "agents inside each other more than 200 deep";
	}
	struct branch *all = calloc(n + 1, sizeof *all);
	if (!all)
		return out_of_memory;
	if (x->is_call)
		all[k++] = (struct branch){.begin_ns = x->start_ns,
					   .over_ns = x->end_ns,
					   .span = span,
					   .is_own = 1};
	for (uint32_t i = x->down; i; i = l->s.span[i - 1].next)
		all[k++] =
		    (struct branch){.begin_ns = l->s.span[i - 1].begin_ns,
				    .over_ns = l->s.span[i - 1].over_ns,
				    .span = i - 1};
	qsort(all, n, sizeof *all, by_begin);
	const char *why = play_branches(l, all, n, wait, last, depth);
	free(all);
	return why;
}

/* Adds the sessions in the order of their first calls. */
static const char *play_sessions(struct load *l)
{
	struct branch *all = calloc(l->s.n - l->n_read + 1u, sizeof *all);
	struct ids last;
	const char *why = NULL;
	size_t n = 0;
	if (!all)
		return out_of_memory;
	for (uint32_t i = l->n_read; i < l->s.n; i++)
		if (l->s.span[i].has_calls)
			all[n++] = (struct branch){
			    .begin_ns = l->s.span[i].begin_ns, .span = i};
	qsort(all, n, sizeof *all, by_begin);
	for (size_t i = 0; !why && i < n; i++) {
		l->n_pool = 0;
		why = play(l, all[i].span, (struct ids){0}, &last, 0);
	}
	free(all);
	return why;
}

/* ---- the file ---- */

/* Makes the requests from the spans: calls of models, ordered in sessions. */
static const char *build(struct load *l)
{
	const char *why = otel_spans_read(&l->s);
	l->n_read = l->s.n;
	if (!why)
		why = find_parents(l);
	if (!why)
		why = find_order(l);
	if (!why)
		why = find_calls(l);
	if (!why)
		why = find_sessions(l);
	if (why)
		return why;
	find_times(l);
	find_agents(l);
	return play_sessions(l);
}

static int load(struct trace *t, FILE *f, struct problem *p)
{
	struct load l = {.w = turns_begin(t, f, p)};
	if (!l.w)
		return -1;
	l.s.file = &l.w->file;
	const char *why = build(&l);
	if (!why)
		trace_remark(
		    t,
		    "%u of its %u spans are calls%s; a prompt that is not "
		    "shorter than the one before it in its agent is taken to "
		    "begin with that and its answer",
		    l.n_calls, l.n_read,
		    l.s.n_twice ? ", spans that came twice count once" : "");
	otel_spans_free(&l.s);
	free(l.order), free(l.pool);
	map64_free(&l.sessions), map64_free(&l.agents);
	return trace_values_end(&l.w->file, why, p);
}

const struct trace_format trace_otel = {
    .name = "otel",
    .shape = TRACE_DOCUMENT,
    .has_times = 1,
    .failed_rows = 1,
    .has_trees = 1,
    .mark = {"\"resourceSpans\"", "\"gen_ai."},
    .load = load,
    .item = turns_item,
    .unload = turns_unload};
