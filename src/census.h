/* census.h -- what a trace holds, in figures: one pass, in memory that grows
 * with the distinct lengths, sessions and hash ids, not with the rows. */
#ifndef SC_SRC_CENSUS_H
#define SC_SRC_CENSUS_H
#include "map64.h"
#include "replay.h"

/* Values and how often each occurred. */
struct tally {
	struct map64 count;
	struct map64_entry *sorted; /* by value, after tally_sort()           */
	uint64_t n;
	double sum;
};

struct census {
	uint64_t requests, failed, sorted_from; /* sorted_from: the line of the
						   first row out of order, 0 */
	int64_t span_ns, gap_max_ns;
	uint64_t zero_gaps;
	double gap_mean_ns, gap_squares; /* Welford's sums                    */
	struct tally input, output;
	struct map64 sessions, blocks;
	uint64_t hash_ids, hash_hits; /* a hit: the id was there before       */
};

/* Reads what is left of the trace.  0, or -1 with *p. */
int census_take(struct census *c, struct replay *r, struct problem *p);
void census_free(struct census *c);
/* NaN where there is none (one request has no gap). */
double census_gap_cv(const struct census *c);
/* Requests after the first, per second of the span. */
double census_rate(const struct census *c);
/* As numpy's linear percentile, q in 0 … 100. */
double tally_percentile(const struct tally *t, double q);
double tally_mean(const struct tally *t);
double tally_std(const struct tally *t); /* of the population                 */
#endif
