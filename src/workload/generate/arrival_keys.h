/* workload/generate/arrival_keys.h -- arrivals from the keys of [workload]. */
#pragma once
#include "base/ini.h"
#include "base/problem.h"
#include "workload/arrival.h"
#include "workload/keys.h"

/* Starts *a; the caller frees a->stage in either case.  Exactly one key may set
 * the arrival times; a --set of one replaces another one in the file, which is
 * cleared in *k.  With concurrency the workload does not use *a.  Returns 0, or
 * -1 with *p filled in (EXIT_USAGE). */
int arrival_from_keys(struct arrival *a, struct workload_keys *k,
		      const struct ini *c, struct problem *p);
