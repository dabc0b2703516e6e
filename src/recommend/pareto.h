/* recommend/pareto.h -- the Pareto front of an arm: what no other run that met
 * the bounds beats in both of two figures.  Its points are the runs of the
 * race, and for each shape a ladder of lower rates.  [main] */
#pragma once
#include "recommend/state.h"

enum { PARETO_RUNGS = 6 };
/* Adds a run that met the bounds.  Returns 0, or -1 with *p. */
int pareto_add(struct recommend_arm *a, size_t point,
	       const struct work_served *served, struct problem *p);
/* Lists the entries of a->ladder: of each shape the one that reached most.
 * Returns 0, or -1 with *p. */
int pareto_rate_steps(struct recommend_arm *a, struct problem *p);
/* The scale of a rung, from 0, of that entry. */
double pareto_rate_step(const struct recommend_arm *a, size_t entry,
			size_t rung);
/* Sorts a->met, drops equal ones, and marks the front.  Returns 0, or -1 with
 * *p. */
int pareto_mark(const struct recommend *r, struct recommend_arm *a,
		struct problem *p);
