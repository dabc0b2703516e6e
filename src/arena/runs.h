/* arena/runs.h -- measured serving runs as sets: a run takes the place of a
 * step, and a mean latency that of its time.
 *
 * Rows that were measured while requests piled up are left out, because their
 * latencies tell the length of the run.  Simulations of an earlier call come
 * from a file (stored.h).  [main] */
#pragma once
#include "arena/stored.h"
#include "steps/score.h"

struct arena_runs {
	char *path;
	struct measured file;
	struct validation v;
	size_t n_known; /* simulations that were stored */
};

struct runs_options {
	const char *config; /* path */
	struct validate_options validate;
	struct stored *stored; /* NULL: none */
};
/* Simulates the runs of a file.  Returns 0, or -1 with *p filled in; v.
 * interrupted tells a signal.  The caller calls runs_free() in either case; *r
 * must not be moved. */
int runs_simulate(struct arena_runs *r, const char *path,
		  const struct ini *aliases, const struct runs_options *o,
		  struct problem *p);
/* Makes a set and a score of one latency, in us.  baseline: an arm; others:
 * none.  margin: as of the score.  The set is empty if the latency was not
 * measured.  Returns 0, or -1 with *p filled in.  The caller calls
 * step_set_free() and score_free() in either case; the score points to the set
 * and to the runs. */
int runs_score(struct step_set *set, struct score *s,
	       const struct arena_runs *r, enum run_latency latency,
	       const char *baseline, double margin, struct problem *p);
void runs_free(struct arena_runs *r);
