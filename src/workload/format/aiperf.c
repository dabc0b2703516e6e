/* aiperf.c -- AIPerf's inputs: single and multi turns, pools of prompts,
 * Mooncake's rows with texts and with turns of a session (JSON lines), and
 * inputs.json, which has whole bodies of requests.
 *
 * The first request of a session comes at its timestamp, in ms, or has no time;
 * the next one `delay` ms after the answer.  A turn's text or input_length is
 * what it adds to the conversation, as AIPerf sends it, unless the rows say
 * otherwise: by messages, payloads, context_mode, or hash_ids that begin with
 * those of the turn before. */
#include <string.h>
#include "base/map64.h"
#include "workload/trace/trace_formats.h"
#include "workload/trace/trace_turns.h"

enum { BLOCK_TOKENS = 512, NOT_GIVEN = -1 };

/* How a turn's prompt follows the one before it. */
enum mode {
	UNSAID,
	ADDS,       /* to that prompt and its answer */
	ADDS_GIVEN, /* to that prompt; the answer is among what it adds */
	WHOLE,      /* it holds them, if it is not shorter */
	ALONE,      /* not at all */
};
enum field {
	SESSION,
	TIMESTAMP,
	DELAY,
	INPUT,
	OUTPUT,
	TEXT,
	TEXT_ALONE,
	TEXT_WHOLE,
	HASH_IDS,
	MODE,
	TURNS,
	PAYLOADS,
	DATA,
	REFUSED
};
static const struct field_name {
	const char *name;
	enum field field;
} field_name[] = {
    {"session_id", SESSION},
    {"timestamp", TIMESTAMP},
    {"delay", DELAY},
    {"input_length", INPUT},
    {"output_length", OUTPUT},
    {"max_tokens", OUTPUT},
    {"max_completion_tokens", OUTPUT},
    {"text_input", TEXT},
    {"text", TEXT_ALONE},
    {"texts", TEXT_ALONE},
    {"messages", TEXT_WHOLE},
    {"payload", TEXT_WHOLE},
    {"prompt", TEXT_WHOLE},
    {"hash_ids", HASH_IDS},
    {"context_mode", MODE},
    {"turns", TURNS},
    {"payloads", PAYLOADS},
    {"data", DATA},
    {"forks", REFUSED},
    {"spawns", REFUSED},
    {"pre_session_spawns", REFUSED},
    {"orchestrator", REFUSED},
};

/* A request, or a session with requests of its own. */
struct entry {
	const char *at, *ids;
	uint64_t session; /* 0: none */
	int64_t time_ns, delay_ns, in, out, n_ids;
	enum mode mode;
	struct span requests; /* s: NULL: it is one */
	enum mode mode_of_requests;
};
struct load {
	struct trace *t;
	struct turns *w;
	struct map64 last; /* session -> 1 + its last turn */
	int lacks_time, has_time;
};

/* ---- the values of an entry ---- */

/* Adds the tokens of all texts in a value.  In messages and payloads texts are
 * the values of these keys. */
static const char *texts(struct load *l, struct json_cursor *j, int64_t *tokens,
			 int depth)
{
	static const char *const key[] = {"content", "contents", "text",
					  "messages", "prompt"};
	struct span s;
	const char *why = NULL;
	char peek = jc_peek(j);
	if (depth > 16)
		return "texts in objects more than 16 deep";
	if (peek == '"') {
		if (jc_string(j, &s))
			*tokens += trace_text_tokens(l->t, s);
	} else if (peek == '[') {
		jc_enter(j, '[');
		while (!why && jc_element(j))
			why = texts(l, j, tokens, depth + 1);
	} else if (peek == '{') {
		jc_enter(j, '{');
		while (!why && jc_key(j, &s)) {
			size_t i = 0, n = sizeof key / sizeof *key;
			while (i < n && !span_is(s, key[i]))
				i++;
			if (i < n)
				why = texts(l, j, tokens, depth + 1);
			else
				jc_skip(j);
		}
	} else {
		jc_skip(j);
	}
	return why ? why : j->why;
}

static const char *ids(struct json_cursor *j, struct entry *e)
{
	jc_peek(j);
	e->ids = j->s;
	e->n_ids = 0;
	jc_enter(j, '[');
	for (; jc_element(j); e->n_ids++)
		jc_skip(j);
	return j->why;
}

static const char *mode_of(struct load *l, struct span s, struct entry *e)
{
	e->mode = span_is(s, "deltas_without_responses")       ? ADDS
		  : span_is(s, "deltas_with_responses")        ? ADDS_GIVEN
		  : span_is(s, "message_array_with_responses") ? WHOLE
							       : UNSAID;
	return e->mode ? NULL
		       : trace_say(l->t, "context_mode = %.*s: not known",
				   (int)(s.n < 60 ? s.n : 60), s.s);
}

static const char *requests(struct json_cursor *j, struct entry *e,
			    enum mode mode)
{
	if (jc_peek(j) != '[')
		return "turns, payloads and data are arrays";
	const char *from = j->s;
	jc_skip(j);
	e->requests = (struct span){from, (size_t)(j->s - from)};
	e->mode_of_requests = mode;
	return j->why;
}

/* Reads a text or a number of an entry. */
static const char *scalar(struct load *l, struct json_cursor *j,
			  const struct field_name *x, struct entry *e)
{
	struct span s;
	int is_text =
	    (x->field == SESSION && jc_peek(j) == '"') || x->field == MODE;
	if (is_text ? !jc_string(j, &s) : !jc_number(j, &s))
		return j->why;
	switch (x->field) {
	case SESSION:
		e->session = trace_text_id(s.s, s.n);
		return NULL;
	case TIMESTAMP:
		return trace_time(l->t, s, x->name, 6, &e->time_ns);
	case DELAY:
		return trace_time(l->t, s, x->name, 6, &e->delay_ns);
	case MODE:
		return mode_of(l, s, e);
	default:
		return trace_whole(l->t, s, x->name,
				   x->field == INPUT ? &e->in : &e->out);
	}
}

/* Reads the value of a member of an entry. */
static const char *value(struct load *l, struct json_cursor *j,
			 struct span name, struct entry *e)
{
	size_t i = 0, n = sizeof field_name / sizeof *field_name;
	while (i < n && !span_is(name, field_name[i].name))
		i++;
	if (i == n || jc_peek(j) == 'n')
		return jc_skip(j) ? NULL : j->why;
	switch (field_name[i].field) {
	case TEXT_ALONE:
	case TEXT_WHOLE:
		if (!e->mode)
			e->mode =
			    field_name[i].field == TEXT_ALONE ? ALONE : WHOLE;
		/* fallthrough */
	case TEXT:
		e->in = 0;
		return texts(l, j, &e->in, 0);
	case HASH_IDS:
		return ids(j, e);
	case TURNS:
		return requests(j, e, ADDS);
	case PAYLOADS:
		return requests(j, e, WHOLE);
	case DATA:
		return requests(j, e, UNSAID);
	case REFUSED:
		return trace_say(l->t,
				 "%s: sessions that start others are not read",
				 field_name[i].name);
	default:
		return scalar(l, j, &field_name[i], e);
	}
}

/* ---- rows ---- */

static const char *output_of(struct load *l, struct entry *e)
{
	const struct distribution *d = trace_options(l->t)->output;
	struct rng r =
	    rng_stream(trace_options(l->t)->seed, RNG_TRACE, l->w->n);
	if (e->out != NOT_GIVEN)
		return NULL;
	if (!d)
		return "no output_length; give [workload] output_tokens for "
		       "all rows";
	e->out = distribution_tokens(d, &r);
	return NULL;
}

/* Returns 1 if the ids of a prompt begin with the full blocks of the turn
 * before: it holds that prompt. */
static int holds(const struct load *l, const struct entry *e,
		 const struct turn *before)
{
	const char *end = l->w->file.text + l->w->file.n;
	int64_t full = before->row.input_tokens / before->row.own_block_tokens;
	struct json_cursor a, b;
	struct span x, y;
	if (!e->ids || !before->ids || !full || e->n_ids < full)
		return 0;
	jc_begin(&a, e->ids, (size_t)(end - e->ids));
	jc_begin(&b, before->ids, (size_t)(end - before->ids));
	jc_enter(&a, '[');
	jc_enter(&b, '[');
	while (full-- && jc_element(&a) && jc_element(&b))
		if (!jc_number(&a, &x) || !jc_number(&b, &y) || x.n != y.n ||
		    memcmp(x.s, y.s, x.n) != 0)
			return 0;
	return 1;
}

/* The row that was added last follows that turn of its session. */
static const char *follow(struct load *l, const struct entry *e,
			  uint64_t before)
{
	struct turn *i = &l->w->turn[l->w->n - 1], *b = &l->w->turn[before];
	enum mode mode = e->mode ? e->mode : holds(l, e, b) ? WHOLE : ADDS;
	if (mode == ADDS || mode == ADDS_GIVEN) {
		int64_t said = b->row.input_tokens +
			       (mode == ADDS ? b->row.output_tokens : 0);
		if (said > TRACE_MAX_TOKENS || e->in > TRACE_MAX_TOKENS)
			return "its conversation is over 2147483647 tokens";
		i->row.input_tokens += said;
	}
	if (mode != ALONE && b->row.input_tokens <= i->row.input_tokens &&
	    !(mode == WHOLE && e->ids))
		turns_continue(l->w, before);
	if (mode == ADDS_GIVEN)
		i->ids = NULL; /* they are of the answer, too */
	if (e->time_ns != NOT_GIVEN && e->delay_ns == NOT_GIVEN)
		return NULL;
	i->row.delay_ns = e->delay_ns > 0 ? e->delay_ns : 0;
	return turns_wait(l->w, &b->row.id, 1);
}

static const char *add_row(struct load *l, struct entry *e)
{
	uint64_t none = 0, *last = &none;
	const char *why =
	    e->in == NOT_GIVEN ? "neither input_length nor a text" : NULL;
	if (!why)
		why = output_of(l, e);
	if (!why && e->session)
		last = map64_at(&l->last, e->session, NULL);
	struct turn *i = why || !last ? NULL : turns_add(l->w);
	if (!i)
		return why ? why : out_of_memory;
	uint32_t size = trace_options(l->t)->block_tokens;
	i->row.own_block_tokens = size ? size : BLOCK_TOKENS;
	i->row.request.line = trace_values_line(&l->w->file, e->at);
	i->row.request.session = e->session;
	i->row.time_ns = e->time_ns == NOT_GIVEN ? 0 : e->time_ns;
	i->row.input_tokens = e->in;
	i->row.output_tokens = e->out;
	i->ids = e->ids;
	if (*last) {
		why = follow(l, e, *last - 1);
	} else {
		l->lacks_time |= e->time_ns == NOT_GIVEN;
		l->has_time |= e->time_ns != NOT_GIVEN;
	}
	if (l->lacks_time && l->has_time)
		return "some sessions have a timestamp, and others not";
	if (e->in > 0 && e->out > 0)
		*last = l->w->n;
	return why;
}

/* Reads a request, or a session and its requests: *around. */
static const char *entry(struct load *l, struct json_cursor *j,
			 const struct entry *around, int depth)
{
	struct entry e = {.session = around->session,
			  .mode = around->mode_of_requests,
			  .time_ns = NOT_GIVEN,
			  .delay_ns = NOT_GIVEN,
			  .in = NOT_GIVEN,
			  .out = NOT_GIVEN};
	struct span name;
	const char *why = NULL;
	jc_peek(j);
	e.at = j->s;
	jc_enter(j, '{');
	while (!why && jc_key(j, &name))
		why = value(l, j, name, &e);
	if (!why && !j->why && e.requests.s) {
		struct json_cursor in;
		if (e.mode)
			e.mode_of_requests = e.mode;
		if (e.mode_of_requests && !e.session) /* one of its own */
			e.session =
			    trace_text_id((const char *)&(size_t){(
					      size_t)(e.at - l->w->file.text)},
					  sizeof(size_t));
		jc_begin(&in, e.requests.s, e.requests.n);
		jc_enter(&in, '[');
		if (depth == 2)
			why = "turns or payloads inside each other";
		while (!why && jc_element(&in))
			why = entry(l, &in, &e, depth + 1);
	} else if (!why && !j->why) {
		why = add_row(l, &e);
	}
	if ((why || j->why) && !l->w->file.bad)
		l->w->file.bad = j->why ? j->at : e.at;
	return why ? why : j->why;
}

static const char *outermost(void *user, struct json_cursor *j)
{
	const struct entry none = {0};
	return entry(user, j, &none, 0);
}

static int load(struct trace *t, FILE *f, struct problem *p)
{
	struct load l = {.t = t, .w = turns_begin(t, f, p)};
	if (!l.w)
		return -1;
	const char *why = trace_values_each(&l.w->file, outermost, &l);
	map64_free(&l.last);
	trace_set_times(t, !l.lacks_time);
	return trace_values_end(&l.w->file, why, p);
}

const struct trace_format trace_aiperf = {
    .name = "aiperf",
    .shape = TRACE_DOCUMENT,
    .takes_lengths = 1,
    .failed_rows = 1,
    .has_trees = 1,
    .block_tokens = BLOCK_TOKENS,
    .mark = {"\"text_input\"", "\"turns\"", "\"payloads\"", "\"input_length\"",
	     "{\"text\"", "\"texts\""},
    .load = load,
    .item = turns_item,
    .unload = turns_unload};
const struct trace_format trace_mooncake_turns = {
    .name = "mooncake",
    .shape = TRACE_DOCUMENT,
    .takes_lengths = 1,
    .failed_rows = 1,
    .has_trees = 1,
    .block_tokens = BLOCK_TOKENS,
    .mark = {"\"input_length\"", "\"text_input\""},
    .load = load,
    .item = turns_item,
    .unload = turns_unload};
