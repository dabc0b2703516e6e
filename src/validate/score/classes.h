/* validate/score/classes.h -- what measured rows have in common: errors are
 * summed up for each value of each grouping. */
#pragma once
#include "validate/validation.h"

struct grouping {
	const char *name;
	/* What a row has there, into buf; "-": it does not say. */
	void (*value)(const struct validation *v, size_t arm, size_t row,
		      char *buf, size_t size);
};
extern const struct grouping grouping[];
extern const size_t n_groupings;
/* The same, of rows of prefill and decode apart. */
extern const struct grouping apart_grouping[];
extern const size_t n_apart_groupings;
