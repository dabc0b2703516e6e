/* arrival_keys.c -- Starts the arrivals that the keys of [workload]
 * describe. */
#include "workload/generate/arrival_keys.h"
#include <math.h>
#include <string.h>

/* The keys for arrival times; exactly one of them must be set. */
static const char *const rate_key[] = {"request_rate", "interarrival_us",
				       "concurrency", "stages"};
enum { RATE, INTERVAL, CONCURRENCY, STAGES, N_RATE_KEYS };

/* If an option sets one of them, clears the others that come from the file. */
static void drop_overridden(struct workload_keys *k, const struct ini *c)
{
	int is_by_set[N_RATE_KEYS], any = 0;
	for (int i = 0; i < N_RATE_KEYS; i++) {
		is_by_set[i] = ini_by_option(workload_given(c, rate_key[i]));
		any |= is_by_set[i];
	}
	if (any && !is_by_set[RATE])
		k->request_rate = 0;
	if (any && !is_by_set[INTERVAL])
		k->interarrival_us = 0;
	if (any && !is_by_set[CONCURRENCY])
		k->concurrency = 0;
	if (any && !is_by_set[STAGES])
		k->stages = "";
}

static int check_rate(struct workload_keys *k, const struct ini *c,
		      struct problem *p)
{
	const int was_set[N_RATE_KEYS] = {k->request_rate > 0,
					  k->interarrival_us > 0,
					  k->concurrency > 0, *k->stages != 0};
	drop_overridden(k, c);
	const int is_set[N_RATE_KEYS] = {k->request_rate > 0,
					 k->interarrival_us > 0,
					 k->concurrency > 0, *k->stages != 0};
	int first = -1;
	for (int i = 0; i < N_RATE_KEYS; i++) {
		const struct ini_item *item = workload_given(c, rate_key[i]);
		if (item && !was_set[i])
			return problem_set(p, EXIT_USAGE,
					   "%s: %s = %s: must be more than 0",
					   item->at, rate_key[i], item->value);
		if (is_set[i] && first >= 0)
			return problem_set(
			    p, EXIT_USAGE,
			    "%s: %s and %s: give only one, because each says "
			    "when requests arrive",
			    workload_at(c, rate_key[i]), rate_key[first],
			    rate_key[i]);
		if (is_set[i])
			first = i;
	}
	if (first < 0)
		return problem_set(p, EXIT_USAGE,
				   "%s: [workload] needs request_rate, "
				   "interarrival_us, concurrency or stages",
				   c ? c->path : "?");
	if (first == CONCURRENCY && k->rate_scale != 1)
		return problem_set(p, EXIT_USAGE,
				   "%s: rate_scale: a closed loop has no rate",
				   workload_at(c, "rate_scale"));
	return 0;
}

/* A day has a mean rate, and nothing else that bends it. */
static int check_diurnal(const struct arrival *a, const struct ini *c,
			 struct problem *p)
{
	if (a->process != ARRIVAL_DIURNAL)
		return 0;
	if (a->n_stages)
		return problem_set(p, EXIT_USAGE,
				   "%s: stages do not go with arrival = "
				   "diurnal, which needs request_rate",
				   workload_at(c, "stages"));
	if (a->on_ns)
		return problem_set(p, EXIT_USAGE,
				   "%s: on_s does not go with arrival = "
				   "diurnal",
				   workload_at(c, "on_s"));
	if (isinf(a->rate))
		return problem_set(p, EXIT_USAGE,
				   "%s: request_rate = inf: arrival = diurnal "
				   "needs a finite mean",
				   workload_at(c, "request_rate"));
	return 0;
}

/* A stage draws its arrivals when it begins; the largest stage takes a second
 * or two. */
static int check_stages(const struct arrival *a, const struct workload_keys *k,
			const struct ini *c, struct problem *p)
{
	double most = arrival_is_random(a) ? 1e8 : 1e15;
	for (uint32_t i = 0; i < a->n_stages; i++)
		if (!(a->stage[i].rate * a->stage[i].seconds <= most))
			return problem_set(
			    p, EXIT_USAGE,
			    "%s: stages = %s: %g requests in a stage; at most "
			    "%g%s",
			    workload_at(c, "stages"), k->stages,
			    a->stage[i].rate * a->stage[i].seconds, most,
			    arrival_is_random(a)
				? " if they arrive at random (arrival)"
				: "");
	return 0;
}

int arrival_from_keys(struct arrival *a, struct workload_keys *k,
		      const struct ini *c, struct problem *p)
{
	*a = (struct arrival){0};
	if (check_rate(k, c, p) < 0)
		return -1;
	*a = (struct arrival){.process = (enum arrival_process)k->arrival,
			      .rate = k->request_rate * k->rate_scale,
			      .interval_us = k->interarrival_us / k->rate_scale,
			      .cv = k->cv,
			      .burst = (uint64_t)k->burst_size,
			      .peak_to_trough = k->peak_to_trough,
			      .period_ns = llround(1e9 * k->period_s),
			      .on_ns = llround(1e9 * k->on_s),
			      .off_ns = llround(1e9 * k->off_s)};
	if (k->interarrival_us > 0 && c && !workload_given(c, "arrival"))
		a->process = ARRIVAL_CONSTANT;
	if (*k->stages &&
	    arrival_parse_stages(k->stages, workload_at(c, "stages"), "stages",
				 &a->stage, &a->n_stages, p) < 0)
		return -1;
	for (uint32_t i = 0; i < a->n_stages; i++)
		a->stage[i].rate *= k->rate_scale;
	if (check_diurnal(a, c, p) < 0)
		return -1;
	arrival_start(a, (uint64_t)k->seed);
	return check_stages(a, k, c, p);
}
