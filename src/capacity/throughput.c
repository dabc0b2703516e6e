/* throughput.c -- Finds the rate above which no queue is stable. */
#include <config.h>
#include <math.h>
#include "math/student.h"
#include "capacity/stages.h"

int throughput_of(struct searching *g, uint64_t m, double *per_s,
		  struct run_result *r)
{
	const struct run_of of = {
	    .rate = INFINITY,
	    .requests = m,
	    .said = g->s->answer.simulations ? NULL : g->task->said,
	    .keeps_ends = 1};
	if (stage_run(g, &of, r) < 0)
		return -1;
	*per_s = excess_throughput(&r->excess, 0.3, 0.8);
	return 0;
}

/* The saturation rule of queues: with all requests waiting, the engine works at
 * its limit.  A short run is still filling and draining its batches, so m
 * doubles until two runs agree. */
int throughput_limit(struct searching *g, uint64_t m, double per_s)
{
	enum { MOST = 1 << 16 };
	double last = 0;
	while (fabs(per_s / last - 1) > 0.05 && 2 * m <= MOST) {
		struct run_result r;
		last = per_s;
		m *= 2;
		int rc = throughput_of(g, m, &per_s, &r);
		excess_free(&r.excess);
		if (rc < 0)
			return -1;
	}
	g->s->log_saturation = log(per_s);
	g->s->answer.saturation_rate = per_s;
	return 0;
}

/* Completions between 0.3 and 1 of the time in which requests arrive, for
 * rates above the limit. */
static int overloaded(struct searching *g, uint32_t number, double *per_s,
		      struct run_result *r)
{
	enum { LEAST = 10000 };
	uint64_t m = g->s->requests > LEAST ? g->s->requests : LEAST;
	const struct run_of of = {.rate = 1.1 * exp(g->s->log_saturation),
				  .requests = m,
				  .number = number,
				  .keeps_ends = 1};
	if (stage_run(g, &of, r) < 0)
		return -1;
	double lasts_s = (double)(r->excess.last_ns - r->excess.first_ns) / 1e9;
	*per_s = excess_throughput_between(&r->excess, 0.3 * lasts_s, lasts_s);
	return 0;
}

int throughput_measure(struct searching *g)
{
	struct capacity_search *s = g->s;
	double mean = 0;
	if (capacity_limit_is_measured(s))
		return 0;
	for (uint32_t i = 0; i < SATURATED_RUNS; i++) {
		struct run_result r;
		int rc = overloaded(g, i + 1, &s->saturated[i], &r);
		excess_free(&r.excess);
		if (rc < 0)
			return -1;
		mean += s->saturated[i] / SATURATED_RUNS;
	}
	s->log_saturation = log(mean);
	s->answer.saturation_rate = mean;
	return 0;
}

/* Half the width of the interval of the limit of throughput, requests/s. */
static double half_width(const struct searching *g)
{
	enum { TIMES = SATURATED_RUNS };
	double mean = exp(g->s->log_saturation), squares = 0;
	for (int i = 0; i < TIMES; i++) {
		double d = g->s->saturated[i] - mean;
		squares += d * d;
	}
	double error = sqrt(squares / (TIMES - 1) / TIMES);
	return student_two_sided(g->task->confidence, TIMES - 1) * error;
}

/* Near the limit a queue forgets slowly: no affordable run tells which bound
 * breaks first.  So the answer is a little below the limit and its interval
 * says as much (spec: 0.985 of the mean, 0.97 of the lower end). */
int throughput_answer(struct searching *g)
{
	struct capacity *c = &g->s->answer;
	if (throughput_measure(g) < 0)
		return -1;
	double mean = exp(g->s->log_saturation), half = half_width(g);
	c->verdict = CAPACITY_FOUND;
	c->stopped_by = STOP_PRECISION;
	c->limited_by = LIMITED_BY_SATURATION;
	c->request_rate = (1 - NEAR_LIMIT_BIAS) * mean;
	c->low = (1 - 2 * NEAR_LIMIT_BIAS) * (mean - half);
	c->high = mean + half;
	c->replications = SATURATED_RUNS;
	c->slope = NAN;
	g->s->is_over = 1;
	return 0;
}
