/* math/statistics.h -- means, deviations and percentiles of times in integer
 * ns, and time series of bounded size.
 *
 * Exact while there are fewer than STATS_EXACT samples.  From then on
 * percentiles come from integer buckets with a relative error of 0.1 % in
 * constant memory; count, sum and deviation stay exact.  The same samples in
 * the same order give the same bits, even if they are split into several calls
 * with smaller counts.  Knows nothing of the rest of the program.  [one
 * thread] */
#pragma once
#include <stddef.h>
#include <stdint.h>

#define STATS_EXACT 1000000u

/* A value in ns, and how often it was added. */
struct sample {
	int64_t value;
	uint64_t count;
};
/* Samples are buffered and counted together, because this takes fewer
 * instructions than a call for each between other work. */
enum { STATS_BUFFER = 32 };

struct stats {
	uint32_t n_buffer;
	struct sample buffer[STATS_BUFFER];
	/* Without the buffered samples: */
	uint64_t n;
	int64_t min, max;
	__int128 sum, sum_of_squares; /* of ns */
	/* While exact: samples in order of arrival, and how often each was
	 * added (NULL: once each). */
	int64_t *value;
	uint64_t *count;
	size_t n_values, cap;
	uint64_t *bucket;  /* then: their histogram */
	int out_of_memory; /* sticky; some samples are missing then */
};

/* Zeroed memory is an empty struct stats. */
void stats_free(struct stats *s);
/* Counts the buffered samples. */
void stats_settle(struct stats *s);
/* Adds `count` samples of `value` ns each, value >= 0. */
static inline void stats_add(struct stats *s, int64_t value, uint64_t count)
{
	s->buffer[s->n_buffer] = (struct sample){value, count};
	s->n_buffer += count > 0;
	if (s->n_buffer == STATS_BUFFER)
		stats_settle(s);
}

/* Plain data without pointers, so it can cross process borders.  In ns; NaN if
 * n = 0. */
struct stats_summary {
	uint64_t n;
	double mean, std;          /* population standard deviation */
	double p50, p90, p95, p99; /* linear interpolation as in numpy */
	double min, max;
	uint32_t exact; /* 1: percentiles are exact; 0: within 0.1 % */
	uint32_t reserved;
};
/* Reorders the samples; more may be added afterwards. */
void stats_summarise(struct stats *s, struct stats_summary *out);
/* Returns any percentile, q in [0, 1]. */
double stats_quantile(struct stats *s, double q);
/* Returns the share of samples above a value; 0 without samples. */
double stats_share_above(struct stats *s, int64_t value);

/* For plain numbers: sort v[n] in ascending order, then ask for percentiles by
 * linear interpolation, n > 0 and q in [0, 1]. */
void stats_sort(double *v, size_t n);
double stats_percentile(const double *sorted, size_t n, double q);

/* Sums over the steps that started within [i·width, (i+1)·width). */
struct series_bin {
	uint64_t steps, busy_ns;
	uint64_t sequences; /* summed over the steps */
	uint64_t tokens;    /* prompt and decode tokens that were computed */
	uint64_t blocks;    /* in use after scheduling, summed over the steps */
	uint64_t max_blocks;
	uint32_t max_sequences, max_waiting;
};
/* The bins double in width whenever the end is reached, so the size is bounded
 * and the result depends on the samples alone.  Zeroed: empty. */
#define SERIES_BINS 256u
struct series {
	int64_t width_ns; /* 0: nothing yet */
	uint32_t n_bins;  /* bins in use */
	uint32_t shift;   /* width_ns = 2^shift */
	struct series_bin bin[SERIES_BINS];
};
/* Several steps of one bin. */
struct series_steps {
	int64_t start_ns; /* start of any of them */
	struct series_bin sum;
};
static inline struct series_steps series_step(int64_t start_ns, int64_t end_ns,
					      uint32_t sequences,
					      uint32_t waiting, uint64_t tokens,
					      uint64_t blocks)
{
	return (struct series_steps){
	    .start_ns = start_ns,
	    .sum = {.steps = 1,
		    .busy_ns = (uint64_t)(end_ns - start_ns),
		    .sequences = sequences,
		    .tokens = tokens,
		    .blocks = blocks,
		    .max_blocks = blocks,
		    .max_sequences = sequences,
		    .max_waiting = waiting}};
}
/* Returns 1 if steps that start between those two moments belong to one bin,
 * now and later. */
static inline int series_is_one_bin(const struct series *s, int64_t first_ns,
				    int64_t last_ns)
{
	return s->width_ns && first_ns >> s->shift == last_ns >> s->shift;
}
/* Adds steps, in any order. */
void series_add(struct series *s, const struct series_steps *x, uint32_t n);
/* Steps that are buffered in the same way.  Zeroed: none. */
enum { SERIES_BUFFER = 64 };
struct series_buffer {
	uint32_t n;
	struct series_steps steps[SERIES_BUFFER];
};
/* Adds the buffered steps to s. */
static inline void series_settle(struct series *s, struct series_buffer *a)
{
	series_add(s, a->steps, a->n);
	a->n = 0;
}
/* Buffers steps for s. */
static inline void series_put(struct series *s, struct series_buffer *a,
			      const struct series_steps *x)
{
	a->steps[a->n++] = *x;
	if (a->n == SERIES_BUFFER)
		series_settle(s, a);
}
