/* stepcost.c -- The project's own format: CSV with columns by name; arrival_us
 * counts from the run's start. */
#include <string.h>
#include "base/decimal.h"
#include "workload/trace/trace_formats.h"
#include "workload/trace/trace_reader.h"

enum {
	ARRIVAL,
	INPUT,
	OUTPUT,
	REQUEST_ID,
	SESSION_ID,
	TURN,
	PREFIX_GROUP,
	PREFIX_TOKENS,
	PRIORITY,
	SLO_CLASS,
	ADAPTER,
	CACHE_SALT,
	MM_ITEMS,
	MAX_TOKENS,
	STOP_TOKENS,
	CANCEL,
};

static const struct trace_column column[] = {
    {"arrival_us", 1},
    {"input_tokens", 1},
    {"output_tokens", 1},
    {"request_id", 0},
    {"session_id", 0},
    {"turn", 0},
    {"prefix_group", 0},
    {"prefix_tokens", 0},
    {"priority", 0},
    {"slo_class", 0},
    {"adapter", 0},
    {"cache_salt", 0},
    {"mm_items", 0},
    {"max_tokens", 0},
    {"stop_tokens", 0},
    {"cancel_us", 0},
    {"n", TRACE_RESERVED},
    {"image_tokens", TRACE_RESERVED},
    {NULL, 0},
};

static const char *optional(struct trace *t, const struct span *cell, int c,
			    int64_t most, int64_t *out)
{
	const char *why =
	    cell[c].n ? trace_whole(t, cell[c], column[c].name, out) : NULL;
	return why || *out <= most
		   ? why
		   : trace_say(t, "%s = %s: at most %lld", column[c].name,
			       cell[c].s, (long long)most);
}

/* Reads the prefix and the session that a request shares with others. */
static const char *sharing(struct trace *t, const struct span *cell,
			   struct trace_row *row)
{
	int64_t prefix = 0, turn = 0;
	const char *why =
	    optional(t, cell, PREFIX_TOKENS, row->input_tokens, &prefix);
	if (!why)
		why = optional(t, cell, TURN, INT32_MAX, &turn);
	if (why)
		return why;
	if (cell[PREFIX_GROUP].n)
		row->prefix_group =
		    trace_text_id(cell[PREFIX_GROUP].s, cell[PREFIX_GROUP].n);
	else if (prefix)
		return "prefix_tokens without a prefix_group";
	if (cell[SESSION_ID].n)
		row->request.session =
		    trace_text_id(cell[SESSION_ID].s, cell[SESSION_ID].n);
	else if (cell[TURN].n)
		return "turn without a session_id";
	row->grows = row->request.session != 0;
	row->prefix_tokens = (uint32_t)prefix;
	row->request.turn = (uint32_t)turn;
	return NULL;
}

/* Reads priority and SLO class of a request. */
static const char *standing(struct trace *t, const struct span *cell,
			    struct request *r)
{
	int64_t slo_class = 0;
	const char *why = NULL;
	if (cell[PRIORITY].n)
		why = trace_priority(t, cell[PRIORITY], &r->priority);
	/* A class is a number, or a name that is hashed to a number. */
	if (cell[SLO_CLASS].n &&
	    (decimal_whole(cell[SLO_CLASS].s, cell[SLO_CLASS].n, &slo_class) <
		 0 ||
	     slo_class > UINT32_MAX))
		slo_class = (int64_t)trace_text_id(cell[SLO_CLASS].s,
						   cell[SLO_CLASS].n);
	r->slo_class = (uint32_t)slo_class;
	return why;
}

/* 0: the cell is empty. */
static uint64_t named(struct span cell)
{
	return cell.n ? trace_text_id(cell.s, cell.n) : 0;
}

/* When the request ends before the tokens that the engine plans. */
static const char *ends(struct trace *t, const struct span *cell,
			struct trace_row *row)
{
	int64_t most = 0, stop = 0, cancel_ns;
	const char *why = optional(t, cell, MAX_TOKENS, INT32_MAX, &most);
	if (!why)
		why = optional(t, cell, STOP_TOKENS, INT32_MAX, &stop);
	if (!why && cell[CANCEL].n)
		why = trace_time(t, cell[CANCEL], "cancel_us", 3, &cancel_ns);
	if (!why && cell[CANCEL].n)
		why = trace_cancel(t, row, cancel_ns);
	return why ? why : trace_ends(t, row, most, stop);
}

static const char *on_row(struct trace *t, const struct span *cell,
			  struct trace_row *row)
{
	const char *why =
	    trace_time(t, cell[ARRIVAL], "arrival_us", 3, &row->time_ns);
	if (!why)
		why = trace_whole(t, cell[INPUT], "input_tokens",
				  &row->input_tokens);
	if (!why)
		why = trace_whole(t, cell[OUTPUT], "output_tokens",
				  &row->output_tokens);
	if (!why)
		why = sharing(t, cell, row);
	if (!why)
		why = standing(t, cell, &row->request);
	if (!why)
		why = trace_items(t, cell[MM_ITEMS], row);
	if (!why)
		why = trace_check_items(t, row);
	if (!why)
		why = ends(t, cell, row);
	if (why)
		return why;
	row->request.adapter = named(cell[ADAPTER]);
	row->request.cache_salt = named(cell[CACHE_SALT]);
	row->request.name = cell[REQUEST_ID].n ? cell[REQUEST_ID].s : NULL;
	return NULL;
}

const struct trace_format trace_stepcost = {.name = "stepcost",
					    .shape = TRACE_CSV,
					    .has_times = 1,
					    .absolute = 1,
					    .column = column,
					    .only_these = 1,
					    .row = on_row};
