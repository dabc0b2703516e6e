/* capacity/deployment.h -- candidates to serve a workload (a GPU, a degree of
 * tensor parallelism, a router ...), each asked for its capacity under every
 * arm in a job of its own: what serving costs, and what the arms would choose.
 *
 * All searches use the same seeds, so that arms can be compared on the same
 * requests.  [main] */
#pragma once
#include "arm/configuration.h"
#include "base/names.h"
#include "capacity/answer.h"
#include "capacity/compare.h"
#include "decide/verdict.h"
#include "jobs/jobs.h"

/* The most requests/s that a command may be asked for; the largest services
 * have thousands. */
#define MOST_RATE 1e7

/* The configuration with a few keys set; the name is freed with it. */
struct deployment_candidate {
	char *name;
	struct config config;
	int sets_fleet; /* its keys say how many replicas there are           */
};

/* What the job of a search leaves.  Plain data. */
struct search_left {
	struct capacity_answer found;
	struct capacity_search search;
};

/* How to search. */
struct deployment_search {
	double precision, confidence; /* of intervals                        */
	uint64_t request_limit;       /* capacity.h: of each search          */
	int one_draw;       /* search the configured requests alone          */
	int is_independent; /* fleets are units with arrivals of their own   */
};

/* Two arms that both found a rate for a candidate. */
struct deployment_pair {
	size_t candidate, a, b;
	struct comparison is;
};

struct deployments;
/* What the job of a search is to do. */
struct search_task {
	const struct deployments *all;
	size_t candidate, arm;
};
/* Zeroed at first; not to be moved once loaded. */
struct deployments {
	/* the caller's */
	struct bounds bounds;
	double rate; /* requests/s to be served; 0: none asked for           */
	struct deployment_search how;
	/* of deployments_load() */
	struct deployment_candidate *candidate;
	size_t n_candidates, n_arms;
	/* of deployments_run(): [n_candidates][n_arms] */
	struct search_left *left;
	struct names *said; /* what each search had to say, line by line     */
	struct job *job;
	struct search_task *task;
	struct jobs jobs;
	struct deployment_pair *pair;
	size_t n_pairs;
	struct decision decision;
	int interrupted; /* the signal that ended the searches; 0: none      */
};

/* The arguments of config_load(), without the candidate. */
struct deployment_source {
	const char *path, *arms;
	const char *const *set;
	size_t n_set;
};
/* candidate: "NAME:SECTION.KEY=VALUE,..." each; none: one way, as configured.
 * 0, or -1 with *p.  deployments_free() in either case. */
int deployments_load(struct deployments *d,
		     const struct deployment_source *from,
		     const char *const *candidate, size_t n_candidates,
		     struct problem *p);
void deployments_free(struct deployments *d);

/* Ways times arms. */
size_t deployments_n(const struct deployments *d);
/* The job of a search. */
const struct job *deployments_job(const struct deployments *d, size_t candidate,
				  size_t arm);
/* Lines: notes on the workload, "warning: ..." of the cost model, rejections.
 */
const struct names *deployments_said(const struct deployments *d,
				     size_t candidate, size_t arm);
/* NULL: the search failed. */
const struct capacity_answer *deployments_at(const struct deployments *d,
					     size_t candidate, size_t arm);
