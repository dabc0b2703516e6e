/* trace_mooncake.c -- Mooncake: JSON lines, ms, hash ids of 512 tokens; and
 * Qwen-Bailian, which shares the names but not the units: s, 16 tokens. */
#include <config.h>
#include "trace.h"
#include "trace_formats.h"

enum {
	TIMESTAMP,
	INPUT,
	OUTPUT,
	HASH_IDS,
	SESSION_ID,
	DELAY,
};
static const struct trace_column mooncake_key[] = {
    {"timestamp", 1}, {"input_length", 1}, {"output_length", 1},
    {"hash_ids", 0},  {"session_id", 0},   {"delay", 0},
    {NULL, 0},
};

static const char *common(struct trace *t, int i, struct jsonline *j, int power,
			  struct trace_row *row)
{
	struct span s;
	if (i == HASH_IDS)
		return trace_blocks(t, j, row);
	if (!jl_number(j, &s))
		return j->why;
	if (i == TIMESTAMP)
		return trace_time(t, s, "timestamp", power, &row->time_ns);
	return i == INPUT
		   ? trace_whole(t, s, "input_length", &row->input_tokens)
		   : trace_whole(t, s, "output_length", &row->output_tokens);
}

static const char *mooncake_value(struct trace *t, int i, struct jsonline *j,
				  struct trace_row *row)
{
	struct span s;
	if (i == DELAY)
		return "delay: turns that wait for the one before are not read";
	if (i != SESSION_ID)
		return common(t, i, j, 6, row);
	if (jl_peek(j) == '"' ? !jl_string(j, &s) : !jl_number(j, &s))
		return j->why;
	row->session = trace_text_id(s.s, s.n);
	return NULL;
}

static const char *check(struct trace *t, unsigned seen, struct trace_row *row)
{
	(void)seen;
	return trace_check_blocks(t, row);
}

const struct trace_format trace_mooncake = {.name = "mooncake",
					    .shape = TRACE_JSON_LINES,
					    .has_times = 1,
					    .failed_rows = 1,
					    .block_tokens = 512,
					    .column = mooncake_key,
					    .value = mooncake_value,
					    .check = check};
