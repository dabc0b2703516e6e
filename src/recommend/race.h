/* recommend/race.h -- finds the best of many configurations with about one
 * simulation for each: a challenger is simulated once, at a rate just above
 * that of the best so far, and is out if it does not meet the bounds there.
 *
 * If meeting the bounds is monotone in the rate, the winner's rate is at least
 * (1 - 2 precision) of the best: once for the challenger's step, once for the
 * search of the winner's rate.
 *
 * Challengers run in waves of RACE_WAVE at one rate.  So the same entries give
 * the same race, however many run at once.  Pure bookkeeping: it asks
 * questions and takes answers, and knows neither simulations nor cost models.
 * [any thread] */
#pragma once
#include "base/problem.h"
#include "recommend/race_order.h"

enum { RACE_WAVE = 8 };
#define RACE_NONE SIZE_MAX

enum race_ask {
	RACE_FIRST, /* nearly unloaded, and if that meets the bounds a search */
	RACE_AT,    /* one run at that scale                                  */
	RACE_CLIMB, /* a search upward from that scale, which is met          */
	RACE_MEASURE, /* whatever the best is measured by                     */
};
struct race_question {
	uint32_t ask;
	uint32_t entry;
	double scale; /* of the workload's rate                              */
	uint64_t requests; /* of a run, at least                             */
};
/* Plain data. */
struct race_answer {
	int met, failed, is_too_short;
	int32_t limited_by; /* LIMITED_BY_…, or a bound that broke          */
	double scale;       /* the highest that was met; in RACE_MEASURE the
			       figure to be largest                           */
	uint64_t simulations, requests;
};

struct race_how {
	double precision;
	double floor; /* scale that must be met; 0: none is asked for        */
	int measures; /* every configuration is measured: RACE_MEASURE       */
	double measured_at; /* that scale; 0: 1                              */
	uint64_t budget; /* simulations; 0: no limit                          */
	uint64_t requests; /* of the first run                                */
};
struct race {
	struct race_how how;
	const struct race_entry *entry; /* [n] the caller's                   */
	size_t n;
	struct race_track *track; /* [n]                                      */
	size_t best; /* the incumbent, in the end the winner; RACE_NONE       */
	double best_scale;
	uint64_t simulations, requests;
	size_t n_incumbents, n_tried;
	/* Private: */
	size_t *order; /* [n]                                                 */
	size_t at, level_end;
	struct race_question wave[RACE_WAVE];
	struct race_answer answer[RACE_WAVE];
	unsigned n_wave, n_asked, n_answered;
	size_t met[RACE_WAVE]; /* challengers that met, not yet searched      */
	unsigned n_met;
};

/* Returns 0, or -1 with *p: memory is out.  race_free() in either case. */
int race_begin(struct race *r, const struct race_how *how,
	       const struct race_entry *entry, size_t n, struct problem *p);
/* As next() of a pool: POOL_NEXT, POOL_LATER or POOL_NO_MORE. */
int race_next(struct race *r, struct race_question *q);
void race_take(struct race *r, const struct race_question *q,
	       const struct race_answer *a);
/* The entry of another shape than the best that met the highest rate;
 * RACE_NONE: there is none. */
size_t race_runner_up(const struct race *r);
void race_free(struct race *r);
