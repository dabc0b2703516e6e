/* trust/interval.h -- the interval in which a measurement would probably lie,
 * from the errors of other runs (split conformal prediction).  It uses the
 * residuals ln(measured / predicted) of unsaturated rows.
 *
 * For a model with runs: the most specific group with 20 rows of {GPU family,
 * class, format}, {class, format}, {class}, all.  With n residuals and coverage
 * c: their median, and the ceil((n+1) c)-th smallest distance from it; with 60
 * or more, the floor((n+1) (1-c)/2)-th and the ceil((n+1) (1+c)/2)-th residual.
 * Source: Lei et al., Distribution-Free Predictive Inference for Regression,
 * JASA 2018.
 *
 * For a model without: runs of one deployment (model, engine, GPU family,
 * format) are alike, so deployments have the same weight.  The first group with
 * nine of them of {engine, class}, {engine}; else all, if they are three.  Each
 * of k deployments weighs 1/(k+1), divided among its rows; the ends are
 * the weighted (1-c)/2 and (1+c)/2 quantiles, and half of the share that is
 * left lies beyond each end.
 *
 * All latencies have the same group: the one chosen for mean TPOT.  A
 * percentile that too few of its runs have errs as its mean does, and as
 * percentiles err beyond their means in all runs; any other such figure has no
 * interval.  Of a light load (place.h)
 * only rows of light loads count, if the file has closed loops too, where
 * clients queue for each other; all do if those are too few.
 *
 * Errors of a publisher are alike, so those of another one are larger than the
 * group says: trust_prepare() finds by how much.  Sources: the widening of both
 * ends, Romano et al., Conformalized Quantile Regression, NeurIPS 2019; the
 * largest of groups, Barber et al., Predictive Inference with the Jackknife+,
 * Annals of Statistics 2021.
 *
 * A GPU family that no scored run is of has no interval.
 *
 * TTFT of a model with linear layers has no interval: its prompts were served
 * far more slowly than predicted (plugins/operators/operators.md).
 *
 * Files without numbers of parameters do not tell models: all have runs then.
 * Plain data; no printing. */
#pragma once
#include <stdint.h>
#include "trust/scored.h"

#define INTERVAL_COVERAGE 0.9

struct trust_interval {
	double low, high; /* factors on the prediction */
	double coverage;
	uint32_t n; /* rows of the group; 0: no group has enough */
	/* "dense bf16 on H100", "moe under vllm, 4 deployments, models left
	 * out" */
	char group[96];
};

struct interval_of {
	const struct scored *scored;
	const struct trust_place *at;
	const char *metric; /* "mean_ttft_ms" */
	double coverage;
	/* 1: a model with runs takes the next wider group */
	int extrapolated;
	/* leave out the rows of this fold; NULL: use all */
	const char *without_fold;
};
/* Sets s->widening: the least that widens intervals until they hold the
 * coverage of the rows of each publisher, when it is left out, and the
 * deployment of each row.  0: they need not be wider, or no two publishers are
 * named.  Of the question: coverage, without_fold, and metric; NULL: of all
 * latencies. */
void trust_prepare(struct scored *s, const struct interval_of *asked);
/* Returns n = 0 if there is no interval, or if memory is out. */
struct trust_interval trust_interval_of(const struct interval_of *q);
