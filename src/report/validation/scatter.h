/* report/validation/scatter.h -- predicted over measured times of many runs, a
 * panel for each arm, with 90 % intervals as whiskers. */
#pragma once
#include <stdio.h>
#include "validate/score/scores.h"

/* Draws each latency that was measured, for a page.  Nothing if memory is
 * out. */
void scatter_all(const struct validation *v, enum fold_by by, FILE *f);
