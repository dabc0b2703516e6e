/* excess.c -- Keeps the scores of requests against the bounds, and sums up
 * those of requests after the beginning. */
#include "capacity/excess.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct excess_sample {
	int64_t arrival_ns, e2el_ns, scheduled_ns;
	uint64_t row, index; /* index of its scores                          */
	uint32_t cached_tokens, input_tokens;
};

/* What the queue gains, as a share of the time, and the latency, until it
 * counts as growing. */
#define GAINS_TIME 0.004
#define GAINS_LATENCY 1.25

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

/* A sum that exceeds the number of all requests that can count exceeds their
 * mean for certain. */
static int stop_early(struct excess *x, uint64_t row, const double *score,
		      struct problem *p)
{
	uint64_t first = (uint64_t)(x->of.first * (double)x->of.requests);
	double most = (double)(x->of.requests - first) * (1 + 1e-9);
	if (row < first)
		return 0;
	for (size_t i = 0; i < x->of.bounds->n; i++) {
		if (isnan(score[i]))
			continue;
		add(&x->bound[i], score[i]);
		if (x->bound[i].sum > most)
			x->stopped_by = (int32_t)i;
	}
	return x->stopped_by < 0
		   ? 0
		   : problem_set(p, EXIT_SAYS_NO, "a bound is exceeded");
}

static int on_request(void *ctx, const struct request_event *e,
		      struct problem *p)
{
	struct excess *x = ctx;
	int64_t arrival_ns = e->request.arrival_ns;
	size_t bounds = x->of.bounds->n;
	if (x->arrived == 0 || arrival_ns < x->first_ns)
		x->first_ns = arrival_ns;
	/* In sessions, only the first turn counts: last_ns is the time at which
	 * the last session begins. */
	if (x->arrived++ == 0 ||
	    (e->request.row % x->of.turns == 0 && arrival_ns > x->last_ns))
		x->last_ns = arrival_ns;
	if (e->ending != REQUEST_ENDED || x->n == x->of.requests)
		return 0;
	double *score = x->score + x->n * bounds;
	for (size_t i = 0; i < bounds; i++) {
		const struct bound *b = &x->of.bounds->bound[i];
		double value = latency_of(x, b, e);
		score[i] = value < 0 ? (double)NAN : bound_score(b, value);
	}
	x->sample[x->n] =
	    (struct excess_sample){.arrival_ns = arrival_ns,
				   .e2el_ns = e->e2el_ns,
				   .scheduled_ns = e->scheduled_ns,
				   .row = e->request.row,
				   .index = x->n,
				   .cached_tokens = e->cached_tokens,
				   .input_tokens = e->request.input_tokens};
	x->n++;
	return x->of.stops_early ? stop_early(x, e->request.row, score, p) : 0;
}

static void on_life(void *ctx, const struct replica_life *e)
{
	struct excess *x = ctx;
	if (x->n_lifetimes == x->lifetimes_cap) {
		size_t cap = x->lifetimes_cap ? 2 * x->lifetimes_cap : 64;
		struct replica_life *more =
		    realloc(x->life, cap * sizeof *more);
		if (!more)
			return;
		x->life = more;
		x->lifetimes_cap = cap;
	}
	x->life[x->n_lifetimes++] = *e;
}

/* ---- the run ---- */

int excess_begin(struct excess *x, const struct excess_of *of,
		 struct problem *p)
{
	*x = (struct excess){.of = *of, .stopped_by = -1};
	x->sample = calloc(of->requests + 1, sizeof *x->sample);
	x->score = calloc(of->requests * of->bounds->n + 1, sizeof *x->score);
	return x->sample && x->score ? 0 : problem_no_memory(p);
}

void excess_free(struct excess *x)
{
	free(x->sample);
	free(x->score);
	free(x->life);
	x->life = NULL;
	x->sample = NULL;
	x->score = NULL;
}

struct observer excess_observer(struct excess *x)
{
	struct observer o = {
	    .on_request = on_request, .on_life = on_life, .ctx = x};
	for (size_t i = 0; i < x->of.bounds->n; i++) {
		const struct bound *b = &x->of.bounds->bound[i];
		if (b->latency == LATENCY_ITL)
			o.itl_limit_ns[i] = (int64_t)(b->limit * 1e6);
	}
	return o;
}

/* ---- what counts ---- */

static int by_arrival(const void *a, const void *b)
{
	const struct excess_sample *x = a, *y = b;
	if (x->arrival_ns != y->arrival_ns)
		return x->arrival_ns < y->arrival_ns ? -1 : 1;
	return (x->row > y->row) - (x->row < y->row);
}

/* Finds first and end of what counts, in order of arrival. */
static void find_window(struct excess *x)
{
	const struct excess_of *of = &x->of;
	double n = (double)x->n;
	x->first = (uint64_t)(of->first * n);
	x->end = x->n - (uint64_t)(of->last * n);
	if (of->cycle_ns > 0) {
		x->first = 0;
		x->end = x->n;
	}
	if (x->first < of->least_first)
		x->first = of->least_first < x->n ? of->least_first : x->n;
	int64_t from_ns =
	    of->cycle_ns > of->from_ns ? of->cycle_ns : of->from_ns;
	while (x->first < x->end && x->sample[x->first].arrival_ns < from_ns)
		x->first++;
	while (of->turns > 1 && x->end > x->first &&
	       x->sample[x->end - 1].arrival_ns > x->last_ns)
		x->end--;
	if (x->end < x->first)
		x->end = x->first;
}

static size_t stretch_of(const struct excess *x, int64_t arrival_ns)
{
	double share =
	    (double)(arrival_ns - x->of.begins_ns) / (double)x->of.stretched_ns;
	size_t i = share > 0 ? (size_t)(share * EXCESS_STRETCHES) : 0;
	return i < EXCESS_STRETCHES ? i : EXCESS_STRETCHES - 1;
}

static void sum_scores(struct excess *x)
{
	size_t bounds = x->of.bounds->n;
	memset(x->bound, 0, sizeof x->bound);
	for (uint64_t k = x->first; k < x->end; k++) {
		const struct excess_sample *s = &x->sample[k];
		const double *score = x->score + s->index * bounds;
		x->cached += s->cached_tokens;
		x->prompts += s->input_tokens;
		for (size_t i = 0; i < bounds; i++) {
			if (isnan(score[i]))
				continue;
			add(&x->bound[i], score[i]);
			if (x->of.stretched_ns > 0)
				add(&x->stretch[i]
					       [stretch_of(x, s->arrival_ns)],
				    score[i]);
		}
	}
}

/* A session lives until its last turn ends. */
static int sum_lifetimes(struct excess *x, struct problem *p)
{
	uint64_t turns = x->of.turns;
	int64_t *began_ns = NULL;
	if (turns > 1) {
		began_ns = calloc(x->of.requests / turns + 1, sizeof *began_ns);
		if (!began_ns)
			return problem_no_memory(p);
	}
	/* A first turn arrives before the others. */
	for (uint64_t k = 0; k < x->end; k++) {
		const struct excess_sample *s = &x->sample[k];
		int64_t from_ns = s->arrival_ns;
		if (turns > 1 && s->row % turns == 0)
			began_ns[s->row / turns] = from_ns;
		if (s->row % turns != turns - 1 || k < x->first)
			continue;
		if (turns > 1)
			from_ns = began_ns[s->row / turns];
		add(&x->life_s,
		    (double)(s->arrival_ns + s->e2el_ns - from_ns) / 1e9);
	}
	free(began_ns);
	return 0;
}

/* ---- growth ---- */

struct part {
	double latency_s, at_s, n;
};

static struct part part_of(const struct excess *x, uint64_t from, uint64_t to)
{
	struct part a = {0};
	for (uint64_t k = from; k < to; k++) {
		a.latency_s += (double)x->sample[k].e2el_ns / 1e9;
		a.at_s += (double)x->sample[k].arrival_ns / 1e9;
		a.n++;
	}
	if (a.n > 0) {
		a.latency_s /= a.n;
		a.at_s /= a.n;
	}
	return a;
}

/* The first sample that does not arrive before that cycle. */
static uint64_t cycle_begins(const struct excess *x, int64_t cycle)
{
	uint64_t low = 0, high = x->n;
	while (low < high) {
		uint64_t mid = low + (high - low) / 2;
		if (x->sample[mid].arrival_ns < cycle * x->of.cycle_ns)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Thirds of the requests that count; of cycles whole ones, and of fewer than
 * three the last two. */
static void find_growth(struct excess *x)
{
	uint64_t third = (x->end - x->first) / 3;
	struct part a, z;
	if (x->of.cycle_ns > 0) {
		int64_t n = (x->last_ns + x->of.cycle_ns / 2) / x->of.cycle_ns;
		int64_t k = n - 1 >= 3 ? (n - 1) / 3 : 1;
		int64_t from = n - 1 >= 3 ? 1 : n - 2;
		a = part_of(x, cycle_begins(x, from),
			    cycle_begins(x, from + k));
		z = part_of(x, cycle_begins(x, n - k), x->n);
	} else {
		a = part_of(x, x->first, x->first + third);
		z = part_of(x, x->end - third, x->end);
	}
	x->latency_s[0] = a.latency_s;
	x->latency_s[1] = z.latency_s;
	x->grows = a.n > 0 && z.n > 0 &&
		   z.latency_s > GAINS_LATENCY * a.latency_s &&
		   z.latency_s - a.latency_s > GAINS_TIME * (z.at_s - a.at_s);
	x->falls = a.n > 0 && z.n > 0 &&
		   a.latency_s - z.latency_s > GAINS_TIME * (z.at_s - a.at_s);
}

/* ---- replicas ---- */

/* Returns how many are there at a time. */
static double alive_at(const struct excess *x, int64_t at_ns)
{
	double n = 0;
	for (size_t i = 0; i < x->n_lifetimes; i++)
		n += x->life[i].requested_ns <= at_ns &&
		     (x->life[i].gone_ns < 0 || x->life[i].gone_ns > at_ns);
	return n;
}

/* Replicas are there from the decision to start them until they are gone. */
static void find_replicas(struct excess *x)
{
	if (!x->n_lifetimes || x->end <= x->first)
		return;
	int64_t from = x->sample[x->first].arrival_ns;
	int64_t to = x->sample[x->end - 1].arrival_ns;
	double sum = 0;
	x->replicas_peak = alive_at(x, from);
	for (size_t i = 0; i < x->n_lifetimes; i++) {
		int64_t begins = x->life[i].requested_ns;
		int64_t ends = x->life[i].gone_ns < 0 ? to : x->life[i].gone_ns;
		if (begins > from && begins <= to)
			x->replicas_peak =
			    fmax(x->replicas_peak, alive_at(x, begins));
		begins = begins > from ? begins : from;
		ends = ends < to ? ends : to;
		sum += ends > begins ? (double)(ends - begins) : 0;
	}
	x->replicas_mean =
	    to > from ? sum / (double)(to - from) : x->replicas_peak;
}

/* ---- the end ---- */

/* Gaps are counted over the whole run: a step makes tokens of requests that
 * are counted and of others. */
static void sum_gaps(struct excess *x, const struct outcome *o)
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

static void find_rates(struct excess *x)
{
	uint64_t n = x->end - x->first, done = 0;
	if (n < 2)
		return;
	int64_t from = x->sample[x->first].arrival_ns;
	int64_t to = x->sample[x->end - 1].arrival_ns;
	for (uint64_t k = 0; k < x->n; k++) {
		int64_t at = x->sample[k].arrival_ns + x->sample[k].e2el_ns;
		done += at > from && at <= to;
	}
	if (to <= from)
		return;
	x->counted_per_s = (double)(n - 1) * 1e9 / (double)(to - from);
	x->completed_per_s = (double)done * 1e9 / (double)(to - from);
}

int excess_end(struct excess *x, const struct outcome *o, struct problem *p)
{
	qsort(x->sample, x->n, sizeof *x->sample, by_arrival);
	find_window(x);
	sum_scores(x);
	sum_gaps(x, o);
	find_growth(x);
	find_rates(x);
	find_replicas(x);
	return sum_lifetimes(x, p);
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

double excess_throughput(const struct excess *x, double from, double to)
{
	int64_t *ended_ns = calloc(x->n + 1, sizeof *ended_ns);
	if (x->n < 2 || !ended_ns) {
		free(ended_ns);
		return 0;
	}
	for (uint64_t i = 0; i < x->n; i++)
		ended_ns[i] = x->sample[i].arrival_ns + x->sample[i].e2el_ns;
	qsort(ended_ns, x->n, sizeof *ended_ns, by_time);
	double last = (double)(x->n - 1);
	uint64_t a = (uint64_t)(from * last), b = (uint64_t)(to * last);
	int64_t lasts_ns = ended_ns[b] - ended_ns[a];
	free(ended_ns);
	return lasts_ns > 0 ? (double)(b - a) * 1e9 / (double)lasts_ns
			    : INFINITY;
}

/* A prompt begins to wait, or it does no more: tokens < 0. */
struct wait {
	int64_t at_ns, tokens;
};

static int by_change(const void *a, const void *b)
{
	const struct wait *x = a, *y = b;
	return (x->at_ns > y->at_ns) - (x->at_ns < y->at_ns);
}

int excess_waiting(const struct excess *x, double tokens, double *after_s,
		   struct problem *p)
{
	struct wait *w = calloc(2 * x->n + 1, sizeof *w);
	double waiting = 0;
	if (!w)
		return problem_no_memory(p);
	for (uint64_t i = 0; i < x->n; i++) {
		const struct excess_sample *s = &x->sample[i];
		w[2 * i] = (struct wait){s->arrival_ns, s->input_tokens};
		w[2 * i + 1] =
		    (struct wait){s->scheduled_ns, -(int64_t)s->input_tokens};
	}
	qsort(w, 2 * x->n, sizeof *w, by_change);
	*after_s = INFINITY;
	for (uint64_t i = 0; i < 2 * x->n && isinf(*after_s); i++) {
		waiting += (double)w[i].tokens;
		if (waiting > tokens)
			*after_s = (double)w[i].at_ns / 1e9;
	}
	free(w);
	return 0;
}
