/* trace_record.c -- Reads the lines of a record that are no requests. */
#include "workload/record/trace_record.h"
#include <stdlib.h>
#include <string.h>

/* A line that is no request; -1: it does not have the key. */
struct record_line {
	int64_t cancel_ns, reset_ns, replica;
	uint64_t id;
	int is_head, is_request;
};

static int is_key(struct span key, const char *name)
{
	return key.n == strlen(name) && memcmp(key.s, name, key.n) == 0;
}

static const char *read_value(struct trace *t, struct span key,
			      struct json_cursor *j, struct record_line *x)
{
	struct span s;
	x->is_head |= is_key(key, "stepcost_trace");
	x->is_request |= is_key(key, "input_tokens");
	if (is_key(key, "request_id")) {
		if (!trace_json_text(t, j, &s))
			return j->why;
		x->id = trace_text_id(s.s, s.n);
		return NULL;
	}
	if (is_key(key, "cancel_us"))
		return jc_number(j, &s)
			   ? trace_time(t, s, "cancel_us", 3, &x->cancel_ns)
			   : j->why;
	if (is_key(key, "reset_us"))
		return jc_number(j, &s)
			   ? trace_time(t, s, "reset_us", 3, &x->reset_ns)
			   : j->why;
	if (is_key(key, "replica"))
		return jc_number(j, &s)
			   ? trace_whole(t, s, "replica", &x->replica)
			   : j->why;
	jc_skip(j);
	return j->why;
}

static const char *read_line(struct trace *t, const char *text, size_t n,
			     struct record_line *x)
{
	struct json_cursor j;
	struct span key;
	const char *why = NULL;
	*x = (struct record_line){-1, -1, -1, 0, 0, 0};
	jc_begin(&j, text, n);
	if (!jc_peek(&j))
		return NULL;
	jc_enter(&j, '{');
	while (!why && jc_key(&j, &key))
		why = read_value(t, key, &j, x);
	return why ? why : j.why;
}

/* Notes an event of a record: a client cancelled, or a cache was reset. */
static const char *add(struct trace *t, const struct record_line *x)
{
	if (x->is_request)
		return NULL;
	if (x->cancel_ns >= 0) {
		uint64_t *at = map64_at(&t->cancel_ns, x->id, NULL);
		if (!at)
			return out_of_memory;
		if (!*at)
			*at = (uint64_t)x->cancel_ns;
	}
	if (x->reset_ns < 0)
		return NULL;
	struct workload_reset *more =
	    realloc(t->reset, (t->n_resets + 1) * sizeof *more);
	if (!more)
		return out_of_memory;
	t->reset = more;
	t->reset[t->n_resets++] = (struct workload_reset){
	    x->reset_ns, x->replica < 0 ? UINT32_MAX : (uint32_t)x->replica};
	return NULL;
}

static int is_whole(const char *text, size_t n)
{
	return n && text[n - 1] == '\n';
}

int trace_record_read(struct trace *t, struct problem *p)
{
	const char *text, *why = NULL;
	size_t n;
	struct record_line x;
	int got = 0;
	if (!t->format->is_note)
		return 0;
	t->end = UINT64_MAX;
	for (uint64_t at = t->lines.offset;
	     !why && (got = lines_next(&t->lines, &text, &n)) == 1;
	     at = t->lines.offset) {
		if (t->is_record && !is_whole(text, n)) {
			t->end = at;
			trace_remark(t, "its last line was cut short and is "
					"left out");
			break;
		}
		why = read_line(t, text, n, &x);
		if (t->lines.line == 1)
			t->is_record = !why && x.is_head;
		if (!t->is_record) { /* its reader says what is wrong */
			why = NULL;
			break;
		}
		why = why ? why : add(t, &x);
	}
	if (got < 0) {
		trace_read_fault(t);
		return problem_at(p, t->path, t->lines.line + 1, t->why);
	}
	return why ? problem_at(p, t->path, t->lines.line, why) : 0;
}

void trace_record_cancel(struct trace *t, struct trace_row *row)
{
	if (!t->cancel_ns.n || row->request.cancel_ns)
		return;
	const uint64_t *at = map64_at(&t->cancel_ns, row->id, NULL);
	if (!at)
		t->why = out_of_memory;
	else if (*at)
		t->why = trace_cancel(t, row, (int64_t)*at);
}
