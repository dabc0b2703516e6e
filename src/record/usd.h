/* record/usd.h -- what a million output tokens cost: the hours of the GPUs, the
 * energy that they take, and both.  Every command takes its prices from here.
 * [any thread] */
#pragma once
#include "sim/outcome.h"

struct usd_of {
	double usd_per_hour; /* of all GPUs; NaN, 0: unknown                 */
	double tokens_per_s; /* of output, by all GPUs                       */
	double joules_per_token; /* of output; NaN: unknown                  */
	double usd_per_joule;    /* 0: energy has no price                   */
};
/* USD per million output tokens; NaN: unknown.  If energy has a price, the sum
 * is known only if both parts are. */
struct usd_per_mtok {
	double gpus, energy, sum;
};
struct usd_per_mtok usd_per_mtok(const struct usd_of *x);
/* The same for a run, with the GPU hours of an autoscaled fleet between the
 * first arrival and the last token. */
struct usd_per_mtok usd_per_mtok_of_run(const struct outcome *o);
