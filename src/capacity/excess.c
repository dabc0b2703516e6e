/* excess.c -- Sums up scores of requests as they end. */
#include <config.h>
#include "capacity/excess.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- one request ---- */

static double ms(int64_t ns)
{
	return (double)ns / 1e6;
}

/* Returns the latency that the bound is about, ms; below 0 if the request has
 * none. */
static double latency_of(const struct excess *x, const struct bound *b,
			 const struct request_event *e)
{
	switch (b->latency) {
	case LATENCY_TTFT:
		return ms(e->ttft_ns);
	case LATENCY_TPOT:
		return ms(e->tpot_ns);
	case LATENCY_E2EL:
		return ms(e->e2el_ns);
	case LATENCY_QUEUEING:
		return e->scheduled_ns < 0
			   ? -1
			   : ms(e->scheduled_ns - e->request.arrival_ns);
	case LATENCY_GOOD:
		return outcome_is_good(x->of.slo, e);
	case LATENCY_ITL: /* of gaps: excess_end() */
		break;
	}
	return -1;
}

static void add(struct excess_sum *s, double value)
{
	s->sum += value;
	s->n++;
}

static size_t stretch_of(const struct excess *x, int64_t arrival_ns)
{
	double share =
	    (double)(arrival_ns - x->of.begins_ns) / (double)x->of.stretched_ns;
	size_t i = share > 0 ? (size_t)(share * EXCESS_STRETCHES) : 0;
	return i < EXCESS_STRETCHES ? i : EXCESS_STRETCHES - 1;
}

/* A session lives until its last turn ends. */
static void live(struct excess *x, const struct request_event *e)
{
	uint64_t turn = e->request.row % x->of.turns;
	int64_t ends_ns = e->request.arrival_ns + e->e2el_ns;
	int64_t began_ns = e->request.arrival_ns;
	if (x->session_ns) {
		int64_t *first = &x->session_ns[e->request.row / x->of.turns];
		if (turn == 0)
			*first = began_ns;
		began_ns = *first;
	}
	if (turn + 1 == x->of.turns)
		add(&x->life_s, (double)(ends_ns - began_ns) / 1e9);
}

static void score(struct excess *x, const struct request_event *e)
{
	for (size_t i = 0; i < x->of.bounds->n; i++) {
		const struct bound *b = &x->of.bounds->bound[i];
		double value = latency_of(x, b, e);
		if (value < 0)
			continue;
		double y = bound_score(b, value);
		add(&x->bound[i], y);
		if (x->of.stretched_ns > 0)
			add(&x->stretch[i]
				       [stretch_of(x, e->request.arrival_ns)],
			    y);
	}
	live(x, e);
}

static int on_request(void *ctx, const struct request_event *e,
		      struct problem *p)
{
	struct excess *x = ctx;
	int64_t arrival_ns = e->request.arrival_ns;
	uint64_t session = e->request.row / x->of.turns;
	(void)p;
	if (x->arrived == 0 || arrival_ns < x->first_ns)
		x->first_ns = arrival_ns;
	if (x->arrived++ == 0 || arrival_ns > x->last_ns)
		x->last_ns = arrival_ns;
	if (e->ending != REQUEST_ENDED)
		return 0;
	if (x->ended_ns && x->n_ended < x->of.requests)
		x->ended_ns[x->n_ended++] = arrival_ns + e->e2el_ns;
	int half = e->request.row >= x->of.requests / 2;
	x->cached_tokens[half] += e->cached_tokens;
	x->input_tokens[half] += e->request.input_tokens;
	if (session >= x->of.first && session < x->of.end)
		score(x, e);
	return 0;
}

/* ---- the run ---- */

int excess_begin(struct excess *x, const struct excess_of *of,
		 struct problem *p)
{
	*x = (struct excess){.of = *of};
	if (of->keeps_ends)
		x->ended_ns = calloc(of->requests + 1, sizeof *x->ended_ns);
	if (of->turns > 1)
		x->session_ns =
		    calloc(of->requests / of->turns + 1, sizeof *x->session_ns);
	return (of->keeps_ends && !x->ended_ns) ||
		       (of->turns > 1 && !x->session_ns)
		   ? problem_no_memory(p)
		   : 0;
}

void excess_free(struct excess *x)
{
	free(x->ended_ns);
	free(x->session_ns);
	x->ended_ns = x->session_ns = NULL;
}

struct observer excess_observer(struct excess *x)
{
	struct observer o = {.on_request = on_request, .ctx = x};
	for (size_t i = 0; i < x->of.bounds->n; i++) {
		const struct bound *b = &x->of.bounds->bound[i];
		if (b->latency == LATENCY_ITL)
			o.itl_limit_ns[i] = (int64_t)(b->limit * 1e6);
	}
	return o;
}

/* Gaps are counted over the whole run: a step makes tokens of requests that
 * are counted and of others. */
void excess_end(struct excess *x, const struct outcome *o)
{
	for (size_t i = 0; i < x->of.bounds->n; i++) {
		const struct bound *b = &x->of.bounds->bound[i];
		if (b->latency != LATENCY_ITL || o->itl.n == 0)
			continue;
		x->bound[i].n = (double)o->itl.n;
		x->bound[i].sum =
		    x->bound[i].n * (b->percentile > 0
					 ? o->itl_above[i] / (1 - b->percentile)
					 : o->itl.mean / 1e6 / b->limit);
	}
}

double excess_mean(const struct excess_sum *s)
{
	return s->n > 0 ? s->sum / s->n : 0;
}

static int by_time(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return (x > y) - (x < y);
}

double excess_throughput(struct excess *x, double from, double to)
{
	if (x->n_ended < 2)
		return 0;
	qsort(x->ended_ns, x->n_ended, sizeof *x->ended_ns, by_time);
	double last = (double)(x->n_ended - 1);
	uint64_t a = (uint64_t)(from * last), b = (uint64_t)(to * last);
	int64_t lasts_ns = x->ended_ns[b] - x->ended_ns[a];
	return lasts_ns > 0 ? (double)(b - a) * 1e9 / (double)lasts_ns
			    : INFINITY;
}

double excess_throughput_between(const struct excess *x, double from_s,
				 double to_s)
{
	uint64_t n = 0;
	for (uint64_t i = 0; i < x->n_ended; i++) {
		double at_s = (double)(x->ended_ns[i] - x->first_ns) / 1e9;
		n += at_s > from_s && at_s <= to_s;
	}
	return to_s > from_s ? (double)n / (to_s - from_s) : 0;
}

double excess_warming(const struct excess *x)
{
	double rate[2];
	for (int half = 0; half < 2; half++)
		rate[half] = x->input_tokens[half]
				 ? (double)x->cached_tokens[half] /
				       (double)x->input_tokens[half]
				 : 0;
	return rate[1] - rate[0];
}
