/* recommend/candidates.h -- the configurations to choose from, as a list of
 * points for sweep/plan.h: each shape with each value of the keys that use no
 * GPU.
 *
 * Whether a configuration is possible is not decided here: engines and cost
 * models refuse what they cannot serve.  [main] */
#pragma once
#include "recommend/domain.h"

/* Each is prepared under every arm, and most of them are simulated.  A user who
 * gives a budget of simulations may have more.  Rows of --points count, too. */
enum { CANDIDATES_MOST = 100000, CANDIDATES_MOST_WITH_BUDGET = 1000000 };
enum candidates_serve { SERVE_BOTH, SERVE_AGGREGATED, SERVE_DISAGGREGATED };
struct candidates_request {
	struct domain_request keys; /* without has_… */
	const uint32_t
	    *gpus; /* [n_gpus] of each GPU of keys.hardware, or one */
	size_t n_gpus;
	int serve;   /* enum candidates_serve                                 */
	size_t most; /* configurations; more are refused                      */
};
/* Zeroed at first. */
struct candidates {
	char *list; /* CSV, a configuration a row; NULL: none                */
	size_t n;
	int has_no_roles; /* 1: pools = together, and none were tried        */
};

/* Returns 0, or -1 with *p (EXIT_USAGE): there are none, or too many; too many
 * are not listed.  candidates_free() in either case. */
int candidates_list(struct candidates *c, const struct candidates_request *r,
		    const struct config *base, struct problem *p);
void candidates_free(struct candidates *c);
/* Returns the tokens of the longest request of the workload, prompt and output
 * together; 0 with *p. */
uint64_t candidates_longest(const struct config *base, struct problem *p);
