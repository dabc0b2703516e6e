/* experiment/point.h -- lists what an experiment asks of cost models: a point
 * for each row, step or kernel, and arm that a column names. */
#ifndef SC_EXPERIMENT_POINT_H
#define SC_EXPERIMENT_POINT_H
#include "experiment/experiment.h"

/* Fills x->point; rows, asks and columns are all there.  0, or -1 with *p. */
int experiment_list_points(struct experiment *x, struct problem *p);
#endif
