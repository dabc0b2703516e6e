/* record/metrics.h -- the metrics of a run, with the names of `vllm bench
 * serve`, as data: table, CSV and JSON all come from one list. */
#pragma once
#include <stddef.h>
#include "sim/outcome.h"

enum metric_kind {
	METRIC_COUNT,  /* an integer */
	METRIC_NUMBER, /* a double; NaN: does not apply */
};
struct metric {
	const char *name; /* "mean_ttft_ms" */
	const char *unit; /* for the table; "" for a pure number */
	enum metric_kind kind;
	int decimals; /* in the table */
	int headline; /* 1: shown in the table; 0: only in CSV and JSON */
	int better;   /* 1: more is better, -1: less is better, 0: neither */
	int tail;     /* 1: a latency that is meaningless after an overload */
	/* 1: of drafts, pipelines or graphs: NaN in other runs, and then
	 * neither in the table nor in JSON. */
	int special;
	/* 1: the table shows it only if an arm has it above 0. */
	int rare;
	int positions; /* 1: the table adds a row per draft position */
	double (*number)(const struct outcome *o, size_t arg);
	size_t arg; /* argument of number() */
};
extern const struct metric metric[];
extern const size_t n_metrics;

/* Metrics of a pool, for disaggregated prefill and decode (outcome.n_pools is
 * 2), and of the KV caches sent between the pools.  NaN: does not apply. */
struct pool_metric {
	const char *name;
	int decimals;
	double (*number)(const struct outcome *o, uint32_t pool);
};
extern const char *const pool_name[2]; /* "prefill", "decode" */
extern const struct pool_metric pool_metric[];
extern const size_t n_pool_metrics;
struct transfer_metric {
	const char *name;
	int decimals;
	double (*number)(const struct outcome *o);
};
extern const struct transfer_metric transfer_metric[];
extern const size_t n_transfer_metrics;

/* Returns the share of verified decodes in which the draft at that position,
 * from 0, was accepted; NaN: there is none. */
double metric_acceptance_at(const struct outcome *o, uint32_t position);
/* The same as a metric, for the table; its name is stored in name[]. */
enum { METRIC_NAME_AT = 40 };
struct metric metric_of_position(uint32_t position, char name[METRIC_NAME_AT]);

double metric_value(const struct metric *m, const struct outcome *o);
/* Returns 1 if every metric has the same value, or none, in both. */
int metrics_are_equal(const struct outcome *a, const struct outcome *b);
/* Returns NULL if there is no such metric. */
const struct metric *metric_find(const char *name);
