/* one_draw.c -- Bisects the rate of one draw of requests. */
#include <config.h>
#include "study/capacity/one_draw.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* From a thousandth of the workload's own rate to a million times it. */
enum { LOWEST_POWER = -10, HIGHEST_POWER = 20 };

/* ---- one rate ---- */

struct probe {
	int met;
	struct capacity at; /* rate, throughput, values; what broke          */
};

struct arrivals {
	uint64_t n;
	int64_t first_ns, last_ns;
};

static int on_request(void *ctx, const struct request_event *e,
		      struct problem *p)
{
	struct arrivals *a = ctx;
	(void)p;
	if (a->n == 0 || e->request.arrival_ns < a->first_ns)
		a->first_ns = e->request.arrival_ns;
	if (a->n == 0 || e->request.arrival_ns > a->last_ns)
		a->last_ns = e->request.arrival_ns;
	a->n++;
	return 0;
}

static void judge(const struct capacity_task *t, const struct outcome *o,
		  struct probe *probe)
{
	struct capacity *c = &probe->at;
	c->limited_by =
	    o->rejected ? LIMITED_BY_REJECTION : LIMITED_BY_SATURATION;
	c->requests = o->requests;
	c->completed = o->completed;
	c->rejected = o->rejected;
	c->load = trusted_load_of(o);
	probe->met = o->saturation != SATURATION_OVERLOADED && !o->unfinished &&
		     !o->rejected && o->completed;
	c->output_throughput =
	    metric_value(metric_find("output_throughput"), o);
	for (size_t i = 0; i < t->bounds->n; i++) {
		const struct bound *b = &t->bounds->bound[i];
		c->value[i] = metric_value(b->metric, o);
		int holds =
		    b->latency == LATENCY_GOOD
			? (double)o->good >= b->limit * (double)o->completed
			: !(c->value[i] > b->limit);
		if (holds || c->limited_by >= 0)
			continue;
		probe->met = 0;
		c->limited_by = (int32_t)i;
	}
}

/* Of the first rate: the others have the same to say. */
static void say(FILE *f, const struct workload *w, const struct outcome *o)
{
	const char *line;
	for (uint32_t i = 0; (line = workload_note(w, i)) != NULL; i++)
		fprintf(f, "%s\n", line);
	rejections_write(&o->rejections, f);
}

static int try_scale(const struct capacity_task *t, double scale,
		     struct probe *probe, struct problem *p)
{
	struct workload_keys keys = *t->workload;
	struct arrivals arrivals = {0};
	struct observer o = {.on_request = on_request, .ctx = &arrivals};
	*probe = (struct probe){.at.scale = scale};
	keys.rate_scale *= scale;
	struct workload *w = workload_open_with(&keys, t->cfg, t->traces, p);
	struct outcome *out = calloc(1, sizeof *out);
	int rc = w ? 0 : -1;
	if (w && !out)
		rc = problem_no_memory(p);
	if (rc == 0)
		rc =
		    simulate(t->engine, t->cost, w, &o, t->step_memory, out, p);
	if (rc == 0) {
		double span_s =
		    (double)(arrivals.last_ns - arrivals.first_ns) / 1e9;
		judge(t, out, probe);
		if (t->said && scale == 1)
			say(t->said, w, out);
		probe->at.request_rate =
		    span_s > 0 ? (double)(arrivals.n - 1) / span_s : INFINITY;
	}
	free(out);
	workload_free(w);
	return rc;
}

/* ---- the search ---- */

struct search {
	const struct capacity_task *task;
	struct probe best, broken; /* highest met, lowest not met            */
	int has_best, has_broken;
	uint32_t n_tried;
};

static int step(struct search *s, double scale, struct problem *p)
{
	struct probe probe;
	if (try_scale(s->task, scale, &probe, p) < 0)
		return -1;
	s->n_tried++;
	if (probe.met) {
		s->best = probe;
		s->has_best = 1;
	} else {
		s->broken = probe;
		s->has_broken = 1;
	}
	return 0;
}

/* Some requests can be served at no rate; all rates have the same requests,
 * unless stages say how many. */
static int is_hopeless(const struct search *s)
{
	return s->has_broken &&
	       s->broken.at.limited_by == LIMITED_BY_REJECTION &&
	       !*s->task->workload->stages;
}

/* Doubles while the bounds hold, or halves while they do not. */
static int bracket(struct search *s, struct problem *p)
{
	int rc = step(s, 1, p), up = s->has_best;
	if (rc == 0 && is_hopeless(s))
		return 0;
	for (int e = 1; rc == 0 && up && !s->has_broken && e <= HIGHEST_POWER;
	     e++) {
		/* Denser than one instant it cannot become. */
		if (!isfinite(s->best.at.request_rate))
			break;
		rc = step(s, ldexp(1, e), p);
	}
	for (int e = -1; rc == 0 && !up && !s->has_best && e >= LOWEST_POWER;
	     e--)
		rc = step(s, ldexp(1, e), p);
	return rc;
}

static int bisect(struct search *s, struct problem *p)
{
	int rc = 0;
	while (rc == 0 &&
	       s->broken.at.scale > s->best.at.scale * (1 + s->task->precision))
		rc = step(s, sqrt(s->best.at.scale * s->broken.at.scale), p);
	return rc;
}

int capacity_one_draw(const struct capacity_task *t, struct capacity *out,
		      struct problem *p)
{
	struct search s = {.task = t};
	int rc = bracket(&s, p);
	if (rc == 0 && s.has_best && s.has_broken)
		rc = bisect(&s, p);
	if (rc < 0)
		return -1;
	*out = s.has_best ? s.best.at : s.broken.at;
	out->verdict = s.has_best ? CAPACITY_FOUND : CAPACITY_NONE;
	out->stopped_by = s.has_best ? STOP_PRECISION : STOP_NONE;
	out->basis = BASIS_ONE_DRAW;
	out->limited_by =
	    s.has_broken ? s.broken.at.limited_by : LIMITED_BY_SATURATION;
	out->low = out->request_rate;
	out->high = s.has_broken ? s.broken.at.request_rate : INFINITY;
	out->slope = out->saturation_rate = out->confidence = NAN;
	out->replications = 1;
	out->requests_per_replication = out->requests;
	out->simulations = s.n_tried;
	out->requests_simulated = s.n_tried * out->requests;
	return 0;
}
