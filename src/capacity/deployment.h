/* capacity/deployment.h -- ways to serve a workload (a GPU, a degree of tensor
 * parallelism, replicas ...), each searched for its capacity under every arm in
 * jobs of its own: what serving costs that way, and what the arms would choose.
 *
 * All searches of a way use runs of the same length and the same seeds, so that
 * arms can be compared on the same requests.  Between rounds of jobs the
 * searches are looked at together: they end once no narrower interval would
 * change what to buy.  [main] */
#ifndef SC_CAPACITY_DEPLOYMENT_H
#define SC_CAPACITY_DEPLOYMENT_H
#include "arm/configuration.h"
#include "base/names.h"
#include "jobs/jobs.h"
#include "keys/prices.h"
#include "record/figures.h"
#include "record/usd.h"
#include "capacity/compare.h"
#include "capacity/capacity.h"
#include "trust/trusted.h"
#include "decide/verdict.h"

/* The configuration with a few keys set; the name is freed with it. */
struct deployment_way {
	char *name;
	struct config config;
};

/* What a search finds.  Plain data. */
struct deployment {
	struct capacity capacity;
	uint32_t gpus; /* of one deployment: all replicas                    */
	uint32_t reserved;
	double usd_per_hour;  /* of one GPU; 0: unknown                       */
	double usd_per_joule; /* 0: energy has no price                      */
	struct price price[2]; /* of prefill and decode, if they are apart    */
	struct trusted trusted;
	/* The capacity if all bounded figures lie at the far end of their
	 * intervals, within a few percent; has_cautious 0: none has an
	 * interval. */
	struct capacity cautious;
	uint32_t has_cautious, also_reserved;
};

/* What the job of a search leaves.  Plain data. */
struct search_left {
	struct deployment found;
	struct capacity_search search;
};

/* What a search is by default. */
#define SEARCH_PRECISION 0.03
#define SEARCH_CONFIDENCE 0.9
#define SEARCH_REQUEST_LIMIT 2000000
#define SEARCH_MARGIN 0.03 /* arms with rates this close are alike         */
/* How to search. */
struct deployment_search {
	double precision, confidence; /* of intervals                        */
	uint64_t request_limit;       /* capacity.h: of each search          */
	int one_draw; /* search the configured requests alone                */
};

/* Two arms of a way that both found a rate. */
struct deployment_pair {
	size_t way, a, b;
	struct comparison is;
};

struct deployments;
/* What the job of a search is to do. */
struct search_task {
	const struct deployments *all;
	const struct config *config;
	size_t arm;
	const struct search_left *so_far; /* NULL: the search begins         */
	double half_width;
};
/* One round: a job for each search that was not over and had not failed. */
struct deployment_round {
	struct job *job;          /* [n]                                     */
	struct search_task *task; /* [n]                                     */
	size_t *index;            /* [n] of the search                       */
	size_t n;
	struct jobs jobs;
};
/* Zeroed at first; not to be moved once loaded. */
struct deployments {
	/* the caller's */
	struct bounds bounds;
	double rate; /* requests/s to be served; 0: none asked for           */
	struct deployment_search how;
	/* of deployments_load() */
	struct deployment_way *way;
	size_t n_ways, n_arms;
	/* of deployments_run(): [n_ways][n_arms] */
	struct search_left *left;
	struct names *said; /* what each search had to say, line by line     */
	struct deployment_round *round;
	size_t n_rounds;
	struct deployment_pair *pair;
	size_t n_pairs;
	struct decision decision;
	int interrupted; /* the signal that ended the searches; 0: none      */
};

/* The arguments of config_load(), without the way to serve. */
struct deployment_source {
	const char *path, *arms;
	const char *const *set;
	size_t n_set;
};
/* way: "NAME:SECTION.KEY=VALUE,..." each; none: one way, as configured.  0, or
 * -1 with *p.  deployments_free() in either case. */
int deployments_load(struct deployments *d,
		     const struct deployment_source *from,
		     const char *const *way, size_t n_ways, struct problem *p);
void deployments_free(struct deployments *d);
void deployment_round_free(struct deployment_round *r);

/* Ways times arms. */
size_t deployments_n(const struct deployments *d);
/* The job of a search: the one that failed, or the last. */
const struct job *deployments_job(const struct deployments *d, size_t way,
				  size_t arm);
/* Lines: notes on the workload, "warning: ..." of the cost model, rejections.
 */
const struct names *deployments_said(const struct deployments *d, size_t way,
				     size_t arm);
/* NULL: the search failed. */
const struct deployment *deployments_at(const struct deployments *d, size_t way,
					size_t arm);
/* Of an output token at its capacity; NaN: unknown, or no rate meets the
 * bounds. */
double deployment_joules(const struct deployment *x);
/* Of one deployment at its capacity; NaN: no price, or no rate meets the
 * bounds. */
struct usd_per_mtok deployment_usd_per_mtok(const struct deployment *x);
/* All of these, at enum capacity_figure; rate: as of struct deployments. */
void deployment_figures(const struct deployment *x, double rate,
			double v[N_CAPACITY_FIGURES]);
#endif
