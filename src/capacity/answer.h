/* capacity/answer.h -- what a configuration serves under an arm: the one answer
 * of `capacity`, `recommend` and `sweep --capacity`.
 *
 * A capacity search (search.h) on the arm's engine, and what follows from it:
 * GPUs and prices, how far the arm can be trusted there, and the same search
 * where its errors are as large as elsewhere.  The same configuration has the
 * same figures in every command, to the digit.  Plain data, but the search.
 * [one thread]; no printing. */
#pragma once
#include "arm/arm.h"
#include "capacity/capacity.h"
#include "keys/prices.h"
#include "record/figures.h"
#include "record/usd.h"
#include "trust/trusted.h"

/* What a search is by default. */
#define SEARCH_PRECISION 0.03
#define SEARCH_CONFIDENCE 0.9
#define SEARCH_REQUEST_LIMIT 2000000
#define SEARCH_MARGIN 0.03

/* The router, and the cost that a handover between pools is taken to have. */
struct answer_outside {
	const char *router; /* constant text */
	int has_handover;
	double bandwidth_gbs, latency_us, fixed_us, proxy_us;
};

struct capacity_answer {
	struct capacity capacity;
	struct capacity_test test[CAPACITY_TESTS]; /* [capacity.n_tests]     */
	/* The same with tightened bounds; has_pessimistic 0: no bounded figure
	 * has an interval. */
	struct capacity pessimistic;
	int has_pessimistic;
	/* The same with every step at the pessimistic end of the model's own
	 * uncertainty (own_pessimistic.h); has_own 0: it says none.
	 * *pessimistic is the lesser of both; is_own: that is this one. */
	struct capacity own;
	int has_own, is_own;
	int is_independent; /* fleets are units with arrivals of their own    */
	uint32_t gpus_per_unit, replicas_per_unit;
	double usd_per_hour;  /* of one GPU; 0: unknown                       */
	double usd_per_joule; /* 0: energy has no price                      */
	struct price price[2]; /* of prefill and decode, if they are apart    */
	struct trusted trusted;
	struct answer_outside outside;
};

/* Returns 1 if the pessimistic answer is known.  Intervals of scored runs give
 * none where throughput limits the rate, because they have no interval of it.
 */
int answer_pessimistic_is_known(const struct capacity_answer *x);

/* How to ask. */
struct capacity_ask {
	const struct bounds *bounds;
	const struct workload_keys *workload;
	const struct traces *traces; /* NULL: none are kept                   */
	double
	    rate; /* requests/s to be carried; 0: the highest is looked for */
	int is_given;       /* the fleet stays as it is                       */
	int is_independent; /* one unit is searched, and multiplied           */
	int one_draw;       /* the configured requests alone (one_draw.h)     */
	int skips_pessimistic;
	uint32_t most_gpus; /* of a fleet that is looked for; 0: no limit     */
	double precision, confidence;
	uint64_t request_limit;
	FILE *said;
	void *step_memory;
	size_t step_bytes;
};

/* Asks the arm, which has an instance.  s, the search, has the answer so far
 * whenever the process is stopped.  Returns 0, or -1 with *p. */
int capacity_answer_find(const struct capacity_ask *how, struct arm *a,
			 struct capacity_search *s, struct capacity_answer *out,
			 struct problem *p);
/* The same for those who need the answer alone; the caller frees *out in either
 * case. */
int capacity_answer_ask(const struct capacity_ask *how, struct arm *a,
			struct capacity_answer **out, struct problem *p);
struct answer_outside answer_outside_of(const struct engine *e);

/* GPUs of that many units.  Every command counts them here. */
double answer_gpus(const struct capacity_answer *x, double units);
/* Units to buy: for the upper end of the interval, the middle, the lower end;
 * INFINITY: no number of units will do. */
struct answer_units {
	double low, mid, high;
};
struct answer_units answer_units(const struct capacity_answer *x);
struct answer_units answer_pessimistic_units(const struct capacity_answer *x);
/* Returns the energy of an output token at that capacity; NaN: unknown, or no
 * capacity was found. */
double answer_joules(const struct capacity_answer *x);
/* Returns the price of a million tokens at that capacity, or at the rate that
 * the fleet has to carry; NaN: no price, or no fleet was found. */
struct usd_per_mtok answer_usd_per_mtok(const struct capacity_answer *x);
/* Fills in all figures of enum capacity_figure. */
void answer_figures(const struct capacity_answer *x,
		    double v[N_CAPACITY_FIGURES]);
