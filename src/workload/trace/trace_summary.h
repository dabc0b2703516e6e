/* workload/trace/trace_summary.h -- statistics of a trace.  Its memory grows
 * with the distinct lengths, sessions and hash ids, not with the rows; if the
 * trace is not in order of time it is read twice, and its times are kept. */
#pragma once
#include "base/map64.h"
#include "workload/trace/trace.h"

/* Values, and how often each occurred. */
struct counts {
	struct map64 count;
	struct map64_entry *sorted; /* by value, after counts_sort() */
	uint64_t n;
	double sum;
};

struct trace_summary {
	uint64_t requests, failed, cancelled; /* by their clients */
	/* Rows with a time of their own, which the gaps and the span are of. */
	uint64_t timed;
	/* line of the first row that is earlier than the row before it */
	uint64_t inversion;
	int64_t span_ns, gap_max_ns;
	uint64_t zero_gaps;
	double gap_mean_ns, gap_squares; /* Welford's sums */
	struct counts input, output;
	struct map64 sessions, blocks;
	uint64_t hash_ids, hash_hits; /* a hit: the id occurred before */
};

/* Reads the trace, at most `limit` rows (0: all).  Returns 0, or -1 with *p
 * filled in. */
int trace_summary_take(struct trace_summary *c, struct trace *t, uint64_t limit,
		       struct problem *p);
void trace_summary_free(struct trace_summary *c);
/* Returns NaN if there is none (one request has no gap). */
double trace_summary_gap_cv(const struct trace_summary *c);
/* Returns the rows with a time but the first one, per second of the span. */
double trace_summary_rate(const struct trace_summary *c);
/* Linear percentile as in numpy, q in 0 … 100. */
double counts_percentile(const struct counts *t, double q);
double counts_mean(const struct counts *t);
double counts_std(const struct counts *t); /* of the population */
