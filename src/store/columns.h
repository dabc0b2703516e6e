/* store/columns.h -- the columns of the store for a run or a capacity search:
 * one per figure, with the names of the JSON, in this order. */
#pragma once
#include <stddef.h>

/* The work at every point. */
enum store_mode { STORE_RUN, STORE_CAPACITY, STORE_MODES };
extern const char *const store_mode_name[]; /* ends with NULL */

struct store_column {
	const char *name, *unit;
	int better;   /* 1: more is better, -1: less is better, 0: neither */
	int is_tail;  /* 1: a latency that is meaningless after an overload */
	int headline; /* 1: shown in the text table */
};
enum { STORE_NUMBERS = 104, STORE_TEXTS = 4 }; /* at most, per mode */

/* Returns 1 with the i-th column of numbers, or 0 if there are no more. */
int store_number(enum store_mode mode, size_t i, struct store_column *out);
size_t store_n_numbers(enum store_mode mode);
/* Returns the name of the i-th column of texts, or NULL behind the last. */
const char *store_text(enum store_mode mode, size_t i);
size_t store_n_texts(enum store_mode mode);

/* Return where these groups begin among the numbers.  A run has its metrics
 * (record/metrics.h), costs (record/figures.h) and shares of time by
 * provenance; a capacity search has its figures, and every latency in the order
 * of metric[]. */
size_t store_at_costs(void);
size_t store_at_coverage(void);
size_t store_at_latencies(void);
