/* bounds.c -- Reads latency bounds and scores latencies against them. */
#include "capacity/bounds.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name;
	enum latency latency;
} kind[] = {
    {"ttft", LATENCY_TTFT},         {"tpot", LATENCY_TPOT},
    {"itl", LATENCY_ITL},           {"e2el", LATENCY_E2EL},
    {"queueing", LATENCY_QUEUEING},
};
static const struct {
	const char *name, *also;
	double percentile;
} statistic[] = {
    {"mean", "mean", 0},  {"median", "p50", 0.5}, {"p90", "p90", 0.9},
    {"p95", "p95", 0.95}, {"p99", "p99", 0.99},
};
#define N(array) (sizeof array / sizeof *array)

/* Fills in what "p99_ttft_ms" or "ttft_p99_ms" says.  Returns 1, or 0 for a
 * name that is neither. */
static int understand(struct bound *b, const char *name)
{
	char spelled[2][48], metric_name[48];
	for (size_t i = 0; i < N(kind); i++)
		for (size_t k = 0; k < N(statistic); k++) {
			snprintf(metric_name, sizeof metric_name, "%s_%s_ms",
				 statistic[k].name, kind[i].name);
			snprintf(spelled[0], sizeof spelled[0], "%s_%s_ms",
				 statistic[k].also, kind[i].name);
			snprintf(spelled[1], sizeof spelled[1], "%s_%s_ms",
				 kind[i].name, statistic[k].also);
			if (strcmp(name, metric_name) != 0 &&
			    strcmp(name, spelled[0]) != 0 &&
			    strcmp(name, spelled[1]) != 0)
				continue;
			b->metric = metric_find(metric_name);
			b->latency = kind[i].latency;
			b->percentile = statistic[k].percentile;
			return b->metric != NULL;
		}
	if (strcmp(name, "goodput") != 0)
		return 0;
	b->metric = metric_find("request_goodput");
	b->latency = LATENCY_GOOD;
	return 1;
}

int slo_bound_make(struct bound *b, const char *name, double limit)
{
	*b = (struct bound){.limit = limit};
	return understand(b, name);
}

#define METRICS BOUND_LATENCIES " and goodput"

/* ms: the number that the item begins with, and `unit` follows. */
static int not_a_time(const char *option, const char *item, double ms,
		      const char *unit, struct problem *p)
{
	double factor = !strcmp(unit, "s")    ? 1e3
			: !strcmp(unit, "ms") ? 1
			: !strcmp(unit, "us") ? 1e-3
					      : 0;
	if (ms * factor > 0 && isfinite(ms))
		return problem_set(
		    p, EXIT_USAGE,
		    "%s %s: give a number of ms, without a unit: "
		    "%.*s%.12g",
		    option, item, (int)strcspn(item, "=") + 1, item,
		    ms * factor);
	return problem_set(p, EXIT_USAGE, "%s %s: not a time above 0 ms",
			   option, item);
}

static int bound_parse(struct bounds *b, const char *option, const char *item,
		       struct problem *p)
{
	char name[64], *end;
	size_t n = strcspn(item, "=");
	if (item[n] != '=' || n >= sizeof name)
		return problem_set(p, EXIT_USAGE,
				   "%s %s: a bound is METRIC=LIMIT, as in "
				   "ttft_p95_ms=500; metrics are " METRICS,
				   option, item);
	memcpy(name, item, n);
	name[n] = '\0';
	struct bound x;
	if (!slo_bound_make(&x, name, strtod(item + n + 1, &end)))
		return problem_set(
		    p, EXIT_USAGE,
		    "%s %s: no such latency; metrics are " METRICS, option,
		    name);
	int is_number = end != item + n + 1 && !*end;
	if (x.latency == LATENCY_GOOD &&
	    !(is_number && x.limit > 0 && x.limit < 1))
		return problem_set(p, EXIT_USAGE,
				   "%s %s: not a share of requests between 0 "
				   "and 1",
				   option, item);
	if (!is_number || !(x.limit > 0) || !isfinite(x.limit))
		return not_a_time(option, item, x.limit, end, p);
	for (size_t i = 0; i < b->n; i++)
		if (b->bound[i].metric == x.metric)
			return problem_set(
			    p, EXIT_USAGE,
			    "%s %s: %s has a bound already; give one", option,
			    item, slo_bound_name(&x));
	if (b->n == CAPACITY_BOUNDS)
		return problem_set(p, EXIT_USAGE, "%s: more than %d bounds",
				   option, CAPACITY_BOUNDS);
	b->bound[b->n++] = x;
	return 0;
}

int bounds_parse(struct bounds *b, const char *option, const char *text,
		 struct problem *p)
{
	char *copy = strdup(text), *rest = copy, *item;
	int rc = copy ? 0 : problem_no_memory(p);
	*b = (struct bounds){0};
	while (rc == 0 && (item = strsep(&rest, ",")))
		rc = bound_parse(b, option, item, p);
	free(copy);
	return rc;
}

const char *slo_bound_name(const struct bound *b)
{
	return b->latency == LATENCY_GOOD ? "goodput" : b->metric->name;
}

int bounds_check(const struct bounds *b, const char *option,
		 const struct slo_keys *slo, struct problem *p)
{
	for (size_t i = 0; i < b->n; i++)
		if (b->bound[i].latency == LATENCY_GOOD &&
		    !(slo->ttft_ms > 0 || slo->tpot_ms > 0 || slo->e2el_ms > 0))
			return problem_set(
			    p, EXIT_USAGE,
			    "%s goodput=%g: no [slo] says which request is "
			    "good; add one, as in --set slo.ttft_ms=500 --set "
			    "slo.tpot_ms=50",
			    option, b->bound[i].limit);
	return 0;
}

double bound_score(const struct bound *b, double value)
{
	if (b->latency == LATENCY_GOOD)
		return value > 0 ? 0 : 1 / (1 - b->limit);
	if (b->percentile > 0)
		return value > b->limit ? 1 / (1 - b->percentile) : 0;
	return value / b->limit;
}

double bounds_longest_s(const struct bounds *b)
{
	double longest_ms = 0;
	for (size_t i = 0; i < b->n; i++) {
		const struct bound *x = &b->bound[i];
		if ((x->latency == LATENCY_TTFT ||
		     x->latency == LATENCY_E2EL) &&
		    x->limit > longest_ms)
			longest_ms = x->limit;
	}
	return longest_ms / 1e3;
}

int trusted_bounds(const struct trusted *t, const struct bounds *from,
		   struct bounds *to)
{
	int any = 0;
	*to = *from;
	for (size_t i = 0; i < to->n; i++) {
		const struct trust_interval *x =
		    trusted_interval(t, to->bound[i].metric);
		if (x && x->high > 0) {
			to->bound[i].limit /= x->high;
			any = 1;
		}
	}
	return any;
}
