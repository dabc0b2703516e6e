/* experiment/compute.h -- fills in the tables of an experiment from the answers
 * to its points, compares them cell by cell, and decides on the hypothesis. */
#pragma once
#include "experiment/experiment.h"

/* A cell agrees if the text is equal; in a column without a number of digits
 * also if the number is equal.  Returns 0, or -1 with *p filled in. */
int experiment_compute(struct experiment *x, struct problem *p);
