/* store/columns.h -- what stands in the store about a run or a capacity search:
 * one column a figure, named as in the JSON, in this order. */
#ifndef SC_STORE_COLUMNS_H
#define SC_STORE_COLUMNS_H
#include <stddef.h>

/* What was done at every point. */
enum store_mode { STORE_RUN, STORE_CAPACITY, STORE_MODES };
extern const char *const store_mode_name[]; /* NULL-terminated */

struct store_column {
	const char *name, *unit;
	int better;   /* 1: more is, -1: less is, 0: neither                 */
	int is_tail;  /* a latency that an overload makes meaningless        */
	int headline; /* stands in the text table                            */
};
enum { STORE_NUMBERS = 96, STORE_TEXTS = 4 }; /* at most, of a mode */

/* The i-th column of numbers: 1; 0: there are no more. */
int store_number(enum store_mode mode, size_t i, struct store_column *out);
size_t store_n_numbers(enum store_mode mode);
/* The names of the columns of texts; NULL after the last. */
const char *store_text(enum store_mode mode, size_t i);
size_t store_n_texts(enum store_mode mode);

/* Where they begin among the numbers: of a run its metrics (record/metrics.h),
 * costs (record/figures.h) and shares of time by provenance; of a capacity
 * search its figures, and every latency in the order of metric[]. */
size_t store_at_costs(void);
size_t store_at_coverage(void);
size_t store_at_latencies(void);
#endif
