/* experiment/run.h -- prices the points of an experiment, those of each arm in
 * a job of its own.  [main] */
#ifndef SC_EXPERIMENT_RUN_H
#define SC_EXPERIMENT_RUN_H
#include "arm/configuration.h"
#include "experiment/experiment.h"

/* Fills what x->point has of answers.  config: of the same INI; every arm that
 * a column names must be in it.  Nothing is scheduled, so its engine gets KV
 * blocks without limit and the GPU's memory need not be known.
 * host: is told what the arms log, once, however many log it.
 * 0, or -1 with *p, which is the first failed arm's. */
int experiment_price(struct experiment *x, struct config *config,
		     const sc_host *host, struct problem *p);
#endif
