/* experiment/run.h -- prices the points of an experiment, those of each arm in
 * a job of its own.  [main] */
#pragma once
#include "arm/configuration.h"
#include "experiment/experiment.h"

/* Fills in the answers in x->point.  config: from the same INI; it must have
 * every arm that a column names.  Nothing is scheduled, so its engine gets
 * unlimited KV blocks, and the GPU's memory need not be known.  host: receives
 * each log message once, even if several arms log it.  Returns 0, or -1 with *p
 * filled in from the first arm that failed. */
int experiment_price(struct experiment *x, struct config *config,
		     const sc_host *host, struct problem *p);
