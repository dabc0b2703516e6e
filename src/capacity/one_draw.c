/* one_draw.c -- Bisects the rate of one draw of requests. */
#include "capacity/one_draw.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "engine/units.h"

/* With a factor of 2: from a thousandth of the first rate to a million times
 * it. */
enum { RATES_DOWN = 10, RATES_UP = 20 };

struct search {
	const struct capacity_task *task;
	const struct draw_search *how;
	struct draw best, broken; /* highest met, lowest not met              */
	int has_best, has_broken;
	uint64_t simulations, requests_simulated;
};

/* Simulates one scale and moves the bracket. */
static int step(struct search *s, double scale, struct problem *p)
{
	struct draw d;
	if (draw_run(s->task, scale, &s->how->rules, &d, p) < 0)
		return -1;
	s->simulations += d.simulations;
	s->requests_simulated += d.requests_simulated;
	if (d.met) {
		s->best = d;
		s->has_best = 1;
	} else {
		s->broken = d;
		s->has_broken = 1;
	}
	return 0;
}

/* Some requests can be served at no rate; all rates have the same requests,
 * unless stages say how many. */
static int is_unschedulable(const struct search *s)
{
	return s->has_broken &&
	       s->broken.at.limited_by == LIMITED_BY_REJECTION &&
	       !*s->task->workload->stages;
}

/* Raises the rate while the bounds hold, or lowers it while they do not. */
static int bracket(struct search *s, struct problem *p)
{
	double scale = s->how->first;
	int rc = step(s, scale, p), up = s->has_best;
	if (rc == 0 && is_unschedulable(s))
		return 0;
	for (int i = 0; rc == 0 && up && !s->has_broken && i < RATES_UP; i++) {
		/* All requests come at once: there is no higher rate. */
		if (!isfinite(s->best.at.request_rate))
			break;
		rc = step(s, scale *= s->how->factor, p);
	}
	for (int i = 0; rc == 0 && !up && !s->has_best && i < RATES_DOWN; i++)
		rc = step(s, scale /= s->how->factor, p);
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

/* A run that ended early does not know its last arrival. */
static double rate_of_broken(const struct search *s)
{
	double rate = s->broken.at.request_rate;
	return isnan(rate) && s->has_best
		   ? s->best.at.request_rate * s->broken.at.scale /
			 s->best.at.scale
		   : rate;
}

/* Fills in the capacity from the ends of the bracket. */
static void answer(const struct search *s, struct capacity *out,
		   struct draw *best)
{
	const struct capacity_task *t = s->task;
	*best = s->has_best ? s->best : s->broken;
	*out = best->at;
	out->verdict = s->has_best ? CAPACITY_FOUND : CAPACITY_NONE;
	out->stopped_by = s->has_best ? STOP_PRECISION : STOP_NONE;
	out->basis = BASIS_ONE_DRAW;
	out->limited_by =
	    s->has_broken ? s->broken.at.limited_by : LIMITED_BY_SATURATION;
	out->low = out->request_rate;
	out->high = s->has_broken ? rate_of_broken(s) : INFINITY;
	out->saturation_rate = out->confidence = NAN;
	out->recovery_rate = out->peak_rate = NAN;
	out->seen.replicas_mean = out->seen.replicas_peak = NAN;
	out->units = engine_units(t->engine);
	out->turns = (double)t->workload->turns;
	out->replications = 1;
	out->requests_per_replication = out->seen.requests;
	out->simulations = s->simulations;
	out->requests_simulated = s->requests_simulated;
}

int draw_search(const struct capacity_task *t, const struct draw_search *how,
		struct capacity *out, struct draw *best, struct problem *p)
{
	struct search *s = calloc(1, sizeof *s);
	if (!s)
		return problem_no_memory(p);
	s->task = t;
	s->how = how;
	int rc = bracket(s, p);
	if (rc == 0 && s->has_best && s->has_broken)
		rc = bisect(s, p);
	if (rc == 0)
		answer(s, out, best);
	free(s);
	return rc;
}

int capacity_one_draw(const struct capacity_task *t, struct capacity *out,
		      struct problem *p)
{
	static const struct draw_search as_configured = {.first = 1,
							 .factor = 2};
	struct draw best;
	return draw_search(t, &as_configured, out, &best, p);
}
