/* report/capacity_curve.h -- figures of a capacity search: a bounded latency
 * against the load, the bound, and each answer with its interval. */
#pragma once
#include <stdio.h>
#include "draw/plot.h"
#include "capacity/deployment.h"

/* Writes a figure for each bound that limits a search.  Returns 0, or -1 with
 * *p filled in. */
int capacity_curves(const struct deployments *d, FILE *f, struct problem *p);
/* Draws the first of them into a file.  Returns 0, or -1 with *p filled in. */
int capacity_plot(const struct deployments *d, struct plot *to,
		  struct problem *p);
