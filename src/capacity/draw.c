/* draw.c -- Simulates one draw of requests at one rate. */
#include "capacity/draw.h"
#include <math.h>
#include <stdlib.h>
#include "capacity/lengths.h"
#include "capacity/run.h"

/* Mean E2E latencies for which arrivals must last. */
#define MEANS 10.0
/* A run is repeated with twice the requests until its arrivals last MEANS mean
 * latencies.  If they last for less than HARDLY_MORE times as many as before, a
 * queue grows without end; HARDLY_TIMES in a row end the search. */
#define HARDLY_MORE 1.25
enum { HARDLY_TIMES = 2 };

/* ---- what a run shows while it runs ---- */

/* One bound, and the requests that count against it. */
struct against {
	uint64_t over; /* requests over the limit of a percentile             */
	double sum_ms;
};
struct watched {
	const struct bounds *bounds;
	int stops_early;
	uint64_t n; /* requests of the run                                    */
	struct against against[CAPACITY_BOUNDS];
	int32_t broken; /* the bound that cannot hold any more; -1: none      */
	uint64_t arrived;
	int64_t first_ns, last_ns; /* arrivals                                */
	int64_t completed_ns;      /* the first completion; -1: none yet      */
};

uint64_t draw_enough_over(uint64_t n, double percentile)
{
	return n - (uint64_t)floor(percentile * (double)(n - 1));
}

/* Returns a latency of the request in ns, or -1: the bound is on something
 * else, or the request has none. */
static int64_t latency_of(const struct request_event *e, enum latency which)
{
	return which == LATENCY_TTFT   ? e->ttft_ns
	       : which == LATENCY_TPOT ? e->tpot_ns
	       : which == LATENCY_E2EL ? e->e2el_ns
				       : -1;
}

/* The mean of fewer requests than n would be even larger.  A sum of doubles is
 * not exact, so it must exceed its limit clearly. */
static int cannot_hold(const struct watched *w, size_t i)
{
	const struct bound *b = &w->bounds->bound[i];
	const struct against *a = &w->against[i];
	return b->percentile > 0
		   ? a->over >= draw_enough_over(w->n, b->percentile)
		   : a->sum_ms > b->limit * (double)w->n * (1 + 1e-9);
}

static void count(struct watched *w, const struct request_event *e)
{
	for (size_t i = 0; i < w->bounds->n && w->broken < 0; i++) {
		const struct bound *b = &w->bounds->bound[i];
		int64_t ns = latency_of(e, b->latency);
		if (ns < 0)
			continue;
		double ms = (double)ns / 1e6;
		w->against[i].over += ms > b->limit;
		w->against[i].sum_ms += ms;
		if (cannot_hold(w, i))
			w->broken = (int32_t)i;
	}
}

static int on_request(void *ctx, const struct request_event *e,
		      struct problem *p)
{
	struct watched *w = ctx;
	int64_t at = e->request.arrival_ns;
	if (w->arrived == 0 || at < w->first_ns)
		w->first_ns = at;
	if (w->arrived == 0 || at > w->last_ns)
		w->last_ns = at;
	w->arrived++;
	if (e->ending != REQUEST_ENDED)
		return 0;
	if (w->completed_ns < 0 || e->last_token_ns < w->completed_ns)
		w->completed_ns = e->last_token_ns;
	if (w->stops_early)
		count(w, e);
	return w->broken < 0 ? 0 : problem_set(p, EXIT_SAYS_NO, "is broken");
}

/* ---- the verdict ---- */

/* A draw with a request that is too long is refused only if more are so in the
 * long run than is tolerated. */
static int rejects(const struct capacity_task *t, const struct outcome *o)
{
	struct capacity_lengths l;
	struct problem unused;
	return o->rejected &&
	       (capacity_lengths(t, &l, &unused) < 0 || lengths_refuse(&l));
}

/* Decides whether a run met all bounds.  If not, c->limited_by is the first one
 * that broke. */
static void judge(const struct capacity_task *t, const struct outcome *o,
		  struct draw *d)
{
	struct capacity *c = &d->at;
	int is_refused = rejects(t, o);
	c->limited_by =
	    is_refused ? LIMITED_BY_REJECTION : LIMITED_BY_SATURATION;
	c->seen.requests = o->requests;
	c->seen.completed = o->completed;
	c->seen.rejected = o->rejected;
	c->seen.load = trusted_load_of(o);
	d->met = o->saturation != SATURATION_OVERLOADED && !o->unfinished &&
		 !is_refused && o->completed;
	c->output_throughput =
	    metric_value(metric_find("output_throughput"), o);
	d->mean_tpot_ms = metric_value(metric_find("mean_tpot_ms"), o);
	c->seen.joules_per_token =
	    metric_value(metric_find("energy_per_token_j"), o);
	for (size_t i = 0; i < t->bounds->n; i++) {
		const struct bound *b = &t->bounds->bound[i];
		c->seen.value[i] = metric_value(b->metric, o);
		int holds =
		    b->latency == LATENCY_GOOD
			? (double)o->good >= b->limit * (double)o->completed
			: !(c->seen.value[i] > b->limit);
		if (holds || c->limited_by >= 0)
			continue;
		d->met = 0;
		c->limited_by = (int32_t)i;
	}
}

static void judge_broken(const struct watched *w, struct draw *d)
{
	d->at.limited_by = w->broken;
	d->at.seen.requests = w->n;
	d->at.request_rate = d->at.output_throughput = NAN;
	d->at.seen.joules_per_token = d->mean_tpot_ms = NAN;
	for (size_t i = 0; i < w->bounds->n; i++)
		d->at.seen.value[i] = NAN;
}

static int is_too_short(const struct watched *w, const struct outcome *o)
{
	double mean = o->e2el.mean;
	return (double)(w->last_ns - w->first_ns) < MEANS * mean ||
	       (double)(w->last_ns - w->completed_ns) < MEANS / 2 * mean;
}

/* ---- one run ---- */

/* Fills in the draw from the outcome of its run. */
static void conclude(const struct capacity_task *t, const struct watched *w,
		     const struct workload *of, const struct outcome *o,
		     const struct draw_rules *rules, struct draw *d)
{
	double span_s = (double)(w->last_ns - w->first_ns) / 1e9;
	judge(t, o, d);
	d->at.request_rate =
	    span_s > 0 ? (double)(w->arrived - 1) / span_s : INFINITY;
	d->is_too_short = d->met && rules->must_be_long && is_too_short(w, o);
	d->met &= !d->is_too_short;
	if (d->is_too_short)
		d->at.limited_by = LIMITED_BY_LENGTH;
	d->lasts = span_s * 1e9 / o->e2el.mean;
	d->may_repeat = workload_may_repeat(of);
	if (t->said && d->at.scale == 1)
		run_notes(t->said, of, o);
}

/* A trace that has fewer requests comes more than once. */
static int come_often(struct workload *w, uint64_t requests, struct problem *p)
{
	uint64_t n = workload_total(w);
	if (requests <= n || !workload_may_repeat(w))
		return 0;
	return workload_repeat(w, (requests + n - 1) / n, p);
}

static int simulate_at(const struct capacity_task *t,
		       const struct workload_keys *keys,
		       const struct draw_rules *rules, struct draw *d,
		       struct problem *p)
{
	struct watched watched = {.bounds = t->bounds,
				  .stops_early = rules->stops_early,
				  .broken = -1,
				  .completed_ns = -1};
	struct observer o = {.on_request = on_request, .ctx = &watched};
	struct workload *w = workload_open_with(keys, t->cfg, t->traces, p);
	if (!w)
		return -1;
	struct outcome *out = calloc(1, sizeof *out);
	struct problem why;
	int rc = out ? come_often(w, rules->least_requests, &why)
		     : problem_no_memory(&why);
	watched.n = workload_total(w);
	if (rc == 0)
		rc = simulate(t->engine, t->cost, w, &o, t->step_memory, out,
			      &why);
	if (rc == 0) {
		conclude(t, &watched, w, out, rules, d);
	} else if (watched.broken >= 0) {
		judge_broken(&watched, d);
		rc = 0;
	} else {
		problem_set(p, why.code, "%s", why.text);
	}
	d->simulations++;
	d->requests_simulated += d->at.seen.requests;
	free(out);
	workload_free(w);
	return rc;
}

/* Stages say how many requests there are. */
static int may_grow(const struct workload_keys *k, const struct draw *d,
		    const struct draw_rules *rules)
{
	return (*k->trace ? d->may_repeat : !*k->stages) &&
	       2 * d->at.seen.requests <= rules->most_requests;
}

int draw_run(const struct capacity_task *t, double scale,
	     const struct draw_rules *rules, struct draw *out,
	     struct problem *p)
{
	struct workload_keys keys = *t->workload;
	struct draw_rules longer = *rules;
	double before = 0;
	int rc, n_futile = 0;
	*out = (struct draw){.at.scale = scale};
	keys.rate_scale *= scale;
	while ((rc = simulate_at(t, &keys, &longer, out, p)) == 0 &&
	       out->is_too_short && may_grow(&keys, out, rules)) {
		n_futile = out->lasts < HARDLY_MORE * before ? n_futile + 1 : 0;
		if (n_futile == HARDLY_TIMES) {
			out->is_too_short = 0;
			out->at.limited_by = LIMITED_BY_SATURATION;
			break;
		}
		before = out->lasts;
		if (*keys.trace)
			longer.least_requests = 2 * out->at.seen.requests;
		else
			keys.num_requests =
			    (int64_t)(2 * out->at.seen.requests);
	}
	return rc;
}
