/* study/deployment.h -- ways to serve a workload (a GPU, a degree of tensor
 * parallelism, replicas ...), each searched for its capacity under every arm in
 * a job of its own: what serving costs that way, which way an arm would choose,
 * and whether all arms choose alike.
 *
 * A way is judged by money if every GPU has a price, else by GPUs; for the rate
 * that was asked for, else per output token or per request.  [main] */
#ifndef SC_STUDY_DEPLOYMENT_H
#define SC_STUDY_DEPLOYMENT_H
#include "arm/configuration.h"
#include "base/names.h"
#include "jobs/jobs.h"
#include "record/figures.h"
#include "study/capacity.h"
#include "study/trusted.h"

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
	double usd_per_hour; /* of one GPU; 0: unknown                       */
	struct trusted trusted;
	/* What of the capacity is left if all bounded figures lie at the far
	 * end of their intervals; has_cautious 0: none has an interval. */
	struct capacity cautious;
	uint32_t has_cautious, also_reserved;
};

/* Zeroed at first; not to be moved once loaded. */
struct deployments {
	/* the caller's */
	struct bounds bounds;
	double rate;      /* requests/s to be served; 0: none asked for      */
	double precision; /* relative, of the rates found                    */
	/* of deployments_load() */
	struct deployment_way *way;
	size_t n_ways, n_arms;
	/* of deployments_run(): [n_ways][n_arms] */
	struct job *job;
	struct deployment_task *task;
	struct names *said; /* what each search had to say, line by line     */
	struct jobs jobs;
};

/* What config_load() takes, but for the way. */
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
/* how: as jobs_run() takes it; shared_bytes is set here.  0, or -1 with *p:
 * nothing was run.  How each search fared is in its job. */
int deployments_run(struct deployments *d, const struct jobs_options *how,
		    struct problem *p);
void deployments_free(struct deployments *d);

/* Lines: notes on the workload, "warning: ..." of the cost model, rejections.
 */
const struct names *deployments_said(const struct deployments *d, size_t way,
				     size_t arm);
/* NULL: the search failed. */
const struct deployment *deployments_at(const struct deployments *d, size_t way,
					size_t arm);
/* Deployments that the rate takes; without a rate one; infinite, if none can
 * meet the bounds. */
double deployments_needed(const struct deployments *d,
			  const struct deployment *x);
double deployments_gpus(const struct deployments *d,
			const struct deployment *x);
/* Of all of them; NaN: a GPU has no price. */
double deployments_usd_per_hour(const struct deployments *d,
				const struct deployment *x);
/* Of one at its capacity, per million output tokens; NaN: no price, or none. */
double deployment_usd_per_mtok(const struct deployment *x);
/* All of these, at enum capacity_figure; rate: as of struct deployments. */
void deployment_figures(const struct deployment *x, double rate,
			double v[N_CAPACITY_FIGURES]);

/* 1: ways are judged by money. */
int deployments_priced(const struct deployments *d);
/* 1: a search of that arm failed, so that it cannot choose. */
int deployments_failed(const struct deployments *d, size_t arm);
/* The way that an arm would choose; n_ways: none meets the bounds. */
size_t deployments_choice(const struct deployments *d, size_t arm);
/* The same at the far end of all intervals; without any as it stands. */
size_t deployments_cautious_choice(const struct deployments *d, size_t arm);
/* 1: two arms that can choose, choose differently. */
int deployments_differ(const struct deployments *d);
#endif
