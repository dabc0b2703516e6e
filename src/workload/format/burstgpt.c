/* burstgpt.c -- BurstGPT: CSV with columns by name; v3 has two more columns in
 * front.  Times are seconds from its own origin, whole or as 19440110.0.  0
 * response tokens mean a failed request.  API rows have no Session ID. */
#include "workload/trace/trace_formats.h"

enum { TIMESTAMP, REQUEST, RESPONSE, MODEL, TOTAL, LOG_TYPE, SESSION };
static const struct trace_column column[] = {
    {"Timestamp", 1},       {"Request tokens", 1},
    {"Response tokens", 1}, {"Model", 0},
    {"Total tokens", 0},    {"Log Type", 0},
    {"Session ID", 0},      {NULL, 0},
};

static const char *on_row(struct trace *t, const struct span *cell,
			  struct trace_row *row)
{
	const char *why =
	    trace_time(t, cell[TIMESTAMP], "Timestamp", 9, &row->time_ns);
	if (!why)
		why = trace_whole(t, cell[REQUEST], "Request tokens",
				  &row->input_tokens);
	if (!why)
		why = trace_whole(t, cell[RESPONSE], "Response tokens",
				  &row->output_tokens);
	if (cell[SESSION].n)
		row->request.session =
		    trace_text_id(cell[SESSION].s, cell[SESSION].n);
	return why;
}

const struct trace_format trace_burstgpt = {.name = "burstgpt",
					    .shape = TRACE_CSV,
					    .has_times = 1,
					    .failed_rows = 1,
					    .column = column,
					    .row = on_row};
