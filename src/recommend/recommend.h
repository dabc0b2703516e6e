/* recommend/recommend.h -- which configuration serves a workload best within
 * latency bounds, under every arm.
 *
 * Each arm races over the same configurations with the same requests (race.h).
 * Then the winner of each arm and its runner-up of another shape are searched
 * in full under every arm: what each choice loses if another arm is right.
 * [main]; no printing. */
#pragma once
#include "recommend/judge.h"

extern const char *const recommend_objective_name[];

/* Returns 0, or -1 with *p.  recommend_free() in either case. */
int recommend_open(struct recommend *r, const struct recommend_request *from,
		   struct problem *p);
/* Returns 0, also if some arms found nothing; or -1 with *p, perhaps because
 * the user interrupted (r->interrupted): then the races tell how far they
 * were. */
int recommend_run(struct recommend *r, struct problem *p);
void recommend_free(struct recommend *r);

/* Returns 0 done, 1 nothing meets the bounds, 4 a plugin failed. */
int recommend_code(const struct recommend *r);
