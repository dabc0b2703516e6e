/* closed.c -- Searches the capacity of a closed loop: the highest number of
 * clients that meets the bounds. */
#include <math.h>
#include "engine/engine.h"
#include "math/student.h"
#include "capacity/stages.h"

/* A run holds 30 times the requests in the system, and has a limit itself. */
enum {
	LEAST_REQUESTS = 1000,
	RUN_TO_CLIENTS = 30,
	MOST_CLIENTS = (1 << 17) / RUN_TO_CLIENTS,
	FIRST_NUMBERS = 10,
	MOST_NUMBERS = 640,
	/* A bound that holds for 1,000 clients, and for 8 times those that the
	 * engine holds, is broken by no number: the others only queue. */
	MANY_CLIENTS = 1000,
	CLIENTS_TO_SEQUENCES = 8,
};

/* ---- one number of clients ---- */

static uint64_t most_clients(const struct searching *g)
{
	const struct engine *e = g->task.engine;
	uint64_t held = (uint64_t)e->max_num_seqs * e->replicas;
	uint64_t most = CLIENTS_TO_SEQUENCES * held;
	return most < MANY_CLIENTS   ? MANY_CLIENTS
	       : most < MOST_CLIENTS ? most
				     : MOST_CLIENTS;
}

static uint64_t long_enough(const struct searching *g, uint64_t clients)
{
	uint64_t m = g->s->requests;
	while (m < RUN_TO_CLIENTS * clients)
		m *= 2;
	return m;
}

static const struct capacity_run *known_run(const struct capacity_search *s,
					    double log_clients, uint32_t number)
{
	for (uint32_t i = 0; i < s->n; i++)
		if (s->run[i].number == number &&
		    fabs(s->run[i].log_rate - log_clients) < 1e-9)
			return &s->run[i];
	return NULL;
}

/* Returns the run, which is simulated once; NULL with *g->p. */
static const struct capacity_run *run_at(struct searching *g, uint64_t clients,
					 uint32_t number)
{
	struct capacity_search *s = g->s;
	double x = log((double)clients);
	const struct capacity_run *known = known_run(s, x, number);
	struct run_result r;
	if (known)
		return known;
	const struct run_of of = {.rate = (double)clients,
				  .requests = long_enough(g, clients),
				  .number = number};
	int rc = stage_run(g, &of, &r);
	if (rc == 0)
		stage_describe(g, &r);
	excess_free(&r.excess);
	if (rc < 0)
		return NULL;
	/* Without room the last is overwritten, and simulated again. */
	s->n -= s->n == CAPACITY_RUNS;
	s->run[s->n] = r.run;
	s->run[s->n].log_rate = x;
	return &s->run[s->n++];
}

/* Sums over the replications of a number of clients. */
struct level {
	double mean[CAPACITY_BOUNDS],
	    squares[CAPACITY_BOUNDS]; /* of excesses */
	double value[CAPACITY_BOUNDS];
	/* means, like `value` */
	double requests_per_s, joules_per_token;
	uint64_t requests, completed, rejected;
	uint32_t n;
};

static void add_run(struct level *l, const struct capacity_run *r,
		    uint32_t numbers, size_t bounds)
{
	l->n++;
	for (size_t i = 0; i < bounds; i++) {
		double d = r->excess[i] - l->mean[i];
		l->mean[i] += d / l->n;
		l->squares[i] += d * (r->excess[i] - l->mean[i]);
		l->value[i] += r->value[i] / numbers;
	}
	l->requests_per_s += r->requests_per_s / numbers;
	l->joules_per_token += r->joules_per_token / numbers;
	l->requests += r->requests;
	l->completed += r->completed;
	l->rejected += r->rejected;
}

static int level_at(struct searching *g, uint64_t clients, uint32_t numbers,
		    struct level *l)
{
	*l = (struct level){0};
	for (uint32_t i = 0; i < numbers; i++) {
		const struct capacity_run *r = run_at(g, clients, i + 1);
		if (!r)
			return -1;
		add_run(l, r, numbers, g->task.bounds->n);
	}
	return 0;
}

/* The logarithm of a bound's mean excess, plus `times` standard errors. */
static double log_excess(const struct level *l, size_t bound, double times)
{
	double mean = l->mean[bound];
	double variance = l->n > 1 ? l->squares[bound] / (l->n - 1) / l->n : 0;
	return mean > 0 ? log(mean) + times * sqrt(variance) / mean : -INFINITY;
}

/* Returns 1 if the clients meet all bounds with `times` standard errors to
 * spare, 0 if not, -1 with *g->p. */
static int meets(struct searching *g, uint64_t clients, uint32_t numbers,
		 double times)
{
	struct level l;
	double worst = -INFINITY;
	if (level_at(g, clients, numbers, &l) < 0)
		return -1;
	for (uint32_t i = 0; i < g->task.bounds->n && !g->s->is_over; i++) {
		double at = log_excess(&l, i, times);
		if (at > worst && at > 0)
			g->s->answer.limited_by = (int32_t)i;
		worst = fmax(worst, at);
	}
	return !g->s->is_over && worst <= 0;
}

/* ---- the number of clients ---- */

static uint64_t tolerance(uint64_t clients)
{
	return clients > 200 ? clients / 200 : 1;
}

/* Finds the highest number of clients that meets the bounds, from *clients on;
 * 0: none does.  Returns 0, or -1 with *g->p. */
static int crossing(struct searching *g, uint32_t numbers, double times,
		    uint64_t *clients)
{
	uint64_t met = 0, broken = most_clients(g) + 1, at = *clients;
	uint64_t step = at / 16 + 1;
	int is_bracketed = 0;
	at = at < 1 ? 1 : at < broken ? at : broken - 1;
	while (broken - met > tolerance(met) && !g->s->is_over) {
		int is_met = meets(g, at, numbers, times);
		if (is_met < 0)
			return -1;
		is_bracketed |= is_met ? broken <= most_clients(g) : met > 0;
		if (is_met)
			met = at;
		else
			broken = at;
		if (is_bracketed)
			at = met + (broken - met) / 2;
		else if (is_met)
			at = met + step < broken ? met + step : broken - 1;
		else
			at = broken > step + met ? broken - step : met + 1;
		step *= 2;
	}
	*clients = met;
	return 0;
}

/* ---- the answer ---- */

/* Throughput and values with that number of clients.  Returns 0, or -1 with
 * *g->p. */
static int take_means(struct searching *g, uint64_t clients, uint32_t numbers)
{
	struct capacity *c = &g->s->answer;
	struct level l;
	if (level_at(g, clients, numbers, &l) < 0)
		return -1;
	c->request_rate = l.requests_per_s;
	c->seen.joules_per_token = l.joules_per_token;
	c->seen.requests = l.requests;
	c->seen.completed = l.completed;
	c->seen.rejected = l.rejected;
	for (uint32_t k = 0; k < g->task.bounds->n; k++)
		c->seen.value[k] = l.value[k];
	return 0;
}

/* The interval from that number of replications.  Returns 0, or -1 with
 * *g->p. */
static int interval(struct searching *g, uint32_t numbers)
{
	struct capacity *c = &g->s->answer;
	double t = numbers > 1
		       ? student_two_sided(g->task.confidence, numbers - 1.0)
		       : 0;
	if (crossing(g, numbers, 0, &c->clients) < 0)
		return -1;
	c->clients_low = c->clients_high = c->clients;
	if (numbers > 1 && c->clients &&
	    (crossing(g, numbers, t, &c->clients_low) < 0 ||
	     crossing(g, numbers, -t, &c->clients_high) < 0))
		return -1;
	c->replications = numbers;
	return 0;
}

static int is_narrow(const struct searching *g)
{
	const struct capacity *c = &g->s->answer;
	double apart = (double)(c->clients_high - c->clients_low);
	return apart <= 1 ||
	       apart / 2 <= g->task.precision * (double)c->clients;
}

/* Doubles the replications until the interval is narrow. */
static int replicate(struct searching *g)
{
	struct capacity *c = &g->s->answer;
	uint32_t numbers = rated_is_random(&g->rated) ? FIRST_NUMBERS : 1;
	while (!g->s->is_over) {
		if (interval(g, numbers) < 0)
			return -1;
		if (g->s->is_over || !c->clients || is_narrow(g)) {
			c->stopped_by = STOP_PRECISION;
			break;
		}
		if (2 * numbers > MOST_NUMBERS ||
		    2 * c->requests_simulated > g->task.request_limit) {
			c->stopped_by = STOP_LIMIT;
			break;
		}
		numbers *= 2;
	}
	return 0;
}

/* No number of clients: even one breaks a bound. */
static void none(struct searching *g)
{
	struct capacity *c = &g->s->answer;
	c->verdict = CAPACITY_NONE;
	c->stopped_by = STOP_NONE;
	c->request_rate = c->low = c->high = NAN;
}

/* Fills in the answer: rates at the ends of the interval of clients, and means
 * at the number that was found. */
static int conclude(struct searching *g)
{
	struct capacity *c = &g->s->answer;
	uint32_t numbers = c->replications;
	int32_t limited_by = c->limited_by;
	struct level low, high;
	if (level_at(g, c->clients_low ? c->clients_low : 1, numbers, &low) <
		0 ||
	    level_at(g, c->clients_high, numbers, &high) < 0 ||
	    take_means(g, c->clients, numbers) < 0)
		return -1;
	double a = low.requests_per_s, z = high.requests_per_s;
	c->verdict = CAPACITY_FOUND;
	c->low = fmin(fmin(a, z), c->request_rate);
	c->high = fmax(fmax(a, z), c->request_rate);
	c->limited_by =
	    c->clients == most_clients(g) ? LIMITED_BY_SATURATION : limited_by;
	g->s->requests = long_enough(g, c->clients);
	return 0;
}

int closed_loop(struct searching *g)
{
	struct capacity *c = &g->s->answer;
	uint64_t given = (uint64_t)g->rated.keys->num_requests;
	g->s->requests = given > LEAST_REQUESTS ? given : LEAST_REQUESTS;
	c->basis = BASIS_REPLICATIONS;
	if (stage_lengths(g) < 0)
		return -1;
	if (g->s->is_over)
		return 0;
	c->clients = (uint64_t)g->rated.keys->concurrency;
	/* One client, alone, decides whether any number will do. */
	int is_met = meets(g, 1, 1, 0);
	if (is_met > 0 && crossing(g, 1, 0, &c->clients) < 0)
		return -1;
	if (is_met < 0 || (is_met > 0 && replicate(g) < 0))
		return -1;
	if (g->s->is_over)
		return 0;
	g->s->is_over = 1;
	if (is_met && c->clients)
		return conclude(g);
	none(g);
	return 0;
}
