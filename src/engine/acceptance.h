/* engine/acceptance.h -- measured acceptance lengths of public drafters, from
 * etc/acceptance.csv: a set has a row for each number of drafts.  A length
 * counts the token of the target model: 1 + accepted drafts.  [main] */
#pragma once
#include <stdint.h>
#include "base/problem.h"

/* Returns 0, or -1 with *p filled in (EXIT_USAGE): there is no such set, or it
 * has no such number of drafts; the message lists those that there are. */
int acceptance_length(double *length, const char *set, uint32_t drafts,
		      struct problem *p);
