/* report/trace.h -- writes figures about a request trace, and the quantiles of
 * its lengths. */
#pragma once
#include <stdio.h>
#include "base/cmdline.h"
#include "workload/trace/trace_summary.h"

/* format: enum output_format. */
void trace_report(const struct trace *t, const struct trace_summary *s,
		  int format, FILE *f);
/* Writes the form that [workload] input_tokens = empirical:FILE reads. */
void trace_quantiles(const struct counts *t, FILE *f);
