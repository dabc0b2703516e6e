/* steps/own_tables.h -- sets of tables that were measured on the machine of the
 * steps, as bench_data/accuracy/measured_with.csv says.  A price by them shows
 * how kernels add up to a step; it predicts no other machine.  [main] */
#pragma once
#include "steps/set.h"

/* Adds the names of these sets.  Of a file of steps its name counts, without
 * folders.  Returns 0, or -1 with *p filled in. */
int own_tables_find(struct names *sets, const struct step_set *steps,
		    struct problem *p);
