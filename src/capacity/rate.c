/* rate.c -- Scales the arrivals of a workload. */
#include "capacity/rate.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/text.h"
#include "workload/arrival.h"

/* The requests of all stages, and how long they last. */
static int sum_stages(const struct workload_keys *k, double *requests,
		      double *seconds, struct problem *p)
{
	struct arrival_stage *stage = NULL;
	uint32_t n = 0;
	if (arrival_parse_stages(k->stages, "[workload]", "stages", &stage, &n,
				 p) < 0)
		return -1;
	*requests = *seconds = 0;
	for (uint32_t i = 0; i < n; i++) {
		*requests += stage[i].rate * stage[i].seconds;
		*seconds += stage[i].seconds;
	}
	free(stage);
	return 0;
}

static double steady_rate(const struct workload_keys *k)
{
	double rate = k->interarrival_us > 0 ? 1e6 / k->interarrival_us
		      : isfinite(k->request_rate) && k->request_rate > 0
			  ? k->request_rate
			  : 1;
	return k->on_s > 0 ? rate * k->on_s / (k->on_s + k->off_s) : rate;
}

/* The mean rate of a trace: requests but one over the time that they take. */
static int rate_trace(struct rated *r, struct workload *w, struct problem *p)
{
	struct request q;
	int64_t first_ns = 0, last_ns = 0;
	uint64_t n = workload_total(w);
	for (uint64_t i = 0; i < n; i++) {
		if (workload_pop(w, &q, p) < 0)
			return -1;
		first_ns = i ? first_ns : q.arrival_ns;
		last_ns = q.arrival_ns;
	}
	r->is_timed = 1;
	r->first_ns = first_ns;
	r->rows = n;
	r->base = last_ns > first_ns
		      ? (double)(n - 1) * 1e9 / (double)(last_ns - first_ns)
		      : 1;
	return 0;
}

/* Requests that come when others have ended have no rate to scale. */
static int no_rate(const struct rated *r, struct problem *p)
{
	return problem_set(p, EXIT_USAGE,
			   "%s: its requests come when others have ended, so "
			   "they have no rate; use `stepcost run` or a sweep "
			   "over workload.rate_scale",
			   r->keys->trace);
}

/* Reads a trace at its own times.  Returns 1, 0 for other workloads, -1 with
 * *p. */
static int open_trace(struct rated *r, const struct ini *c,
		      const struct traces *traces, struct problem *p)
{
	if (!*r->keys->trace)
		return 0;
	struct workload *w = workload_open_with(r->keys, c, traces, p);
	if (!w)
		return -1;
	int is_timed = workload_is_timed(w);
	r->is_retimed = !is_timed;
	int rc = workload_has_trees(w) ? no_rate(r, p)
		 : is_timed            ? rate_trace(r, w, p)
				       : 0;
	workload_free(w);
	return rc < 0 ? -1 : is_timed;
}

int rated_open(struct rated *r, const struct workload_keys *k,
	       const struct ini *c, const struct traces *traces,
	       struct problem *p)
{
	double requests = 0, seconds = 0, sessions = steady_rate(k);
	*r = (struct rated){.keys = k, .is_closed = k->concurrency > 0};
	int is_timed = open_trace(r, c, traces, p);
	if (is_timed)
		return is_timed < 0 ? -1 : 0;
	r->base = 1;
	if (r->is_closed)
		return 0;
	if (*k->stages) {
		if (sum_stages(k, &requests, &seconds, p) < 0)
			return -1;
		sessions = seconds > 0 ? requests / seconds : 0;
		r->cycle = (uint64_t)llround(requests) * (uint64_t)k->turns;
		if (!(sessions > 0))
			return problem_set(p, EXIT_USAGE,
					   "[workload] stages = %s: no rate "
					   "above 0 to scale",
					   k->stages);
	}
	r->base = sessions * k->rate_scale * (double)k->turns;
	r->cycle_s = *k->stages                      ? seconds
		     : k->on_s > 0                   ? k->on_s + k->off_s
		     : k->arrival == ARRIVAL_DIURNAL ? k->period_s
						     : 0;
	return 0;
}

void rated_free(struct rated *r)
{
	free(r->stages);
	r->stages = NULL;
}

static int is_constant(const char *lengths)
{
	return !strncmp(lengths, "constant:", 9) ||
	       !lengths[strspn(lengths, "0123456789")];
}

int rated_is_random(const struct rated *r)
{
	const struct workload_keys *k = r->keys;
	int even = k->arrival == ARRIVAL_CONSTANT ||
		   k->arrival == ARRIVAL_BURST || k->interarrival_us > 0;
	int thinks = r->is_closed && !is_constant(k->think_time_s);
	return (!even && !r->is_closed) || thinks || *k->trace ||
	       k->turns > 1 || k->prompts > 0 || k->prompt_groups > 0 ||
	       !is_constant(k->input_tokens) || !is_constant(k->output_tokens);
}

static uint64_t whole(uint64_t n, double unit)
{
	return unit >= 1 ? (uint64_t)llround(ceil((double)n / unit) * unit) : n;
}

/* Returns by how much longer the stages of a load must be, 1, 2, 4 ..., until
 * their numbers of requests, each rounded to a whole one, add up to the exact
 * sum within a tenth.  Shorter stages would lose requests to rounding. */
static double stretch_of(const struct arrival_stage *g, uint32_t n,
			 double scale)
{
	double stretch = 1, exact, whole_sum;
	do {
		exact = whole_sum = 0;
		for (uint32_t i = 0; i < n; i++) {
			double of = g[i].rate * g[i].seconds * scale * stretch;
			exact += of;
			whole_sum += round(of);
		}
		stretch *= 2;
	} while (fabs(whole_sum - exact) > 0.1 * exact && stretch < 1e18);
	return stretch / 2;
}

/* Returns the stages as a text, each `stretch` times as long; the caller frees
 * it. */
static char *stretched(const struct arrival_stage *g, uint32_t n,
		       double stretch)
{
	struct text t;
	FILE *f = text_begin(&t);
	if (!f)
		return NULL;
	for (uint32_t i = 0; i < n; i++)
		fprintf(f, "%s%.17g:%.17g", i ? "," : "", g[i].rate,
			g[i].seconds * stretch);
	return text_end(&t);
}

/* Writes a text that number of times, with commas between. */
static char *repeated(const char *text, uint64_t times)
{
	size_t len = strlen(text);
	char *to = calloc(times, len + 1);
	for (uint64_t i = 0; to && i < times; i++) {
		char *at = to + i * (len + 1);
		memcpy(at, text, len);
		at[len] = i + 1 < times ? ',' : '\0';
	}
	return to;
}

/* Returns by how much shorter a cycle of that many requests may be. */
static double shorter(double requests)
{
	double by = 1;
	if (requests > RATED_CYCLE_MOST)
		while (requests / by / 2 >= RATED_CYCLE_ENOUGH)
			by *= 2;
	return by;
}

/* Repeats the stages until they have n requests at that scale of their rates,
 * and once more.  *requests tells how many they have then. */
static int repeat_stages(struct rated *r, double scale, uint64_t n,
			 uint64_t *requests, struct problem *p)
{
	struct arrival_stage *g = NULL;
	uint32_t n_stages = 0;
	if (arrival_parse_stages(r->keys->stages, "[workload]", "stages", &g,
				 &n_stages, p) < 0)
		return -1;
	double stretch = stretch_of(g, n_stages, scale * r->keys->rate_scale) /
			 shorter((double)r->cycle * scale);
	double once = (double)r->cycle * scale * stretch;
	uint64_t times = (uint64_t)ceil((double)n / fmax(once, 0.5)) + 1;
	/* The same text where nothing changes: the same bits. */
	char *longer = stretch != 1 ? stretched(g, n_stages, stretch)
				    : strdup(r->keys->stages);
	r->now_ns = llround(r->cycle_s * stretch * 1e9);
	free(g);
	free(r->stages);
	r->stages = longer ? repeated(longer, times) : NULL;
	free(longer);
	*requests = (uint64_t)((double)times * once);
	return r->stages ? 0 : problem_no_memory(p);
}

/* Whole cycles of on and off, or of a period, and one more. */
static uint64_t whole_cycles(struct rated *r, double rate, uint64_t n,
			     struct workload_keys *k)
{
	double by = shorter(rate * r->cycle_s);
	double cycle_s = r->cycle_s / by;
	k->on_s /= by;
	k->off_s /= by;
	k->period_s /= by;
	r->now_ns = llround(cycle_s * 1e9);
	double times = ceil((double)n / (rate * cycle_s)) + 1;
	return whole((uint64_t)llround(times * rate * cycle_s),
		     (double)k->turns);
}

double rated_peak(const struct rated *r)
{
	const struct workload_keys *k = r->keys;
	struct arrival_stage *stage = NULL;
	struct problem unused;
	uint32_t n = 0;
	double most = 0;
	if (!rated_has_cycles(r))
		return 1;
	if (k->arrival == ARRIVAL_DIURNAL && k->peak_to_trough > 0)
		return 2 * k->peak_to_trough / (k->peak_to_trough + 1);
	if (k->on_s > 0)
		return (k->on_s + k->off_s) / k->on_s;
	if (!*k->stages ||
	    arrival_parse_stages(k->stages, "[workload]", "stages", &stage, &n,
				 &unused) < 0)
		return 1;
	for (uint32_t i = 0; i < n; i++)
		most = fmax(most, stage[i].rate);
	free(stage);
	return most * r->cycle_s / ((double)r->cycle / (double)k->turns);
}

int rated_at(struct rated *r, double rate, uint64_t n, uint64_t seed,
	     struct workload_keys *k, uint64_t *requests, struct problem *p)
{
	double scale = r->is_closed ? 1 : rate / r->base;
	*k = *r->keys;
	k->rate_scale *= scale;
	if (r->is_closed)
		k->concurrency = llround(rate);
	*requests = n;
	r->now_ns = 0;
	if (r->is_timed)
		return 0;
	k->seed = (int64_t)seed;
	if (!isfinite(k->request_rate))
		k->request_rate = 1;
	*requests = whole(n, (double)k->turns);
	if (rated_has_cycles(r) && !r->cycle)
		*requests = whole_cycles(r, rate, n, k);
	if (r->cycle) {
		if (repeat_stages(r, scale, n, requests, p) < 0)
			return -1;
		k->stages = r->stages;
	}
	/* The stages say how many.  A trace keeps the rows that its user wants.
	 */
	if (!r->is_retimed)
		k->num_requests = r->cycle ? INT32_MAX : (int64_t)*requests;
	return 0;
}

void rated_once(const struct rated *r, uint64_t seed, struct workload_keys *k,
		uint64_t *requests)
{
	*k = *r->keys;
	k->seed = (int64_t)seed;
	k->num_requests = INT32_MAX; /* the stages say how many               */
	*requests = r->cycle;
}

double rated_begin(const struct rated *r, uint32_t number, uint64_t seed)
{
	enum { PLACES = 64 };
	return r->is_retimed ? (double)((seed + number) % PLACES) / PLACES : 0;
}

void rated_at_once(const struct rated *r, uint64_t n, uint64_t seed,
		   struct workload_keys *k, uint64_t *requests)
{
	*k = *r->keys;
	k->seed = (int64_t)seed;
	if (!isfinite(k->request_rate))
		k->request_rate = 1;
	*requests = whole(n, (double)k->turns);
	if (!r->is_retimed)
		k->num_requests = (int64_t)*requests;
}
