/* vidur.c -- vidur: CSV of seconds and lengths; or lengths alone
 * (num_total_tokens, pd_ratio) without arrival times. */
#include "workload/trace/trace_formats.h"

enum { PREFILL, DECODE, ARRIVED };
static const struct trace_column column[] = {{"num_prefill_tokens", 1},
					     {"num_decode_tokens", 1},
					     {"arrived_at", 0},
					     {NULL, 0}};

/* Replaces 0 tokens by 1, as vidur does. */
static void at_least_1(struct trace *t, int64_t *tokens)
{
	if (*tokens >= 1)
		return;
	*tokens = 1;
	trace_remark(t, "0 tokens are read as 1, as in vidur");
}

static const char *on_row(struct trace *t, const struct span *cell,
			  struct trace_row *row)
{
	const char *why = trace_whole(t, cell[PREFILL], "num_prefill_tokens",
				      &row->input_tokens);
	if (!why)
		why = trace_whole(t, cell[DECODE], "num_decode_tokens",
				  &row->output_tokens);
	if (!why && cell[ARRIVED].s)
		why = trace_time(t, cell[ARRIVED], "arrived_at", 9,
				 &row->time_ns);
	trace_set_times(t, trace_has_column(t, ARRIVED));
	at_least_1(t, &row->input_tokens);
	at_least_1(t, &row->output_tokens);
	return why;
}

const struct trace_format trace_vidur = {.name = "vidur",
					 .shape = TRACE_CSV,
					 .has_times = 1,
					 .column = column,
					 .row = on_row};
