/* report/results/pools.h -- prefill and decode apart, as tables: what the
 * replicas of each pool did, and the KV caches sent between them.  No printing.
 */
#ifndef SC_REPORT_RESULTS_POOLS_H
#define SC_REPORT_RESULTS_POOLS_H
#include "report/columns.h"
#include "study/results.h"

/* Is there an arm with two pools? */
int pools_any(const struct results *r);
/* A row for each figure, a column for each pool of each arm; columns_free(). */
void pools_columns(struct columns *c, const struct results *r);
/* The same of the transfers, a column for each arm. */
void pools_transfers(struct columns *c, const struct results *r);
#endif
