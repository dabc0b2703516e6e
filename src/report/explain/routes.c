/* routes.c -- Writes the difference of two arms with different routers as
 * queueing, imbalance, cache hits and the rest. */
#include "report/explain/routes.h"
#include <math.h>
#include "report/explain/parts.h"

static const char *const name[N_ROUTE_CAUSES] = {
    "queueing",   "imbalance of replicas",
    "cache hits", "time per token",
    "stalls",     "the rest"};
static const char *const key[N_ROUTE_CAUSES] = {
    "queueing", "imbalance", "cache_hits", "time_per_token", "stalls", "rest"};
enum { CAUSES_SAID = 3 };

const char routes_legend[] =
    "Routing: imbalance is the share of the wait for a first step by which "
    "the queue of its replica is longer than the mean of all replicas; "
    "queueing is all other waiting. Cache hits: tokens of prompts that are "
    "computed or found, "
    "at the mean of both arms' times per computed token; time per token: that "
    "time itself, which grows with the context and with what else is in the "
    "steps. Stalls: others' prompts beside its decodes.";

/* Returns the cause that a part of latency belongs to; own prompts are
 * divided. */
static enum route_cause cause_of(int part)
{
	switch (part) {
	case LATENCY_ADMISSION:
	case LATENCY_DECODE_POOL:
	case LATENCY_PREEMPTED:
		return ROUTE_CAUSE_QUEUEING;
	case LATENCY_IMBALANCE:
		return ROUTE_CAUSE_IMBALANCE;
	case LATENCY_STALL:
		return ROUTE_CAUSE_STALLS;
	default:
		return ROUTE_CAUSE_REST;
	}
}

/* Mean tokens of its prompt that a request computes. */
static double computed_tokens(const struct latency_parts *x)
{
	return x->n_requests ? (double)x->prompt_tokens / (double)x->n_requests
			     : 0;
}

static double per_token(double ns, double tokens)
{
	return tokens > 0 ? ns / tokens : 0;
}

static void divide_prompt(const struct explanation *x, double of_ns,
			  double by_ns, double ns[N_ROUTE_CAUSES])
{
	double of = computed_tokens(x->split_of.parts);
	double by = computed_tokens(x->split_by.parts);
	double pace = (per_token(of_ns, of) + per_token(by_ns, by)) / 2;
	ns[ROUTE_CAUSE_HITS] = (by - of) * pace;
	ns[ROUTE_CAUSE_PACE] = by_ns - of_ns - ns[ROUTE_CAUSE_HITS];
}

void routes_causes(const struct explanation *x, int metric,
		   double ns[N_ROUTE_CAUSES])
{
	for (int k = 0; k < N_ROUTE_CAUSES; k++)
		ns[k] = 0;
	for (int part = 0; part < N_LATENCY_PARTS; part++) {
		double of = latency_parts_mean(x->split_of.parts, metric, part);
		double by = latency_parts_mean(x->split_by.parts, metric, part);
		if (part == LATENCY_PROMPT)
			divide_prompt(x, of, by, ns);
		else
			ns[cause_of(part)] += by - of;
	}
}

/* ---- a sentence ---- */

/* Returns the cause with the largest change, except those taken. */
static int next_cause(const double ns[N_ROUTE_CAUSES], unsigned taken)
{
	int best = -1;
	for (int k = 0; k < N_ROUTE_CAUSES; k++)
		if (!(taken & 1u << k) &&
		    (best < 0 || fabs(ns[k]) > fabs(ns[best])))
			best = k;
	return best;
}

void routes_say(FILE *f, const struct explanation *x, int metric, int decimals)
{
	double ns[N_ROUTE_CAUSES];
	unsigned taken = 0;
	routes_causes(x, metric, ns);
	for (int said = 0; said < CAUSES_SAID; said++) {
		int k = next_cause(ns, taken);
		double share = parts_share(x, metric, ns[k]);
		if (said && fabs(ns[k]) / 1e6 * pow(10, decimals) < 0.5)
			break;
		taken |= 1u << k;
		fprintf(f, "%s%.*f ms %s through %s", said ? ", " : "",
			decimals, fabs(ns[k]) / 1e6,
			ns[k] < 0 ? "less" : "more", name[k]);
		if (share > 0 && share <= 1)
			fprintf(f, " (%.0f %%)", 100 * share);
	}
}

/* ---- a table ---- */

/* Returns v, or 0 where it is shown as 0: no "-0". */
static double shown(double v, double last_digit)
{
	return fabs(v) < last_digit / 2 ? 0 : v;
}

static void cells(struct columns *c, const struct explanation *x, int metric,
		  double ns)
{
	double share = parts_share(x, metric, ns);
	columns_cell(c, (size_t)metric, 0, "%+.3f", shown(ns / 1e6, 1e-3));
	if (!isnan(share))
		columns_cell(c, (size_t)metric, 1, "%.0f %%",
			     shown(100 * share, 1));
}

void routes_table(struct columns *c, const struct explanation *x)
{
	double ns[ATTRIBUTION_STEPS][N_ROUTE_CAUSES];
	*c = (struct columns){.n_groups = ATTRIBUTION_STEPS, .per_group = 2};
	columns_row(c, "routing");
	for (int m = 0; m < ATTRIBUTION_STEPS; m++) {
		routes_causes(x, m, ns[m]);
		columns_cell(c, (size_t)m, 0, "%s", attributed_name[m]);
		columns_cell(c, (size_t)m, 1, "share");
	}
	for (int k = 0; k < N_ROUTE_CAUSES; k++) {
		columns_row(c, "  %s", name[k]);
		for (int m = 0; m < ATTRIBUTION_STEPS; m++)
			cells(c, x, m, ns[m][k]);
	}
	columns_row(c, "  sum");
	for (int m = 0; m < ATTRIBUTION_STEPS; m++) {
		double sum = 0;
		for (int k = 0; k < N_ROUTE_CAUSES; k++)
			sum += ns[m][k];
		columns_cell(c, (size_t)m, 0, "%+.3f", sum / 1e6);
	}
}

/* ---- JSON ---- */

void routes_json(struct jw *j, const struct explanation *x)
{
	jw_object(j, "routing");
	jw_number(j, "computed_prompt_tokens_of",
		  computed_tokens(x->split_of.parts));
	jw_number(j, "computed_prompt_tokens_by",
		  computed_tokens(x->split_by.parts));
	for (int m = 0; m < ATTRIBUTION_STEPS; m++) {
		double ns[N_ROUTE_CAUSES];
		routes_causes(x, m, ns);
		jw_object(j, attributed_name[m]);
		for (int k = 0; k < N_ROUTE_CAUSES; k++) {
			double share = parts_share(x, m, ns[k]);
			jw_flat_object(j, key[k]);
			jw_number(j, "difference", ns[k] / 1e6);
			if (isnan(share))
				jw_null(j, "share");
			else
				jw_number(j, "share", share);
			jw_end(j);
		}
		jw_end(j);
	}
	jw_end(j);
}
