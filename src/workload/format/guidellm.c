/* guidellm.c -- GuideLLM's inputs as JSON lines: data sets with counts of
 * tokens, and the rows of trace_synthetic, which have Mooncake's names and
 * times in s. */
#include "workload/trace/trace_formats.h"

/* ---- data sets ---- */

enum { PROMPT, INPUT, INPUT_ALIAS, OUTPUT, OUTPUT_ALIAS, SECOND };
static const struct trace_column data_key[] = {
    {"prompt", 0},
    {"prompt_tokens_count", 0},
    {"input_tokens_count", 0},
    {"output_tokens_count", 1},
    {"completion_tokens_count", 0},
    {"prompt_1", 0},
    {NULL, 0},
};

static const char *data_value(struct trace *t, int i, struct json_cursor *j,
			      struct trace_row *row)
{
	if (i == SECOND)
		return "prompt_1: rows of several turns are not read";
	if (i == PROMPT)
		return trace_json_prompt(t, j, row);
	return trace_json_whole(t, j, data_key[i].name,
				i == INPUT || i == INPUT_ALIAS
				    ? &row->input_tokens
				    : &row->output_tokens);
}

static const char *data_check(struct trace *t, unsigned seen,
			      struct trace_row *row)
{
	(void)t, (void)row;
	if (!(seen & (1u << PROMPT | 1u << INPUT | 1u << INPUT_ALIAS)))
		return "neither prompt nor prompt_tokens_count";
	return NULL;
}

const struct trace_format trace_guidellm_data = {.name = "guidellm",
						 .shape = TRACE_JSON_LINES,
						 .column = data_key,
						 .value = data_value,
						 .check = data_check};

/* ---- trace_synthetic ---- */

static const struct trace_column row_key[] = {
    {"timestamp", 1}, {"input_length", 1}, {"output_length", 1}, {NULL, 0}};

static const char *row_value(struct trace *t, int i, struct json_cursor *j,
			     struct trace_row *row)
{
	struct span s;
	if (!jc_number(j, &s))
		return j->why;
	if (i == 0)
		return trace_time(t, s, "timestamp", 9, &row->time_ns);
	return trace_whole(t, s, row_key[i].name,
			   i == 1 ? &row->input_tokens : &row->output_tokens);
}

const struct trace_format trace_guidellm_trace = {.name = "guidellm",
						  .shape = TRACE_JSON_LINES,
						  .has_times = 1,
						  .failed_rows = 1,
						  .column = row_key,
						  .value = row_value};
