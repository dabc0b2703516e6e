words='NAME=probe_lengths '"FILE=$work/probe.csv"
wants='300
probe_lengths'
plant() {
	cat >src/workload/format/probe_lengths.c <<'X'
/* probe_lengths.c -- CSV: seconds and lengths. */
#include "workload/trace/trace_formats.h"

enum { SECONDS, IN, OUT };
static const struct trace_column column[] = {
    {"probe_s", 1}, {"probe_in", 1}, {"probe_out", 1}, {NULL, 0}};

static const char *on_row(struct trace *t, const struct span *cell,
			  struct trace_row *row)
{
	const char *why =
	    trace_time(t, cell[SECONDS], "probe_s", 9, &row->time_ns);
	if (!why)
		why = trace_whole(t, cell[IN], "probe_in", &row->input_tokens);
	if (!why)
		why =
		    trace_whole(t, cell[OUT], "probe_out", &row->output_tokens);
	return why;
}

const struct trace_format trace_probe_lengths = {.name = "probe_lengths",
						 .shape = TRACE_CSV,
						 .has_times = 1,
						 .column = column,
						 .row = on_row};
X
	cat >t/workload/format/probe_lengths.c <<'X'
#include "trace_read.h"

int main(void)
{
	begin_traces();
	reads("seconds", "probe_s,probe_in,probe_out\n0,100,10\n1,300,20\n",
	      "", "0:100+10 1000000:300+20");
	return end_traces();
}
X
	behind src/workload/format/list.inc 'FORMAT(vidur, vidur)' 'FORMAT(probe_lengths, probe_lengths)'
	behind doc/workloads.md '| `vidur` |' '| `probe_lengths` | CSV | s | – |'
	printf 'probe_s,probe_in,probe_out\n0,100,10\n1,300,20\n' >"$work/probe.csv"
}
