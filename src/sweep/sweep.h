/* sweep/sweep.h -- many points of one configuration, every arm and seed of each
 * a row in a store.
 *
 * A row that is there under the same key is not computed again.  What is
 * committed stays, whatever ends the sweep; a later call does the rest, and the
 * rows are then those of a sweep that was never disturbed, whatever the number
 * of workers.  [main]; no printing. */
#ifndef SC_SWEEP_SWEEP_H
#define SC_SWEEP_SWEEP_H
#include "arm/configuration.h"
#include "store/store.h"
#include "study/capacity/capacity.h"
#include "sweep/plan.h"
#include "workload/traces.h"

/* What the user asks for; the caller's. */
struct sweep_request {
	const char *config, *arms; /* as config_load() takes them            */
	struct names set;
	struct plan_source plan;
	int64_t seeds;   /* of each point; 1: that of the configuration      */
	const char *slo; /* search the capacity; NULL: run once              */
	double rate, precision; /* of a capacity search (deployment.h)       */
};

/* The same resolved.  Not to be moved. */
struct sweep {
	struct config config; /* at the first point that can be              */
	struct plan plan;
	struct bounds bounds;
	struct names arms; /* as rows name them                              */
	int64_t seeds;
	double rate, precision;
	char *configuration, *axes, *options, *arms_text;
	char *search; /* of a capacity search, for keys                      */
	struct store_study study; /* of the whole, not of a shard            */
	struct names axis;        /* the names alone                         */
};
/* 0, or -1 with *p; sweep_free() in either case. */
int sweep_open(struct sweep *s, const struct sweep_request *r,
	       struct problem *p);
void sweep_free(struct sweep *s);

#endif
