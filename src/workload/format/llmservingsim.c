/* llmservingsim.c -- LLMServingSim: JSON lines with ns as integers beyond 2^32
 * and with the tokens themselves; equal blocks of 16 tokens give shared
 * prefixes.  Its measured rows have arrival_time in epoch seconds instead;
 * other clocks in them are not read.  Rows with sub_requests are refused. */
#include "base/hash.h"
#include "workload/trace/trace_formats.h"

enum { INPUT, OUTPUT, ARRIVAL_NS, ARRIVAL_S, INPUT_IDS, REQUEST_ID, SUB };
static const struct trace_column key[] = {
    {"input_toks", 1},      {"output_toks", 1},
    {"arrival_time_ns", 0}, {"arrival_time", 0},
    {"input_tok_ids", 0},   {"request_id", 0},
    {"sub_requests", 0},    {NULL, 0},
};

/* The id of a block is a hash of its tokens. */
static const char *tokens(struct trace *t, struct json_cursor *j,
			  struct trace_row *row)
{
	uint32_t size = trace_block_tokens(t), n = 0;
	uint64_t h = 0;
	struct span s;
	const char *why = NULL;
	jc_enter(j, '[');
	while (!why && jc_element(j) && jc_number(j, &s)) {
		h = hash_mix(h ^ trace_text_id(s.s, s.n));
		if (++n % size == 0) {
			why = trace_add_block(t, row, h);
			h = 0;
		}
	}
	if (!why && n % size)
		why = trace_add_block(t, row, h);
	row->own[0] = n; /* the number of tokens */
	return why ? why : j->why;
}

static const char *value(struct trace *t, int i, struct json_cursor *j,
			 struct trace_row *row)
{
	struct span s;
	if (i == SUB)
		return "sub_requests: agentic rows are not supported";
	if (i == INPUT_IDS)
		return tokens(t, j, row);
	if (i == REQUEST_ID) {
		jc_skip(j);
		return j->why;
	}
	if (!jc_number(j, &s))
		return j->why;
	if (i == INPUT)
		return trace_whole(t, s, "input_toks", &row->input_tokens);
	if (i == OUTPUT)
		return trace_whole(t, s, "output_toks", &row->output_tokens);
	return i == ARRIVAL_NS
		   ? trace_time(t, s, "arrival_time_ns", 0, &row->time_ns)
		   : trace_time(t, s, "arrival_time", 9, &row->time_ns);
}

static const char *check(struct trace *t, unsigned seen, struct trace_row *row)
{
	unsigned times = seen & (1u << ARRIVAL_NS | 1u << ARRIVAL_S);
	if (!times || times & (times - 1))
		return "one of arrival_time_ns and arrival_time is needed";
	if (seen & 1u << INPUT_IDS && row->own[0] != row->input_tokens)
		return trace_say(t, "input_toks = %lld, but %lld input_tok_ids",
				 (long long)row->input_tokens,
				 (long long)row->own[0]);
	return NULL;
}

const struct trace_format trace_llmservingsim = {.name = "llmservingsim",
						 .shape = TRACE_JSON_LINES,
						 .has_times = 1,
						 .block_tokens = 16,
						 .column = key,
						 .value = value,
						 .check = check};
