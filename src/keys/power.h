/* keys/power.h -- the power of a GPU under load, as a law with coefficients
 * that were fitted to measured serving runs (etc/power.csv).  Without such a
 * fit nothing is known: the power that a data sheet names is a limit, and no
 * measure of what a GPU takes.
 *
 *   P = min(limit, limit (a + b m^p + c k^q))
 *
 * m: bytes moved over what the memory could move in that time; k: FLOP over
 * what the GPU could compute.  [any thread] */
#pragma once
#include "base/problem.h"

/* Plain data.  limit_w 0: not known, and all others are 0. */
struct power_law {
	double limit_w, a, b, p, c, q;
	double error; /* mean, as a share, of models left out of the fit; 0:
			 it was not scored                              */
	/* Set by the configuration, not read from the file: */
	double idle_w; /* without a step; 0: not known                  */
	double usd_per_joule; /* 0: not known                                 */
	double usd_per_hour;  /* of the GPU itself; 0: not known              */
};

/* Fills in the law of the GPU of that name from etc/power.csv.  Returns 0, also
 * if it is not there, or -1 with "path:line: the fault" in *p. */
int power_find(const char *gpu, struct power_law *out, struct problem *p);
/* Writes the coefficients, "700 0.066 0.1 1.3 0.99 0.15": the version of a law,
 * by which its scored errors are known.  Returns to. */
enum { POWER_LAW_TEXT = 80 };
const char *power_law_text(char to[POWER_LAW_TEXT], const struct power_law *l);
/* Returns watts of one GPU.  memory, compute: shares of the time, which may be
 * above 1. */
double power_watts(const struct power_law *l, double memory, double compute);
