/* azure.c -- Azure LLM inference traces of 2023 and 2024: CSV with dates; their
 * seconds have 7 digits, or 6 and a time zone, or no fraction and a time
 * zone. */
#include "workload/trace/trace_date.h"
#include "workload/trace/trace_formats.h"
#include "workload/trace/trace_reader.h"

enum { TIMESTAMP, CONTEXT, GENERATED };
static const struct trace_column column[] = {
    {"TIMESTAMP", 1}, {"ContextTokens", 1}, {"GeneratedTokens", 1}, {NULL, 0}};

static const char *on_row(struct trace *t, const struct span *cell,
			  struct trace_row *row)
{
	if (!trace_date_ns(cell[TIMESTAMP].s, &row->time_ns))
		return trace_say(t,
				 "TIMESTAMP = %.60s: not a time as in "
				 "2023-11-16 18:15:46.6805900",
				 cell[TIMESTAMP].s);
	const char *why =
	    trace_whole(t, cell[CONTEXT], "ContextTokens", &row->input_tokens);
	return why ? why
		   : trace_whole(t, cell[GENERATED], "GeneratedTokens",
				 &row->output_tokens);
}

const struct trace_format trace_azure = {.name = "azure",
					 .shape = TRACE_CSV,
					 .has_times = 1,
					 .failed_rows = 1,
					 .column = column,
					 .row = on_row};
