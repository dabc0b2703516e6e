/* experiment/compute.h -- fills in the tables of an experiment from the answers
 * to its points, compares them cell by cell, and judges the hypothesis. */
#ifndef SC_EXPERIMENT_COMPUTE_H
#define SC_EXPERIMENT_COMPUTE_H
#include "experiment/experiment.h"

/* A cell agrees if the text is the same; in a column that does not say its
 * digits also if the number is.  0, or -1 with *p. */
int experiment_compute(struct experiment *x, struct problem *p);
#endif
