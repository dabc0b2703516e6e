/* workload/distribution.h -- a distribution in the syntax of the INI:
 *
 *   N  constant:N
 *   uniform:a,b                  whole numbers: all from a to b are equally
 *                                likely; else the real numbers between
 *   normal:mean,std              or normal:mean=,std= (or cv=)
 *   lognormal:mean=,p50=         a place (mean, p50, mu) and a spread (std,
 *                                cv, sigma, p90, p95, p99), or mean and p50
 *   exponential:mean             or exponential:mean=
 *   histogram:E=N,...            N values up to E, above the edge before it;
 *                                mean= is kept exactly
 *   empirical:FILE               see below
 *
 * `min=` and `max=` may follow: a draw outside becomes the limit.  FILE
 * (relative to the INI) is CSV: `tokens` (every row has the same weight; the
 * header may be left out), `tokens,weight`, or `quantile,tokens` (quantiles
 * from 0 to 1, linear between them). */
#pragma once
#include <stdint.h>
#include "base/ini.h"
#include "base/problem.h"
#include "math/rng.h"

enum distribution_kind {
	DISTRIBUTION_CONSTANT,    /* a */
	DISTRIBUTION_UNIFORM,     /* a … b */
	DISTRIBUTION_NORMAL,      /* mean a, deviation b */
	DISTRIBUTION_LOGNORMAL,   /* of the logarithm: mean a, deviation b */
	DISTRIBUTION_EXPONENTIAL, /* mean a */
	DISTRIBUTION_EMPIRICAL,   /* value[i] up to cumulative share until[i] */
	DISTRIBUTION_QUANTILES,   /* value[i] at the quantile until[i] */
	/* up to value[i] in the cumulative share until[i], from a; in each
	 * bucket a uniform draw is raised to the power b */
	DISTRIBUTION_HISTOGRAM,
};

struct distribution {
	enum distribution_kind kind;
	int whole; /* 1: draws are whole numbers */
	double a, b, min, max;
	double *value, *until; /* owned */
	uint32_t n;
};

/* The range of draws: whole numbers from 1 to 2^31 - 1, or reals from 0. */
enum distribution_of { OF_TOKENS, OF_SECONDS };

/* `at` ("file:line") and `key` (of [workload]) are for messages.  c gives the
 * folder of FILE and may be NULL.  Returns 0, or -1 with *p filled in:
 * EXIT_USAGE, or EXIT_INPUT for the content of FILE. */
int distribution_parse(struct distribution *d, const char *text,
		       enum distribution_of of, const char *at, const char *key,
		       const struct ini *c, struct problem *p);
/* Returns the first i with until[i] >= u, in ascending order; n - 1 if none
 * is. */
uint32_t distribution_find(const double *until, uint32_t n, double u);
double distribution_draw(const struct distribution *d, struct rng *r);
/* Returns a draw rounded to nearest; within the limits, so at least 1. */
uint32_t distribution_tokens(const struct distribution *d, struct rng *r);
/* Computes the first distribution_tokens() of each of the streams index, index
 * + 1, … */
void distribution_tokens_together(const struct distribution *d,
				  uint64_t streams, uint64_t index,
				  uint32_t to[RNG_TOGETHER]);
void distribution_free(struct distribution *d);
