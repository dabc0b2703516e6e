/* inference_perf.c -- inference-perf: its shared-prefix traces (JSON lines,
 * seconds) and its per-request report (a JSON array; start_time in seconds). */
#include "workload/trace/trace_document.h"
#include "workload/trace/trace_formats.h"

/* ---- shared prefixes ---- */

enum { TIMESTAMP, PREFIX, TAIL, OUTPUT, PREFIX_ID };
static const struct trace_column key[] = {
    {"timestamp", 1},     {"shared_prefix_length", 1}, {"tail_input_length", 1},
    {"output_length", 1}, {"shared_prefix_id", 0},     {NULL, 0},
};

static const char *value(struct trace *t, int i, struct json_cursor *j,
			 struct trace_row *row)
{
	struct span s;
	int64_t n = 0;
	const char *why;
	if (i == PREFIX_ID && jc_peek(j) == 'n')
		return jc_skip(j) ? NULL : j->why;
	if (jc_peek(j) == '"' ? !jc_string(j, &s) : !jc_number(j, &s))
		return j->why;
	switch (i) {
	case TIMESTAMP:
		return trace_time(t, s, "timestamp", 9, &row->time_ns);
	case PREFIX_ID:
		row->prefix_group = trace_text_id(s.s, s.n);
		return NULL;
	case OUTPUT:
		return trace_whole(t, s, "output_length", &row->output_tokens);
	default:
		why = trace_whole(t, s, key[i].name, &n);
		if (!why && n > TRACE_MAX_TOKENS)
			why = trace_say(t, "%s = %lld: over 2147483647",
					key[i].name, (long long)n);
		row->input_tokens += why ? 0 : n;
		if (i == PREFIX && !why)
			row->prefix_tokens = (uint32_t)n;
		return why;
	}
}

/* All prompts share a prefix that has no id. */
static const char *check(struct trace *t, unsigned seen, struct trace_row *row)
{
	(void)t, (void)seen;
	if (!row->prefix_group)
		row->prefix_group = 1;
	return NULL;
}

const struct trace_format trace_inference_perf_prefixes = {
    .name = "inference_perf",
    .shape = TRACE_JSON_LINES,
    .has_times = 1,
    .failed_rows = 1,
    .column = key,
    .value = value,
    .check = check};

/* ---- per-request report ---- */

/* Reads the tokens of a request. */
static const char *info(struct trace *t, struct json_cursor *j,
			struct trace_row *row)
{
	struct span name, s;
	const char *why = NULL;
	jc_enter(j, '{');
	while (!why && jc_key(j, &name)) {
		int is_input = span_is(name, "input_tokens");
		if ((!is_input && !span_is(name, "output_tokens")) ||
		    jc_peek(j) != '0')
			jc_skip(j);
		else if (jc_number(j, &s))
			why = is_input ? trace_whole(t, s, "input_tokens",
						     &row->input_tokens)
				       : trace_whole(t, s, "output_tokens",
						     &row->output_tokens);
	}
	return why ? why : j->why;
}

/* Adds a request; one that failed has no output. */
static const char *request(struct trace *t, struct json_cursor *j,
			   uint64_t line)
{
	struct trace_row row = {.request.line = line};
	struct span name, s;
	const char *why = NULL;
	int failed = 0, has_start = 0;
	jc_enter(j, '{');
	while (!why && jc_key(j, &name)) {
		if (span_is(name, "info") && jc_peek(j) == '{') {
			why = info(t, j, &row);
		} else if (span_is(name, "start_time") && jc_number(j, &s)) {
			why = trace_time(t, s, "start_time", 9, &row.time_ns);
			has_start = 1;
		} else if (!j->why) {
			failed |= span_is(name, "error") && jc_peek(j) != 'n';
			jc_skip(j);
		}
	}
	if (why || j->why)
		return why ? why : j->why;
	if (!has_start)
		return "a request without start_time";
	if (failed)
		row.output_tokens = 0;
	return trace_items_add(t, &row);
}

static int load(struct trace *t, FILE *f, struct problem *p)
{
	return trace_load_array(t, f, request, p);
}

const struct trace_format trace_inference_perf_report = {
    .name = "inference_perf",
    .shape = TRACE_DOCUMENT,
    .has_times = 1,
    .failed_rows = 1,
    .mark = {"\"start_time\""},
    .load = load,
    .item = trace_items_item,
    .unload = trace_items_unload};
