/* recommend/entries.h -- what the survey of an arm leaves: the configurations
 * that can be, as entries of its race, and why the others cannot; and warnings.
 * [main] */
#pragma once
#include "recommend/state.h"

/* Notes why the configuration at a point cannot be.  Returns 0, or -1 with
 * *p. */
int entries_refuse(struct recommend_arm *a, size_t point, const char *says,
		   int is_failure, struct problem *p);
/* Notes what a cost model says about the configuration at a point.  Returns 0,
 * or -1 with *p. */
int entries_warn(struct recommend_arm *a, size_t point, const char *says,
		 struct problem *p);
void entries_free_reasons(struct recommend_reasons *l);
/* Fills in a->entry from a->survey.  Returns 0, or -1 with *p. */
int entries_make(const struct recommend *r, struct recommend_arm *a,
		 struct problem *p);
