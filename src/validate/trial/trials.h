/* validate/trial/trials.h -- measured rows as simulations: which rows one
 * simulation answers, and which cannot be simulated at all. */
#ifndef SC_VALIDATE_TRIAL_TRIALS_H
#define SC_VALIDATE_TRIAL_TRIALS_H
#include "base/ini.h"
#include "validate/measured/served.h"
#include "validate/trial/trial.h"

struct trials {
	struct trial *trial;
	size_t n;
	/* Rows that cannot be simulated, and why. */
	struct unsimulated {
		size_t row;
		char why[160];
	} * left_out;
	size_t n_left_out;
	int takes_all_flags;
	struct names unknown[N_SERVED]; /* ids with rows that are left out   */
	/* The id of all rows, which is not known: [model] or [hardware] of the
	 * configuration answers for it.  NULL: none. */
	const char *answered[N_SERVED];
};

/* all_flags: rows with the flags of [flags] leave_out, too.  0, or -1 with *p;
 * trials_free() in either case. */
int trials_plan(struct trials *t, const struct measured *file,
		const struct ini *aliases, int all_flags, struct problem *p);
/* How many rows are left out as left_out[i] is; 0: an earlier one is. */
size_t trials_left_out(const struct trials *t, size_t i);
void trials_free(struct trials *t);
#endif
