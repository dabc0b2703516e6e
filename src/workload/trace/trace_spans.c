/* trace_spans.c -- Reads the spans of a file of OpenTelemetry. */
#include "workload/trace/trace_spans.h"
#include <stdlib.h>
#include <string.h>
#include "base/grow.h"
#include "base/hash.h"
#include "workload/trace/trace_date.h"

struct word {
	const char *name;
	int means; /* one of the enumeration before the table */
};
enum field { TRACE_ID, SPAN_ID, PARENT, NAME, START, END, NESTED, ATTRIBUTES };
static const struct word field_name[] = {
    {"traceId", TRACE_ID},
    {"trace_id", TRACE_ID},
    {"spanId", SPAN_ID},
    {"span_id", SPAN_ID},
    {"parentSpanId", PARENT},
    {"parent_span_id", PARENT},
    {"parent_id", PARENT},
    {"name", NAME},
    {"startTimeUnixNano", START},
    {"start_time_unix_nano", START},
    {"start_time", START},
    {"endTimeUnixNano", END},
    {"end_time_unix_nano", END},
    {"end_time", END},
    {"context", NESTED},
    {"resourceSpans", NESTED},
    {"resource_spans", NESTED},
    {"scopeSpans", NESTED},
    {"scope_spans", NESTED},
    {"instrumentationLibrarySpans", NESTED},
    {"spans", NESTED},
    {"attributes", ATTRIBUTES},
    {NULL, 0},
};

/* Attributes of the semantic conventions for generative AI and of their former
 * versions, of OpenLLMetry, and of OpenInference. */
enum attribute { IN, OUT, IN_TEXT, OUT_TEXT, OPERATION, CONVERSATION };
static const struct word attribute_name[] = {
    {"gen_ai.usage.input_tokens", IN},
    {"gen_ai.usage.prompt_tokens", IN},
    {"llm.usage.prompt_tokens", IN},
    {"llm.token_count.prompt", IN},
    {"gen_ai.usage.output_tokens", OUT},
    {"gen_ai.usage.completion_tokens", OUT},
    {"llm.usage.completion_tokens", OUT},
    {"llm.token_count.completion", OUT},
    {"gen_ai.input.messages", IN_TEXT},
    {"gen_ai.prompt", IN_TEXT},
    {"gen_ai.output.messages", OUT_TEXT},
    {"gen_ai.output.text", OUT_TEXT},
    {"gen_ai.completion", OUT_TEXT},
    {"gen_ai.operation.name", OPERATION},
    {"openinference.span.kind", OPERATION},
    {"traceloop.span.kind", OPERATION},
    {"gen_ai.conversation.id", CONVERSATION},
    {"session.id", CONVERSATION},
    {NULL, 0},
};

static const struct word operation[] = {
    {"chat", CALL},
    {"text_completion", CALL},
    {"generate_content", CALL},
    {"completion", CALL},
    {"LLM", CALL},
    {"invoke_agent", AGENT},
    {"create_agent", AGENT},
    {"execute_tool", AGENT},
    {"AGENT", AGENT},
    {"agent", AGENT},
    {"TOOL", AGENT},
    {"tool", AGENT},
    {"invoke_workflow", STEP},
    {"embeddings", STEP},
    {"retrieval", STEP},
    {"workflow", STEP},
    {"task", STEP},
    {"CHAIN", STEP},
    {"EMBEDDING", STEP},
    {"RETRIEVER", STEP},
    {"RERANKER", STEP},
    {"GUARDRAIL", STEP},
    {"EVALUATOR", STEP},
    {NULL, 0},
};

/* Returns the entry of a table, or the one that ends it. */
static const struct word *look_up(const struct word *table, struct span name)
{
	while (table->name && !span_is(name, table->name))
		table++;
	return table;
}

static const char *time_of(struct otel_spans *l, struct json_cursor *j,
			   const char *what, int64_t *ns)
{
	char text[40];
	struct span s;
	if (jc_peek(j) == 'n')
		return jc_skip(j) ? NULL : j->why;
	if (jc_peek(j) == '"' ? !jc_string(j, &s) : !jc_number(j, &s))
		return j->why;
	snprintf(text, sizeof text, "%.*s", (int)(s.n < 39 ? s.n : 39), s.s);
	if (s.n < sizeof text && trace_date_ns(text, ns) && *ns >= 0)
		return NULL;
	const char *why = trace_time(l->file->t, s, what, 0, ns);
	return !why && *ns > REQUEST_LAST_NS
		   ? trace_say(l->file->t, "%s = %s: after the year 2116", what,
			       text)
		   : why;
}

static const char *id_of(struct json_cursor *j, uint64_t *id)
{
	struct span s = {"", 0};
	char peek = jc_peek(j);
	if (peek == '"'   ? !jc_string(j, &s)
	    : peek == '0' ? !jc_number(j, &s)
			  : !jc_skip(j))
		return j->why;
	*id = s.n ? trace_text_id(s.s, s.n) : 0;
	return NULL;
}

/* Takes an attribute of a span, if it is one that requests need. */
static const char *take(struct otel_spans *l, struct otel_span *x,
			struct span name, struct span value)
{
	const struct word *w = look_up(attribute_name, name);
	if (!w->name)
		return NULL;
	switch ((enum attribute)w->means) {
	case IN:
		return trace_whole(l->file->t, value, w->name, &x->in);
	case OUT:
		return trace_whole(l->file->t, value, w->name, &x->out);
	case IN_TEXT:
		x->in_text = value;
		return NULL;
	case OUT_TEXT:
		x->out_text = value;
		return NULL;
	case CONVERSATION:
		x->conversation = trace_text_id(value.s, value.n);
		return NULL;
	default: /* OPERATION */
		w = look_up(operation, value);
		x->role = w->name ? (enum role)w->means : x->role;
		return NULL;
	}
}

/* Reads a value: plain, or in an object as {"intValue": "3"}.  Of other values
 * *value is the JSON. */
static const char *value_of(struct json_cursor *j, struct span *value)
{
	struct span kind;
	char peek = jc_peek(j);
	const char *from = j->s;
	if (peek == '"' || peek == '0') {
		if (peek == '"' ? !jc_string(j, value) : !jc_number(j, value))
			return j->why;
		return NULL;
	}
	if (!jc_skip(j))
		return j->why;
	*value = (struct span){from, (size_t)(j->s - from)};
	if (peek != '{')
		return NULL;
	struct json_cursor in;
	jc_begin(&in, from, value->n);
	jc_enter(&in, '{');
	if (jc_key(&in, &kind)) {
		peek = jc_peek(&in);
		if (peek == '"' ? !jc_string(&in, value)
				: peek == '0' && !jc_number(&in, value))
			return in.why;
	}
	return NULL;
}

/* Reads [{"key": …, "value": …}, …] or {key: value, …}. */
static const char *attributes(struct otel_spans *l, struct json_cursor *j,
			      struct otel_span *x)
{
	struct span name, key, value;
	const char *why = NULL;
	if (jc_peek(j) == 'n')
		return jc_skip(j) ? NULL : j->why;
	if (jc_peek(j) != '[') {
		jc_enter(j, '{');
		while (!why && jc_key(j, &key)) {
			why = value_of(j, &value);
			if (!why)
				why = take(l, x, key, value);
		}
		return why ? why : j->why;
	}
	jc_enter(j, '[');
	while (!why && jc_element(j)) {
		key = value = (struct span){"", 0};
		jc_enter(j, '{');
		while (!why && jc_key(j, &name)) {
			if (span_is(name, "key") && jc_peek(j) == '"')
				jc_string(j, &key);
			else if (span_is(name, "value"))
				why = value_of(j, &value);
			else
				jc_skip(j);
		}
		if (!why && !j->why)
			why = take(l, x, key, value);
	}
	return why ? why : j->why;
}

static const char *values(struct otel_spans *l, struct json_cursor *j,
			  struct otel_span *x, int depth);

static const char *one_value(struct otel_spans *l, struct json_cursor *j,
			     struct span name, struct otel_span *x, int depth)
{
	const struct word *w = look_up(field_name, name);
	if (!w->name)
		return jc_skip(j) ? NULL : j->why;
	switch ((enum field)w->means) {
	case TRACE_ID:
		return id_of(j, &x->trace);
	case SPAN_ID:
		return id_of(j, &x->id);
	case PARENT:
		return id_of(j, &x->parent);
	case NAME:
		return id_of(j, &x->name);
	case START:
		return time_of(l, j, w->name, &x->start_ns);
	case END:
		return time_of(l, j, w->name, &x->end_ns);
	case NESTED:
		return values(l, j, x, depth + 1);
	default: /* ATTRIBUTES */
		return attributes(l, j, x);
	}
}

uint64_t otel_span_id(uint64_t trace, uint64_t id)
{
	return hash_mix(trace) ^ hash_mix(id + 1);
}

/* Keeps a span, unless one of its trace has its id: exporters try again. */
static const char *keep_span(struct otel_spans *l, struct otel_span *x)
{
	if (x->id) {
		uint64_t *at =
		    map64_at(&l->ids, otel_span_id(x->trace, x->id), NULL);
		if (!at)
			return out_of_memory;
		if (*at) {
			l->n_twice++;
			return NULL;
		}
		*at = l->n + 1u;
	}
	if (l->n == UINT32_MAX / 4)
		return "more than a thousand million spans";
	if (!MAKE_ROOM(l->span, l->n, l->cap))
		return out_of_memory;
	l->span[l->n++] = *x;
	return NULL;
}

/* Reads an array of objects, or one: a span, or what spans are in.  context
 * belongs to the span around it. */
static const char *values(struct otel_spans *l, struct json_cursor *j,
			  struct otel_span *around, int depth)
{
	struct span name;
	struct otel_span x = {.start_ns = OTEL_NOT_GIVEN,
			      .end_ns = OTEL_NOT_GIVEN,
			      .in = OTEL_NOT_GIVEN,
			      .out = OTEL_NOT_GIVEN};
	const char *why = NULL;
	if (depth > 16)
		return "spans in objects more than 16 deep";
	if (jc_peek(j) == '[') {
		jc_enter(j, '[');
		while (!why && jc_element(j))
			why = values(l, j, NULL, depth + 1);
		return why ? why : j->why;
	}
	if (jc_peek(j) != '{')
		return jc_skip(j) ? NULL : j->why;
	x.at = j->s;
	x.line = trace_values_line(l->file, j->s);
	jc_enter(j, '{');
	while (!why && jc_key(j, &name))
		why = one_value(l, j, name, &x, depth);
	if (!why)
		why = j->why;
	if (!why && x.start_ns != OTEL_NOT_GIVEN)
		why = keep_span(l, &x);
	else if (!why && around && x.id) {
		around->trace = x.trace;
		around->id = x.id;
	}
	if (why && !l->file->bad)
		l->file->bad = j->why ? j->at : x.at;
	return why;
}

static const char *outermost(void *user, struct json_cursor *j)
{
	return values(user, j, NULL, 0);
}

const char *otel_spans_read(struct otel_spans *l)
{
	return trace_values_each(l->file, outermost, l);
}

void otel_spans_free(struct otel_spans *l)
{
	free(l->span);
	map64_free(&l->ids);
}
