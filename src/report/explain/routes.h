/* report/explain/routes.h -- why two arms with different routers differ:
 * queueing, imbalance between replicas, cache hits, and the rest.  For
 * explanations with explain_is_split() and routes_differ. */
#pragma once
#include <stdio.h>
#include "base/json/json_writer.h"
#include "report/columns.h"
#include "study/explain.h"

/* Own prompt time is tokens · time per token.  Cache hits: the change of the
 * tokens, at the mean of both times per token; pace: the change of the time per
 * token, at the mean of both tokens.  So both add up to its change. */
enum route_cause {
	ROUTE_CAUSE_QUEUEING, /* all queueing without the next one */
	ROUTE_CAUSE_IMBALANCE,
	ROUTE_CAUSE_HITS,
	ROUTE_CAUSE_PACE,
	ROUTE_CAUSE_STALLS, /* by others' prompts */
	ROUTE_CAUSE_REST,
	N_ROUTE_CAUSES
};
/* Fills in by − of of the mean of a metric (ATTRIBUTION_*), ns. */
void routes_causes(const struct explanation *x, int metric,
		   double ns[N_ROUTE_CAUSES]);

/* Writes the largest causes as the end of a sentence. */
void routes_say(FILE *f, const struct explanation *x, int metric, int decimals);
/* Fills in the table of all metrics; the caller calls columns_free(). */
void routes_table(struct columns *c, const struct explanation *x);
/* Writes "routing", an object, as a member of the open object. */
void routes_json(struct jw *j, const struct explanation *x);
/* Says in sentences what the causes are. */
extern const char routes_legend[];
