/* mooncake.c -- Mooncake: JSON lines, whole ms, hash ids of 512 tokens; and
 * Qwen-Bailian, which has the same names but other units: seconds, 16
 * tokens. */
#include <stdlib.h>
#include <string.h>
#include "base/map64.h"
#include "workload/trace/trace_formats.h"

enum {
	TIMESTAMP,
	INPUT,
	OUTPUT,
	HASH_IDS,
	N_COMMON,
	SESSION_ID = N_COMMON,
	DELAY,
	CHAT_ID = N_COMMON,
	PARENT,
	TURN,
};
static const struct trace_column mooncake_key[] = {
    {"timestamp", 1}, {"input_length", 1}, {"output_length", 1},
    {"hash_ids", 0},  {"session_id", 0},   {"delay", 0},
    {NULL, 0},
};
static const struct trace_column qwen_key[] = {
    {"timestamp", 1}, {"input_length", 1}, {"output_length", 1},
    {"hash_ids", 0},  {"chat_id", 1},      {"parent_chat_id", 1},
    {"turn", 0},      {NULL, 0},
};

static const char *common(struct trace *t, int i, struct json_cursor *j,
			  struct trace_row *row, struct span *s)
{
	if (i == HASH_IDS)
		return trace_blocks(t, j, row);
	if (!jc_number(j, s))
		return j->why;
	if (i == INPUT)
		return trace_whole(t, *s, "input_length", &row->input_tokens);
	if (i == OUTPUT)
		return trace_whole(t, *s, "output_length", &row->output_tokens);
	return NULL;
}

static const char *mooncake_value(struct trace *t, int i, struct json_cursor *j,
				  struct trace_row *row)
{
	struct span s;
	if (i == DELAY)
		return "delay: for turns that wait for an earlier one give "
		       "format = aiperf";
	if (i == SESSION_ID) {
		if (jc_peek(j) == '"' ? !jc_string(j, &s) : !jc_number(j, &s))
			return j->why;
		row->request.session = trace_text_id(s.s, s.n);
		return NULL;
	}
	const char *why = common(t, i, j, row, &s);
	if (why || i != TIMESTAMP)
		return why;
	if (memchr(s.s, '.', s.n))
		return trace_say(t,
				 "timestamp = %.*s: Mooncake's are whole ms "
				 "(Qwen's are seconds: format = qwen)",
				 (int)s.n, s.s);
	return trace_time(t, s, "timestamp", 6, &row->time_ns);
}

static const char *check(struct trace *t, unsigned seen, struct trace_row *row)
{
	(void)seen;
	return trace_check_blocks(t, row);
}

/* ---- Qwen ---- */

enum { OWN_CHAT, OWN_PARENT };

/* Returns the state: a map from a chat to 1 + the first chat of its
 * conversation. */
static struct map64 *roots(struct trace *t)
{
	void **state = trace_state(t);
	if (!*state)
		*state = calloc(1, sizeof(struct map64));
	return *state;
}

static const char *qwen_value(struct trace *t, int i, struct json_cursor *j,
			      struct trace_row *row)
{
	struct span s;
	int64_t turn = 0;
	const char *why = common(t, i, j, row, &s);
	if (why)
		return why;
	switch (i) {
	case TIMESTAMP:
		return trace_time(t, s, "timestamp", 9, &row->time_ns);
	case CHAT_ID:
		return trace_whole(t, s, "chat_id", &row->own[OWN_CHAT]);
	case PARENT:
		row->own[OWN_PARENT] = -1;
		return s.s[0] == '-' ? NULL
				     : trace_whole(t, s, "parent_chat_id",
						   &row->own[OWN_PARENT]);
	case TURN:
		why = trace_whole(t, s, "turn", &turn);
		row->request.turn =
		    (uint32_t)(turn < UINT32_MAX ? turn : UINT32_MAX);
		return why;
	default:
		return NULL;
	}
}

static const char *qwen_check(struct trace *t, unsigned seen,
			      struct trace_row *row)
{
	struct map64 *m = roots(t);
	uint64_t root = (uint64_t)row->own[OWN_CHAT] + 1, *at;
	(void)seen;
	if (!m)
		return out_of_memory;
	if (row->own[OWN_PARENT] >= 0) {
		at = map64_at(m, (uint64_t)row->own[OWN_PARENT], NULL);
		if (!at)
			return out_of_memory;
		if (!*at) /* its first turn is not in the file */
			*at = (uint64_t)row->own[OWN_PARENT] + 1;
		root = *at;
	}
	at = map64_at(m, (uint64_t)row->own[OWN_CHAT], NULL);
	if (!at)
		return out_of_memory;
	*at = row->request.session = root;
	/* Some files list full blocks only. */
	if (row->n_blocks == row->input_tokens / trace_block_tokens(t))
		return NULL;
	return trace_check_blocks(t, row);
}

static void unload(struct trace *t)
{
	struct map64 *m = *trace_state(t);
	if (m)
		map64_free(m);
	free(m);
}

const struct trace_format trace_mooncake = {.name = "mooncake",
					    .shape = TRACE_JSON_LINES,
					    .has_times = 1,
					    .failed_rows = 1,
					    .block_tokens = 512,
					    .column = mooncake_key,
					    .value = mooncake_value,
					    .check = check};
const struct trace_format trace_qwen = {.name = "qwen",
					.shape = TRACE_JSON_LINES,
					.has_times = 1,
					.failed_rows = 1,
					.block_tokens = 16,
					.column = qwen_key,
					.value = qwen_value,
					.check = qwen_check,
					.unload = unload};
