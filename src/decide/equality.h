/* decide/equality.h -- whether two cost models are one: their prices of the
 * same steps, compared to the last bit.  [any thread] */
#pragma once
#include <stdint.h>

enum equality {
	EQUAL_IDENTICAL, /* the same bits of exact_us on all rows */
	EQUAL_EQUAL,     /* to 1e-12 */
	EQUAL_ROUNDING,  /* total_us is equal on all rows */
	EQUAL_DIFFER,
	N_EQUALITIES
};
extern const char *const equality_name[N_EQUALITIES];
/* Plain data.  Zeroed: no step was added. */
struct equal_steps {
	double largest;      /* of |a - b| / max(a, b), by exact_us */
	uint64_t steps;      /* that both price */
	uint64_t differing;  /* steps with other bits of total_us */
	uint64_t other_bits; /* of exact_us */
	uint64_t worst;      /* of the steps added, from 0: that of `largest` */
};
void equal_steps_add(struct equal_steps *e, double exact_a, double exact_b,
		     double total_a, double total_b);
enum equality equal_steps_verdict(const struct equal_steps *e);
/* Returns 1 if only rounding is left between the two. */
int equal_steps_are_one(const struct equal_steps *e);
/* Adds the steps of *more, which come after those of *e. */
void equal_steps_join(struct equal_steps *e, const struct equal_steps *more);
