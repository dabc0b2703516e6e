/* stepcost_trees.c -- The project's own format for sessions as trees: JSON
 * lines, in which a row comes at its time or after others. */
#include <stdlib.h>
#include <string.h>
#include "base/decimal.h"
#include "base/grow.h"
#include "workload/trace/trace_formats.h"

enum {
	REQUEST_ID,
	INPUT,
	OUTPUT,
	SESSION_ID,
	ARRIVAL,
	AFTER,
	DELAY,
	HASH_IDS,
	BLOCK_TOKENS,
	MAX_TOKENS,
	STOP_TOKENS,
	PRIORITY,
	ADAPTER,
	CACHE_SALT,
	MM_ITEMS,
	REPLICA,
	CANCEL,
	RESET,
	RECORD,
	CONFIGURATION,
};
static const struct trace_column key[] = {
    {"request_id", 1},     {"input_tokens", 1},  {"output_tokens", 1},
    {"session_id", 0},     {"arrival_us", 0},    {"after", 0},
    {"delay_us", 0},       {"hash_ids", 0},      {"block_tokens", 0},
    {"max_tokens", 0},     {"stop_tokens", 0},   {"priority", 0},
    {"adapter", 0},        {"cache_salt", 0},    {"mm_items", 0},
    {"replica", 0},        {"cancel_us", 0},     {"reset_us", 0},
    {"stepcost_trace", 0}, {"configuration", 0}, {NULL, 0},
};

static int is_text_key(int i)
{
	return i == REQUEST_ID || i == SESSION_ID || i == ADAPTER ||
	       i == CACHE_SALT || i == MM_ITEMS || i == CONFIGURATION;
}

/* Memory of the row that was read last. */
struct own {
	char *name;
	size_t name_cap;
	uint64_t *after;
	uint32_t after_cap;
};

static struct own *own(struct trace *t)
{
	void **state = trace_state(t);
	if (!*state)
		*state = calloc(1, sizeof(struct own));
	return *state;
}

/* Keeps the name of the row, which the request points to. */
static const char *name(struct trace *t, struct span s, struct trace_row *row)
{
	struct own *o = own(t);
	if (s.n == 0)
		return "request_id is empty";
	if (!o)
		return out_of_memory;
	if (s.n >= o->name_cap) {
		char *more = realloc(o->name, 2 * s.n + 1);
		if (!more)
			return out_of_memory;
		o->name = more;
		o->name_cap = 2 * s.n + 1;
	}
	memcpy(o->name, s.s, s.n);
	o->name[s.n] = '\0';
	row->request.name = o->name;
	row->id = trace_text_id(s.s, s.n);
	return NULL;
}

static const char *add_after(struct trace *t, struct span s,
			     struct trace_row *row)
{
	struct own *o = own(t);
	if (!o)
		return out_of_memory;
	if (!MAKE_ROOM(o->after, row->n_after, o->after_cap))
		return out_of_memory;
	o->after[row->n_after++] = trace_text_id(s.s, s.n);
	row->after = o->after;
	return NULL;
}

static const char *after(struct trace *t, struct json_cursor *j,
			 struct trace_row *row)
{
	struct span s;
	const char *why = NULL;
	jc_enter(j, '[');
	while (!why && jc_element(j)) {
		if (jc_peek(j) == '"' ? !trace_json_text(t, j, &s)
				      : !jc_number(j, &s))
			return j->why;
		why = add_after(t, s, row);
	}
	return why ? why : j->why;
}

static const char *block_tokens(struct trace *t, struct span s,
				struct trace_row *row)
{
	const int64_t most = 1 << 20;
	int64_t n;
	const char *why = trace_whole(t, s, "block_tokens", &n);
	if (!why && (n < 1 || n > most))
		why = trace_say(t, "block_tokens = %lld: 1 to %lld",
				(long long)n, (long long)most);
	row->own_block_tokens = why ? 0 : (uint32_t)n;
	return why;
}

/* Keys that a record of a server has. */
static const char *more(struct trace *t, int i, struct span s,
			struct trace_row *row)
{
	int64_t n = 0;
	const char *why = NULL;
	switch (i) {
	case ADAPTER:
		row->request.adapter = s.n ? trace_text_id(s.s, s.n) : 0;
		return NULL;
	case CACHE_SALT:
		row->request.cache_salt = s.n ? trace_text_id(s.s, s.n) : 0;
		return NULL;
	case MM_ITEMS:
		return trace_items(t, s, row);
	case PRIORITY:
		return trace_priority(t, s, &row->request.priority);
	case CANCEL:
		return trace_time(t, s, key[i].name, 3, &row->own[0]);
	case RESET:
		return trace_time(t, s, key[i].name, 3, &n);
	case CONFIGURATION:
		return NULL;
	default:
		why = trace_whole(t, s, key[i].name, &n);
	}
	if (!why && n >= UINT32_MAX)
		return trace_say(t, "%s = %lld: too large", key[i].name,
				 (long long)n);
	if (i == MAX_TOKENS)
		row->request.max_tokens = (uint32_t)n;
	else if (i == STOP_TOKENS)
		row->request.stop_tokens = (uint32_t)n;
	else if (i == REPLICA)
		row->request.pinned = 1 + (uint32_t)n;
	return why;
}

static int is_note(unsigned seen)
{
	return !(seen & 1u << INPUT) &&
	       seen & (1u << CANCEL | 1u << RESET | 1u << RECORD);
}

static const char *value(struct trace *t, int i, struct json_cursor *j,
			 struct trace_row *row)
{
	struct span s;
	if (i == AFTER)
		return after(t, j, row);
	if (i == HASH_IDS)
		return trace_blocks(t, j, row);
	int is_text = is_text_key(i) && jc_peek(j) == '"';
	if (is_text ? !trace_json_text(t, j, &s) : !jc_number(j, &s))
		return j->why;
	switch (i) {
	case REQUEST_ID:
		return name(t, s, row);
	case SESSION_ID:
		row->request.session = trace_text_id(s.s, s.n);
		return NULL;
	case INPUT:
		return trace_whole(t, s, key[i].name, &row->input_tokens);
	case OUTPUT:
		return trace_whole(t, s, key[i].name, &row->output_tokens);
	case ARRIVAL:
		return trace_time(t, s, key[i].name, 3, &row->time_ns);
	case DELAY:
		return trace_time(t, s, key[i].name, 3, &row->delay_ns);
	case BLOCK_TOKENS:
		return block_tokens(t, s, row);
	default:
		return more(t, i, s, row);
	}
}

/* A prompt may end in tokens that no block has, and so has fewer ids. */
static const char *check_blocks(struct trace *t, const struct trace_row *row)
{
	int64_t size = row->own_block_tokens;
	if (!row->n_blocks)
		return NULL;
	if (!size)
		return "hash_ids without block_tokens";
	int64_t most =
	    (row->input_tokens + row->output_tokens + size - 1) / size;
	return row->n_blocks <= most
		   ? NULL
		   : trace_say(t,
			       "%u hash_ids, but %lld tokens are %lld blocks "
			       "of %lld",
			       row->n_blocks, (long long)row->input_tokens,
			       (long long)most, (long long)size);
}

/* Checks that the keys of a row fit together. */
static const char *check(struct trace *t, unsigned seen, struct trace_row *row)
{
	int has_time = (seen & 1u << ARRIVAL) != 0;
	if (has_time && row->n_after)
		return "arrival_us and after: a row has one of them";
	if (!has_time && !row->n_after)
		return "neither arrival_us nor after: nothing says when it "
		       "comes";
	if (has_time && seen & 1u << DELAY)
		return "delay_us without after";
	if (row->delay_ns > REQUEST_LAST_NS)
		return "delay_us: over 146 years, where the clock ends";
	if (seen & 1u << CANCEL && row->n_after)
		return "cancel_us and after: a row has one of them";
	const char *why =
	    seen & 1u << CANCEL ? trace_cancel(t, row, row->own[0]) : NULL;
	if (!why)
		why = trace_check_items(t, row);
	if (!why)
		why = trace_ends(t, row, row->request.max_tokens,
				 row->request.stop_tokens);
	return why ? why : check_blocks(t, row);
}

static void unload(struct trace *t)
{
	struct own *o = *trace_state(t);
	if (o)
		free(o->name), free(o->after);
	free(o);
}

const struct trace_format trace_stepcost_trees = {.name = "stepcost",
						  .shape = TRACE_JSON_LINES,
						  .has_times = 1,
						  .absolute = 1,
						  .has_trees = 1,
						  .column = key,
						  .only_these = 1,
						  .value = value,
						  .check = check,
						  .is_note = is_note,
						  .unload = unload};
