/* vllm.c -- vLLM `bench serve`: the file that it reads (JSON lines of prompts)
 * and the file that it writes with --save-detailed (arrays of input_lens,
 * output_lens and, in newer versions, start_times in seconds; several such
 * documents may follow each other).  A failed request has an error text and no
 * output. */
#include <stdlib.h>
#include "workload/trace/trace_document.h"
#include "workload/trace/trace_formats.h"

/* ---- prompts ---- */

enum { PROMPT, OUTPUT_TOKENS, OUTPUT_LEN, PROMPT_LEN };
static const struct trace_column key[] = {{"prompt", 1},
					  {"output_tokens", 0},
					  {"output_len", 0},
					  {"prompt_len", 0},
					  {NULL, 0}};

static const char *value(struct trace *t, int i, struct json_cursor *j,
			 struct trace_row *row)
{
	if (i == PROMPT)
		return trace_json_prompt(t, j, row);
	return trace_json_whole(t, j, key[i].name,
				i == PROMPT_LEN ? &row->input_tokens
						: &row->output_tokens);
}

static const char *check(struct trace *t, unsigned seen, struct trace_row *row)
{
	struct rng r =
	    rng_stream(trace_options(t)->seed, RNG_TRACE, row->request.line);
	if (seen & (1u << OUTPUT_TOKENS | 1u << OUTPUT_LEN))
		return NULL;
	if (!trace_options(t)->output)
		return "no output_tokens; give [workload] output_tokens for "
		       "all rows";
	row->output_tokens = distribution_tokens(trace_options(t)->output, &r);
	return NULL;
}

const struct trace_format trace_vllm_prompts = {.name = "vllm",
						.shape = TRACE_JSON_LINES,
						.takes_lengths = 1,
						.column = key,
						.value = value,
						.check = check};

/* ---- results ---- */

enum { INPUT = 1, OUTPUT = 2, START = 4, ERRORS = 8 };
enum { FAILED }; /* index in row->own: 1 if it has an error text */

/* Returns the row of request i, which is added if it is new.  Item k of an
 * array belongs to request first + k. */
static struct trace_row *request(struct trace *t, uint64_t i, uint64_t line,
				 const char **why)
{
	struct trace_row *r = trace_items_at(t, i);
	if (r)
		return r;
	*why = trace_items_add(t, &(struct trace_row){.request.line = line});
	return trace_items_at(t, i);
}

/* Reads one of the arrays with an element for each request. */
static const char *array(struct trace *t, struct json_cursor *j, int which,
			 uint64_t first, uint64_t line, uint64_t *count)
{
	struct span s;
	const char *why = NULL;
	uint64_t i = first;
	jc_enter(j, '[');
	for (; !why && jc_element(j); i++) {
		struct trace_row *r = request(t, i, line, &why);
		if (!r)
			break;
		if (which == ERRORS) {
			if (jc_peek(j) != '"')
				jc_skip(j);
			else if (jc_string(j, &s) && s.n)
				r->own[FAILED] = 1;
			continue;
		}
		if (!jc_number(j, &s))
			break;
		why = which == INPUT
			  ? trace_whole(t, s, "input_lens", &r->input_tokens)
		      : which == OUTPUT
			  ? trace_whole(t, s, "output_lens", &r->output_tokens)
			  : trace_time(t, s, "start_times", 9, &r->time_ns);
	}
	*count = i - first;
	return why ? why : j->why;
}

/* Reads the file of a run: arrays of lengths and times. */
static const char *document(struct trace *t, struct json_cursor *j,
			    uint64_t line)
{
	struct span name;
	uint64_t first = trace_items_count(t), n, most = 0;
	int seen = 0;
	const char *why = NULL;
	jc_enter(j, '{');
	while (!why && jc_key(j, &name)) {
		int which = span_is(name, "input_lens")    ? INPUT
			    : span_is(name, "output_lens") ? OUTPUT
			    : span_is(name, "start_times") ? START
			    : span_is(name, "errors")      ? ERRORS
							   : 0;
		if (!which || jc_peek(j) != '[') {
			jc_skip(j);
			continue;
		}
		seen |= which;
		why = array(t, j, which, first, line, &n);
		if (!why && most && n != most)
			why = trace_say(t, "%.*s has %llu items, not %llu",
					(int)name.n, name.s,
					(unsigned long long)n,
					(unsigned long long)most);
		most = n;
	}
	if (why || j->why)
		return why ? why : j->why;
	if ((seen & (INPUT | OUTPUT)) != (INPUT | OUTPUT))
		return "has no input_lens and output_lens; save it with "
		       "--save-detailed";
	/* Each document has a clock of its own, so only one can be replayed. */
	trace_set_times(t, seen & START && first == 0);
	return NULL;
}

static int load(struct trace *t, FILE *f, struct problem *p)
{
	struct trace_values x;
	struct json_cursor j;
	const char *why;
	if (trace_values_begin(&x, t, f, p) < 0)
		return -1;
	jc_begin(&j, x.text, x.n);
	j.numpy = 1;
	do
		why = document(t, &j, trace_values_line(&x, j.s));
	while (!why && jc_peek(&j));
	x.bad = j.why ? j.at : j.s;
	int rc = trace_values_end(&x, why, p);
	for (uint64_t i = 0; i < trace_items_count(t); i++)
		if (trace_items_at(t, i)->own[FAILED])
			trace_items_at(t, i)->output_tokens = 0;
	free(x.text);
	return rc;
}

const struct trace_format trace_vllm_result = {
    .name = "vllm",
    .shape = TRACE_DOCUMENT,
    .failed_rows = 1,
    .mark = {"\"input_lens\"", "\"request_throughput\""},
    .load = load,
    .item = trace_items_item,
    .unload = trace_items_unload};
