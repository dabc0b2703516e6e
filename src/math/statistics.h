/* math/statistics.h -- means, deviations and percentiles of times in integer
 * ns, and time series of bounded size.
 *
 * Exact while there are fewer than STATS_EXACT samples; from then on
 * percentiles come from integer buckets of 0.1 % relative error in constant
 * memory, while count, sum and deviation stay exact.  Same samples in the same
 * order: same bits, whatever their weights were split into.
 * Knows nothing of the rest of the program.  [one thread] */
#ifndef SC_MATH_STATISTICS_H
#define SC_MATH_STATISTICS_H
#include <stddef.h>
#include <stdint.h>

#define STATS_EXACT 1000000u

/* A value in ns that was added so often. */
struct sample {
	int64_t value;
	uint64_t count;
};
/* Samples are put aside and counted together, which is fewer instructions than
 * as many calls between other work. */
enum { STATS_ASIDE = 32 };

struct stats {
	uint32_t n_aside;
	struct sample aside[STATS_ASIDE];
	/* without those: */
	uint64_t n;
	int64_t min, max;
	__int128 sum, sum_of_squares; /* of ns */
	/* exact: samples in order of arrival; how often each was added, NULL:
	 * once                                                              */
	int64_t *value;
	uint64_t *count;
	size_t n_values, cap;
	uint64_t *bucket;  /* or their histogram                             */
	int out_of_memory; /* sticky; some samples are missing then         */
};

/* Zeroed memory is an empty struct stats. */
void stats_free(struct stats *s);
/* Counts what was put aside. */
void stats_settle(struct stats *s);
/* count samples of value ns each, value >= 0. */
static inline void stats_add(struct stats *s, int64_t value, uint64_t count)
{
	s->aside[s->n_aside] = (struct sample){value, count};
	s->n_aside += count > 0;
	if (s->n_aside == STATS_ASIDE)
		stats_settle(s);
}

/* Plain data, no pointers: crosses process borders.  ns; NaN when n = 0. */
struct stats_summary {
	uint64_t n;
	double mean, std;          /* of the population */
	double p50, p90, p95, p99; /* numpy's linear interpolation */
	double min, max;
	uint32_t exact; /* 1: percentiles are; 0: 0.1 % */
	uint32_t reserved;
};
/* Reorders the samples; adding afterwards is fine. */
void stats_summarise(struct stats *s, struct stats_summary *out);
/* One more percentile, q in [0, 1]. */
double stats_quantile(struct stats *s, double q);

/* Of plain numbers: v[n] is put in ascending order, then asked for percentiles
 * by linear interpolation, n > 0 and q in [0, 1]. */
void stats_sort(double *v, size_t n);
double stats_percentile(const double *sorted, size_t n, double q);

/* What happened to steps that started within [i·width, (i+1)·width). */
struct series_bin {
	uint64_t steps, busy_ns;
	uint64_t sequences; /* summed over the steps */
	uint64_t tokens;    /* prompt and decode, computed */
	uint64_t blocks;    /* in use after scheduling, summed over the steps */
	uint64_t max_blocks;
	uint32_t max_sequences, max_waiting;
};
/* Bins double in width whenever the end is reached, so size is bounded and the
 * result a function of the samples alone.  Zeroed: empty. */
#define SERIES_BINS 256u
struct series {
	int64_t width_ns; /* 0: nothing yet */
	uint32_t n_bins;  /* used */
	uint32_t shift;   /* width_ns = 2^shift */
	struct series_bin bin[SERIES_BINS];
};
/* Steps of one bin. */
struct series_steps {
	int64_t start_ns; /* of one of them */
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
/* 1: steps that start between those two moments are of one bin, then and ever
 * after. */
static inline int series_is_one_bin(const struct series *s, int64_t first_ns,
				    int64_t last_ns)
{
	return s->width_ns && first_ns >> s->shift == last_ns >> s->shift;
}
/* In any order. */
void series_add(struct series *s, const struct series_steps *x, uint32_t n);
/* Steps that are put aside, likewise.  Zeroed: none. */
enum { SERIES_ASIDE = 64 };
struct series_aside {
	uint32_t n;
	struct series_steps steps[SERIES_ASIDE];
};
/* Adds them to s. */
static inline void series_settle(struct series *s, struct series_aside *a)
{
	series_add(s, a->steps, a->n);
	a->n = 0;
}
/* More, bound for s. */
static inline void series_put(struct series *s, struct series_aside *a,
			      const struct series_steps *x)
{
	a->steps[a->n++] = *x;
	if (a->n == SERIES_ASIDE)
		series_settle(s, a);
}
#endif
