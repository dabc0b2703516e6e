/* serve/faults.h -- faults on demand: a request is refused, reset, cut or
 * stalled, because a header asks for it or because it is drawn.  [one thread]
 */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include "base/problem.h"

enum fault_kind {
	FAULT_NONE,
	FAULT_429,
	FAULT_500,
	FAULT_503,
	FAULT_RESET,
	FAULT_CUT,
	FAULT_STALL,
	N_FAULTS
};
extern const char *const fault_name[N_FAULTS];
struct fault {
	enum fault_kind kind;
	double value; /* events before a cut; seconds of a stall */
};
enum { FAULT_SHARES = 16 };
struct fault_shares {
	size_t n;
	struct {
		struct fault fault;
		double share;
	} of[FAULT_SHARES];
	char text[400]; /* as given */
};
/* Reads "429", "cut:3", "stall:2".  Returns 0, or -1. */
int fault_parse(const char *text, size_t n, struct fault *to);
/* Reads "429=0.01, cut:3=0.005".  Returns 0, or -1 with *p filled in. */
int fault_shares_parse(const char *text, struct fault_shares *to,
		       struct problem *p);
/* Draws the fault of a request, by the server's seed and its number. */
struct fault fault_draw(const struct fault_shares *s, uint64_t seed,
			uint64_t number);
