/* experiment/point.h -- lists the questions of an experiment to cost models: a
 * point for each row, step or kernel, and arm that a column names. */
#pragma once
#include "experiment/experiment.h"

/* Fills in x->point; rows, asks and columns are complete.  Returns 0, or -1
 * with *p filled in. */
int experiment_list_points(struct experiment *x, struct problem *p);
