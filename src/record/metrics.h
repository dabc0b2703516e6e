/* record/metrics.h -- the figures of a run, by the names that `vllm bench
 * serve` gives them, as data: table, CSV and JSON all come from one list. */
#ifndef SC_RECORD_METRICS_H
#define SC_RECORD_METRICS_H
#include <stddef.h>
#include "sim/outcome.h"

enum metric_kind {
	METRIC_COUNT,  /* an integer                                         */
	METRIC_NUMBER, /* a double; NaN: does not apply                      */
};
struct metric {
	const char *name; /* "mean_ttft_ms"                                  */
	const char *unit; /* for the table; "" where it is a pure number     */
	enum metric_kind kind;
	int decimals;  /* in the table                                        */
	int headline;  /* stands in the table; the others only in CSV, JSON   */
	int better;    /* 1: more is, -1: less is, 0: neither                 */
	int tail;      /* a latency that an overload makes meaningless        */
	int special;   /* of drafts, pipelines, graphs: NaN elsewhere, and then
			  neither in the table nor in JSON                    */
	int positions; /* in the table a row for each draft's follows         */
	double (*number)(const struct outcome *o, size_t arg);
	size_t arg; /* what number() is to look at                           */
};
extern const struct metric metric[];
extern const size_t n_metrics;

/* Of a pool, where prefill and decode are apart (outcome.n_pools is 2); and of
 * the KV caches sent between the pools.  NaN: does not apply. */
struct pool_metric {
	const char *name;
	int decimals;
	double (*number)(const struct outcome *o, uint32_t pool);
};
extern const char *const pool_name[2]; /* "prefill", "decode"                */
extern const struct pool_metric pool_metric[];
extern const size_t n_pool_metrics;
struct transfer_metric {
	const char *name;
	int decimals;
	double (*number)(const struct transfer_figures *t);
};
extern const struct transfer_metric transfer_metric[];
extern const size_t n_transfer_metrics;

/* Of what share of the verified decodes the draft at that position, from 0, was
 * accepted; NaN: there is none. */
double metric_acceptance_at(const struct outcome *o, uint32_t position);
/* The same as a metric, for the table; name[] is where its name is kept. */
enum { METRIC_NAME_AT = 40 };
struct metric metric_of_position(uint32_t position, char name[METRIC_NAME_AT]);

double metric_value(const struct metric *m, const struct outcome *o);
/* NULL: no such metric. */
const struct metric *metric_find(const char *name);
#endif
