/* workload/distribution.h -- a distribution as the INI writes it:
 *
 *   N  constant:N
 *   uniform:a,b                  whole numbers: each from a to b alike;
 *                                else the real numbers between
 *   normal:mean,std              or normal:mean=,std= (or cv=)
 *   lognormal:mean=,p50=         a place (mean, p50, mu) and a spread (std,
 *                                cv, sigma, p90, p95, p99), or mean and p50
 *   exponential:mean             or exponential:mean=
 *   empirical:FILE               see below
 *
 * after which `min=` and `max=` may follow: a draw outside becomes the limit.
 * FILE (relative to the INI) is CSV: `tokens` (each row alike; the header may
 * be left out), `tokens,weight`, or `quantile,tokens` (quantiles from 0 to 1,
 * straight lines between). */
#ifndef SC_WORKLOAD_DISTRIBUTION_H
#define SC_WORKLOAD_DISTRIBUTION_H
#include <stdint.h>
#include "base/ini.h"
#include "base/problem.h"
#include "math/rng.h"

enum distribution_kind {
	DISTRIBUTION_CONSTANT,    /* a                                      */
	DISTRIBUTION_UNIFORM,     /* a … b                                  */
	DISTRIBUTION_NORMAL,      /* mean a, deviation b                    */
	DISTRIBUTION_LOGNORMAL,   /* of the logarithm: mean a, deviation b  */
	DISTRIBUTION_EXPONENTIAL, /* mean a                                 */
	DISTRIBUTION_EMPIRICAL,   /* value[i] up to the share until[i]      */
	DISTRIBUTION_QUANTILES,   /* value[i] at the quantile until[i]      */
};

struct distribution {
	enum distribution_kind kind;
	int whole; /* it is of whole numbers                                */
	double a, b, min, max;
	double *value, *until; /* owned                                      */
	uint32_t n;
};

/* What is it of?  Whole numbers from 1 to 2^31 - 1, or real ones from 0. */
enum distribution_of { OF_TOKENS, OF_SECONDS };

/* `at` ("file:line") and `key` (of [workload]) are for messages; c, for FILE's
 * folder, may be NULL.  0, or -1 with *p: EXIT_USAGE, or EXIT_INPUT for what
 * FILE holds. */
int distribution_parse(struct distribution *d, const char *text,
		       enum distribution_of of, const char *at, const char *key,
		       const struct ini *c, struct problem *p);
double distribution_draw(const struct distribution *d, struct rng *r);
/* Rounded to nearest; within the limits, so at least 1. */
uint32_t distribution_tokens(const struct distribution *d, struct rng *r);
/* The first distribution_tokens() of each of the streams index, index + 1, … */
void distribution_tokens_together(const struct distribution *d,
				  uint64_t streams, uint64_t index,
				  uint32_t to[RNG_TOGETHER]);
void distribution_free(struct distribution *d);
#endif
