/* capacity.c -- Searches the highest request rate that meets the SLO. */
#include <config.h>
#include "study/capacity.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const capacity_verdict_name[] = {"found", "none", "open"};

/* From a thousandth of the workload's own rate to a million times it. */
enum { LOWEST_POWER = -10, HIGHEST_POWER = 20 };

/* ---- bounds ---- */

/* ttft_p99_ms -> p99_ttft_ms; p50 is called median there. */
static const struct metric *metric_of(const char *name)
{
	char kind[16], statistic[16], vllm[48];
	const struct metric *m = metric_find(name);
	int n = 0;
	if (m ||
	    sscanf(name, "%15[a-z0-9]_%15[a-z0-9]_ms%n", kind, statistic, &n) !=
		2 ||
	    n == 0 || name[n])
		return m;
	snprintf(vllm, sizeof vllm, "%s_%s_ms",
		 strcmp(statistic, "p50") ? statistic : "median", kind);
	return metric_find(vllm);
}

static int bound_parse(struct bounds *b, const char *option, const char *item,
		       struct problem *p)
{
	char name[64], *end;
	size_t n = strcspn(item, "=");
	if (item[n] != '=' || n >= sizeof name)
		return problem_set(p, EXIT_USAGE, "%s %s: not metric=limit,…",
				   option, item);
	memcpy(name, item, n);
	name[n] = '\0';
	struct bound x = {metric_of(name), strtod(item + n + 1, &end)};
	if (!x.metric || !x.metric->tail)
		return problem_set(p, EXIT_USAGE,
				   "%s %s: no such latency; {ttft,tpot,itl,"
				   "e2el}_{mean,p50,p90,p95,p99}_ms",
				   option, name);
	if (end == item + n + 1 || *end || !(x.limit > 0) || !isfinite(x.limit))
		return problem_set(p, EXIT_USAGE,
				   "%s %s: not a time above 0 ms", option,
				   item);
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
	c->broken_bound =
	    o->rejected ? BROKEN_BY_REJECTION : BROKEN_BY_SATURATION;
	c->broken_value = NAN;
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
		if (!(c->value[i] > b->limit) || c->broken_bound >= 0)
			continue;
		probe->met = 0;
		c->broken_bound = (int32_t)i;
		c->broken_value = c->value[i];
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
	       s->broken.at.broken_bound == BROKEN_BY_REJECTION &&
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

int capacity_search(const struct capacity_task *t, struct capacity *out,
		    struct problem *p)
{
	struct search s = {.task = t};
	int rc = bracket(&s, p);
	if (rc == 0 && s.has_best && s.has_broken)
		rc = bisect(&s, p);
	if (rc < 0)
		return -1;
	*out = s.has_best ? s.best.at : s.broken.at;
	out->verdict = !s.has_best    ? CAPACITY_NONE
		       : s.has_broken ? CAPACITY_FOUND
				      : CAPACITY_OPEN;
	out->n_tried = s.n_tried;
	out->broken_scale = s.has_broken ? s.broken.at.scale : NAN;
	out->broken_bound =
	    s.has_broken ? s.broken.at.broken_bound : BROKEN_BY_SATURATION;
	out->broken_value = s.has_broken ? s.broken.at.broken_value : NAN;
	return 0;
}

const char *capacity_broken_by(const struct capacity *c, const struct bounds *b)
{
	return c->verdict == CAPACITY_OPEN              ? ""
	       : c->broken_bound == BROKEN_BY_REJECTION ? "rejection"
	       : c->broken_bound < 0                    ? "saturation"
				     : b->bound[c->broken_bound].metric->name;
}
