/* validate/trials.h -- measured rows as simulations: which rows one simulation
 * answers, and which cannot be simulated at all. */
#ifndef SC_VALIDATE_TRIALS_H
#define SC_VALIDATE_TRIALS_H
#include "base/ini.h"
#include "validate/trial.h"

struct trials {
	struct trial *trial;
	size_t n;
	/* Rows that cannot be simulated, and why. */
	struct unsimulated {
		size_t row;
		char why[160];
	} * left_out;
	size_t n_left_out;
};

/* 0, or -1 with *p; trials_free() in either case. */
int trials_plan(struct trials *t, const struct measured *file,
		const struct ini *aliases, struct problem *p);
void trials_free(struct trials *t);
#endif
