/* workload/arrival_keys.h -- the arrivals that the keys of [workload] ask for.
 */
#ifndef SC_WORKLOAD_ARRIVAL_KEYS_H
#define SC_WORKLOAD_ARRIVAL_KEYS_H
#include "base/ini.h"
#include "base/problem.h"
#include "workload/arrival.h"
#include "workload/keys.h"

/* Starts *a (free a->stage in either case).  Exactly one key may say when
 * requests arrive; a --set of one takes the place of another in the file, which
 * is cleared in *k.  With concurrency the workload asks *a for nothing.
 * 0, or -1 with *p (EXIT_USAGE). */
int arrival_from_keys(struct arrival *a, struct workload_keys *k,
		      const struct ini *c, struct problem *p);
#endif
