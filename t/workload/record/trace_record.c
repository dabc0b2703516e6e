/* A record of a server: cancels, resets, a line cut short. */
#include "workload/record/trace_record.h"
#include <stdlib.h>
#include <string.h>
#include "tap.h"
#include "workload/trace/trace.h"
#include "workload/trace/trace_reader.h"

static const char text[] =
    "{\"stepcost_trace\": 1, \"configuration\": \"x\"}\n"
    "{\"arrival_us\": 1.5, \"request_id\": \"a\", \"input_tokens\": 40, "
    "\"output_tokens\": 30, \"max_tokens\": 50, \"stop_tokens\": 20, "
    "\"priority\": -2, \"adapter\": \"l\", \"cache_salt\": 1, "
    "\"block_tokens\": 16, \"hash_ids\": [1, 2, 3, 4, 5], \"replica\": 1}\n"
    "{\"cancel_us\": 7, \"request_id\": \"a\"}\n"
    "{\"reset_us\": 8.001, \"replica\": 3}\n"
    "{\"reset_us\": 9}\n"
    "{\"arrival_us\": 10, \"request_id\": \"b\", \"input_tokens\": 1, "
    "\"output_tokens\": 1}\n";

/* Texts that JSON writes with escapes. */
static const char escaped[] =
    "{\"cancel_us\": 12, \"request_id\": \"\\u0022\\\\\"}\n"
    "{\"arrival_us\": 11, \"request_id\": \"\\\"\\u005c\", "
    "\"session_id\": \"\\ud83d\\ude00\\/\\n\", "
    "\"input_tokens\": 1, \"output_tokens\": 1}\n";

static struct trace *open_text(const char *more, struct problem *p)
{
	char path[] = "/tmp/recordXXXXXX";
	const struct trace_options o = {.format = "auto"};
	FILE *f = fdopen(mkstemp(path), "w");
	fputs(text, f);
	fputs(more, f);
	fclose(f);
	struct trace *t = trace_open(path, &o, p);
	remove(path);
	return t;
}

static void texts(void)
{
	struct problem p;
	struct trace_row row = {0};
	struct trace *t = open_text(escaped, &p);
	for (int i = 0; t && i < 3; i++)
		if (trace_next(t, &row, &p) != 1)
			bail_out(p.text);
	is(row.request.name, "\"\\", "an id is the text, not its escapes");
	ok(row.request.cancel_ns == 1000, "and a cancel finds it");
	ok(row.request.session == trace_text_id("\U0001f600/\n", 6),
	   "so is a session");
	trace_free(t);
}

static void rows(const char *what, struct trace *t, struct problem *p)
{
	struct trace_row row;
	const struct workload_reset *reset;
	ok(trace_next(t, &row, p) == 1 && row.time_ns == 1500 &&
	       row.request.cancel_ns == 5500 && row.request.max_tokens == 50 &&
	       row.request.stop_tokens == 20 && row.request.priority == -2 &&
	       row.request.adapter && row.request.cache_salt &&
	       row.request.pinned == 2 && row.n_blocks == 5,
	   "%s: all of a request, and its client waits 5.5 us", what);
	ok(trace_next(t, &row, p) == 1 && row.request.cancel_ns == 0 &&
	       row.request.line == 6,
	   "%s: the next one", what);
	ok(trace_next(t, &row, p) == 0, "%s: no more", what);
	ok(trace_is_record(t) && trace_resets(t, &reset) == 2 &&
	       reset[0].ns == 8001 && reset[0].replica == 3 &&
	       reset[1].replica == UINT32_MAX,
	   "%s: resets", what);
}

int main(void)
{
	struct problem p;
	struct trace *t = open_text("", &p);
	if (!t)
		bail_out(p.text);
	rows("first", t, &p);
	ok(trace_note(t) == NULL && trace_rewind(t, &p) == 0, "rewound");
	rows("again", t, &p);
	trace_free(t);
	t = open_text("{\"arrival_us\": 11, \"req", &p);
	if (!t)
		bail_out(p.text);
	rows("cut short", t, &p);
	ok(trace_note(t) && strstr(trace_note(t), "cut short"), "with a note");
	trace_free(t);
	t = open_text("{\"cancel_us\": \"x\"}\n", &p);
	ok(!t && p.code == EXIT_INPUT, "a time that is none: %s", p.text);
	t = open_text("{\"arrival_us\": 11, \"request_id\": \"c\", "
		      "\"input_tokens\": 1, \"output_tokens\": 2, "
		      "\"stop_tokens\": 3}\n",
		      &p);
	struct trace_row row;
	int got = 1;
	while (t && got == 1)
		got = trace_next(t, &row, &p);
	ok(got < 0, "a text that ends it behind its end: %s", p.text);
	trace_free(t);
	texts();
	return done();
}
