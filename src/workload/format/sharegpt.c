/* sharegpt.c -- ShareGPT: a JSON array of conversations.  The first two turns
 * of each are a prompt and its answer, in characters; there are no arrival
 * times.  Conversations with fewer turns are left out. */
#include "workload/trace/trace_document.h"
#include "workload/trace/trace_formats.h"

/* Reads {"from": …, "value": text}.  Returns the number of tokens. */
static int64_t turn(struct trace *t, struct json_cursor *j)
{
	struct span key, text = {"", 0};
	jc_enter(j, '{');
	while (jc_key(j, &key))
		if (span_is(key, "value") && jc_peek(j) == '"')
			jc_string(j, &text);
		else
			jc_skip(j);
	return trace_text_tokens(t, text);
}

/* Returns the number of turns. */
static int turns(struct trace *t, struct json_cursor *j, struct trace_row *row)
{
	int n = 0;
	jc_enter(j, '[');
	for (; jc_element(j); n++)
		if (n == 0)
			row->input_tokens = turn(t, j);
		else if (n == 1)
			row->output_tokens = turn(t, j);
		else
			jc_skip(j);
	return n;
}

static const char *conversation(struct trace *t, struct json_cursor *j,
				uint64_t line)
{
	struct trace_row row = {.request.line = line};
	struct span key;
	int n = 0;
	jc_enter(j, '{');
	while (jc_key(j, &key))
		if (span_is(key, "conversations") && jc_peek(j) == '[')
			n = turns(t, j, &row);
		else
			jc_skip(j);
	return j->why || n < 2 ? j->why : trace_items_add(t, &row);
}

static int load(struct trace *t, FILE *f, struct problem *p)
{
	return trace_load_array(t, f, conversation, p);
}

const struct trace_format trace_sharegpt = {.name = "sharegpt",
					    .shape = TRACE_DOCUMENT,
					    .failed_rows = 1,
					    .mark = {"\"conversations\""},
					    .load = load,
					    .item = trace_items_item,
					    .unload = trace_items_unload};
