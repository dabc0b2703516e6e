/* report/results/pools.h -- disaggregated prefill and decode as tables: the
 * work of each pool's replicas, and the KV caches sent between the pools.  No
 * printing. */
#pragma once
#include "report/columns.h"
#include "study/results.h"

/* Returns 1 if an arm has two pools. */
int pools_any(const struct results *r);
/* Fills in one row per figure, with one column per pool of each arm.  The
 * caller calls columns_free(). */
void pools_columns(struct columns *c, const struct results *r);
/* The same for the transfers, with one column per arm. */
void pools_transfers(struct columns *c, const struct results *r);
