/* validate/replay/row_replays.h -- measured rows as simulations: which rows one
 * simulation answers, and which cannot be simulated at all. */
#pragma once
#include "base/ini.h"
#include "validate/measured/served.h"
#include "validate/replay/row_replay.h"

struct row_replays {
	struct row_replay *row_replay;
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
 * row_replays_free() in either case. */
int row_replays_plan(struct row_replays *t, const struct measured *file,
		     const struct ini *aliases, int all_flags,
		     struct problem *p);
/* How many rows are left out as left_out[i] is; 0: an earlier one is. */
size_t row_replays_left_out(const struct row_replays *t, size_t i);
void row_replays_free(struct row_replays *t);
