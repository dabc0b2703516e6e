/* arrival.c -- Draws arrival times. */
#include "workload/arrival.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/number.h"
#include "base/whole.h"

/* ---- gaps ---- */

static double log_gamma(double x)
{
	int sign;
	return lgamma_r(x, &sign);
}

/* The CV of a Weibull distribution falls as its shape grows. */
static double weibull_cv(double shape)
{
	double a = log_gamma(1 + 1 / shape), b = log_gamma(1 + 2 / shape);
	return sqrt(expm1(b - 2 * a));
}

static double weibull_shape(double cv)
{
	double low = 0.05, high = 1e6;
	for (int i = 0; i < 200; i++) {
		double mid = sqrt(low * high);
		if (weibull_cv(mid) > cv)
			low = mid;
		else
			high = mid;
	}
	return low;
}

void gaps_init(struct gaps *g, enum arrival_process process, double cv)
{
	/* less than rounding to ns changes gaps of a millisecond */
	const double no_variation = 1e-6;
	*g = (struct gaps){.process = process};
	if (cv < no_variation)
		g->process = ARRIVAL_CONSTANT;
	else if (process == ARRIVAL_GAMMA)
		g->scale = 1 / (g->shape = 1 / (cv * cv));
	else if (process == ARRIVAL_WEIBULL)
		g->scale =
		    exp(-log_gamma(1 + 1 / (g->shape = weibull_shape(cv))));
}

double gaps_draw(const struct gaps *g, struct rng *r)
{
	switch (g->process) {
	case ARRIVAL_POISSON:
		return rng_exponential(r);
	case ARRIVAL_GAMMA:
		return g->scale * rng_gamma(r, g->shape);
	case ARRIVAL_WEIBULL:
		return g->scale * pow(rng_exponential(r), 1 / g->shape);
	default: /* others are not random here */
		return 1;
	}
}

/* ---- arrivals ---- */

/* A time beyond the end of the clock; adding to it leaves it unchanged. */
#define BEYOND INT64_MAX

static int64_t to_ns(double ns)
{
	return ns < (double)BEYOND ? whole_round(ns) : BEYOND;
}

static int64_t later(int64_t ns, int64_t by_ns)
{
	int64_t sum;
	return __builtin_add_overflow(ns, by_ns, &sum) ? BEYOND : sum;
}

int arrival_is_random(const struct arrival *a)
{
	return a->process != ARRIVAL_CONSTANT && a->process != ARRIVAL_BURST;
}

/* Returns the time of arrival k of a regular process with that rate, counted
 * from the start of the process. */
static int64_t regular(const struct arrival *a, double rate, uint64_t k)
{
	if (a->process == ARRIVAL_BURST)
		k -= k % a->burst;
	return to_ns(a->interval_us > 0 ? (double)k * (1000 * a->interval_us)
					: (double)k * 1e9 / rate);
}

uint64_t arrival_stage_count(const struct arrival_stage *g)
{
	return (uint64_t)llround(g->rate * g->seconds);
}

uint64_t arrival_in_stages(const struct arrival *a)
{
	uint64_t n = 0;
	for (uint32_t i = 0; i < a->n_stages; i++)
		n += arrival_stage_count(&a->stage[i]);
	return n;
}

/* Draws the gaps of a stage twice, so that none need to be kept: once to sum
 * them, and once to place the arrivals. */
static int enter_stage(struct arrival *a)
{
	const struct arrival_stage *g = &a->stage[a->s];
	struct rng again = a->rng;
	a->k = 0;
	a->sum = a->total = 0;
	a->stage_count = arrival_stage_count(g);
	for (uint64_t i = 0; arrival_is_random(a) && i <= a->stage_count; i++)
		a->total += gaps_draw(&a->gaps, &again);
	return a->stage_count > 0;
}

static void leave_stage(struct arrival *a)
{
	/* Skip the gap after the last arrival. */
	if (arrival_is_random(a) && a->stage_count)
		gaps_draw(&a->gaps, &a->rng);
	a->stage_ns = later(a->stage_ns, to_ns(1e9 * a->stage[a->s].seconds));
	a->stage_count = 0;
	a->s++;
}

static int next_in_stages(struct arrival *a, int64_t *ns)
{
	while (a->s < a->n_stages &&
	       (a->stage_count ? a->k == a->stage_count : !enter_stage(a)))
		leave_stage(a);
	if (a->s == a->n_stages)
		return 0;
	const struct arrival_stage *g = &a->stage[a->s];
	int64_t from_start;
	if (arrival_is_random(a)) {
		a->sum += gaps_draw(&a->gaps, &a->rng);
		from_start = to_ns(1e9 * g->seconds * (a->sum / a->total));
	} else {
		from_start = regular(a, g->rate, a->k);
	}
	a->k++;
	*ns = later(a->stage_ns, from_start);
	return 1;
}

static double next_gap(struct arrival *a)
{
	if (a->n_gaps == 0) {
		a->n_gaps = GAPS_AHEAD;
		for (uint32_t i = 0; i < GAPS_AHEAD; i++)
			a->gap[i] = gaps_draw(&a->gaps, &a->rng);
	}
	return a->gap[GAPS_AHEAD - a->n_gaps--];
}

static double mean_gap_ns(const struct arrival *a)
{
	return a->interval_us > 0 ? 1000 * a->interval_us : 1e9 / a->rate;
}

static int64_t next_diurnal(struct arrival *a)
{
	const double pi = 3.14159265358979323846, r = a->peak_to_trough;
	double swing = (r - 1) / (r + 1), share;
	do {
		double gap_ns = mean_gap_ns(a) / (1 + swing);
		a->now_ns =
		    later(a->now_ns, to_ns(rng_exponential(&a->rng) * gap_ns));
		double phase =
		    (double)(a->now_ns % a->period_ns) / (double)a->period_ns;
		share = (1 - swing * cos(2 * pi * phase)) / (1 + swing);
	} while (a->now_ns <= REQUEST_LAST_NS && rng_uniform(&a->rng) > share);
	return a->now_ns;
}

static int next_of_process(struct arrival *a, int64_t *ns)
{
	if (a->n_stages)
		return next_in_stages(a, ns);
	if (a->process == ARRIVAL_DIURNAL) {
		*ns = next_diurnal(a);
		return 1;
	}
	if (!arrival_is_random(a)) {
		*ns = regular(a, a->rate, a->k++);
		return 1;
	}
	double mean_ns = mean_gap_ns(a);
	*ns = a->now_ns = later(a->now_ns, to_ns(next_gap(a) * mean_ns));
	return 1;
}

/* Returns the length of all pauses before `ns`, for a process that is on and
 * off. */
static int64_t pauses(const struct arrival *a, int64_t ns)
{
	int64_t off;
	return a->on_ns == 0                                            ? 0
	       : __builtin_mul_overflow(ns / a->on_ns, a->off_ns, &off) ? BEYOND
									: off;
}

int arrival_next(struct arrival *a, int64_t *ns)
{
	if (!next_of_process(a, ns))
		return 0;
	*ns = later(*ns, pauses(a, *ns));
	return *ns > REQUEST_LAST_NS ? -1 : 1;
}

void arrival_start(struct arrival *a, uint64_t seed)
{
	gaps_init(&a->gaps, a->process,
		  a->process == ARRIVAL_POISSON ? 1 : a->cv);
	if (a->process != ARRIVAL_BURST && a->process != ARRIVAL_DIURNAL)
		a->process = a->gaps.process;
	a->rng = rng_stream(
	    seed, a->process == ARRIVAL_DIURNAL ? RNG_DIURNAL : RNG_ARRIVAL, 0);
	a->k = a->stage_count = 0;
	a->s = a->n_gaps = 0;
	a->now_ns = a->stage_ns = 0;
}

int arrival_parse_stages(const char *text, const char *at, const char *key,
			 struct arrival_stage **stage, uint32_t *n,
			 struct problem *p)
{
	struct arrival_stage *list = NULL, g;
	uint32_t count = 0;
	const char *end;
	for (const char *s = text;; s = end + 1) {
		end = number_parse(s, &g.rate);
		if (end == s || *end != ':' || !(g.rate >= 0))
			break;
		s = end + 1;
		end = number_parse(s, &g.seconds);
		/* 0 * inf is no number, and less than none */
		if (end == s || !(g.seconds > 0) ||
		    !(g.rate * g.seconds < 1e15) || (*end && *end != ','))
			break;
		struct arrival_stage *more =
		    realloc(list, (count + 1) * sizeof *list);
		if (!more) {
			free(list);
			return problem_no_memory(p);
		}
		list = more;
		list[count++] = g;
		if (*end)
			continue;
		*stage = list;
		*n = count;
		return 0;
	}
	free(list);
	return problem_set(p, EXIT_USAGE,
			   "%s: %s = %s: is rate:seconds,rate:seconds,… (a "
			   "rate of 0 is a pause)",
			   at, key, text);
}
