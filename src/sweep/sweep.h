/* sweep/sweep.h -- many points of one configuration; every arm and seed of each
 * point is a row in a store.
 *
 * A row with the same key is not computed again.  Committed rows stay, however
 * the sweep ends; a later call computes the rest.  The rows are then the same
 * as after an undisturbed sweep, for any number of workers.  [main]; no
 * printing. */
#pragma once
#include "arm/configuration.h"
#include "record/warm_up.h"
#include "store/store.h"
#include "capacity/capacity.h"
#include "sweep/plan.h"
#include "workload/trace/traces.h"

/* The request of the user; the caller owns it. */
struct sweep_request {
	const char *config, *arms; /* as in config_load() */
	struct names set;
	struct plan_source plan;
	int64_t seeds;   /* per point; 1: only that of the configuration */
	const char *slo; /* search the capacity; NULL: run once */
	const char *slo_option; /* that gave slo, for messages */
	double rate, precision; /* for a capacity search (deployment.h) */
	const char *warm_up;    /* as record/warm_up.h reads it; NULL: none */
};

/* The resolved request.  Must not be moved. */
struct sweep {
	/* at the first point with a valid configuration */
	struct config config;
	struct plan plan;
	struct bounds bounds;
	struct names arms; /* names of arms in rows */
	int64_t seeds;
	double rate, precision;
	struct warm_up_rule warm_up;
	char *configuration, *axes, *options, *arms_text;
	char *search; /* description of a capacity search or a warm-up, for
			 keys */
	struct store_study study; /* of the whole plan, not of a shard */
	struct names axis;        /* only the names */
};
/* Returns 0, or -1 with *p filled in.  The caller calls sweep_free() in either
 * case. */
int sweep_open(struct sweep *s, const struct sweep_request *r,
	       struct problem *p);
void sweep_free(struct sweep *s);
/* Lists the assignments of --set, then those of a point.  Returns 0, or -1 with
 * *p. */
int sweep_set_point(struct names *out, const struct names *set,
		    const struct plan *l, size_t point, struct problem *p);
