/* arena/arena.h -- the leaderboard of cost models: every arm on every set of
 * measured steps, and on measured serving runs.
 *
 * A file of runs makes a set for each of its mean latencies, with a run in the
 * place of a step (runs.h); so figures, pairs and ranks are those of
 * steps/score.h everywhere.  An arm has a rank on a set if it prices
 * SHARE_OF_A_SET of it and was not fitted to it.  [main] */
#pragma once
#include "arena/fitted.h"
#include "arena/runs.h"
#include "steps/score.h"

/* An arm that prices less of a set has no rank there. */
#define SHARE_OF_A_SET 0.95

/* An arm on a set. */
struct arena_arm {
	enum fitted fitted;
	int has_most, is_ranked;
	size_t rank[2]; /* among the ranked ones; 0: it is none */
	/* Against the best arm of the set, over the rows that both price; NULL:
	 * it is the best, or there is no such row. */
	const struct step_pair *to_best;
};
struct arena_set {
	char *name; /* "steps-h200-own", "vllm-0.11-replay TTFT" */
	int is_runs;
	struct step_set set;
	struct step_arms arms; /* of steps; zeroed for runs */
	struct score score;
	struct arena_arm *arm; /* [arena.n_arms] */
	size_t best;           /* of the ranked ones; SIZE_MAX: none */
};

/* An arm over all sets that have a baseline. */
struct arena_overall {
	size_t arm;
	size_t sets;      /* of them that it prices */
	size_t fitted_to; /* of them that it was fitted to */
	double skill;     /* NaN: it does not price all of them */
	size_t place; /* from 1; 0: none, it lacks sets or was fitted to some */
};
struct arena {
	/* Tables and declarations of plugins that all sets share. */
	struct config shared;
	struct arena_runs *runs; /* [n_runs] */
	size_t n_runs;
	struct arena_set *set; /* [n] room for all: they must not be moved */
	size_t n;
	size_t n_arms; /* the baseline of a set comes after them */
	size_t n_with_baseline;
	struct arena_overall *overall; /* [n_arms] the first place first */
};

/* Makes room for that many files; *a must not be moved then.  Returns 0, or -1
 * with *p filled in.  The caller calls arena_free() in either case. */
int arena_make(struct arena *a, size_t n_step_files, size_t n_run_files,
	       struct problem *p);
/* Returns the next set, named after the file and its latency (NULL: of steps),
 * for the caller to fill in set, arms and score.  NULL with *p filled in. */
struct arena_set *arena_add(struct arena *a, const char *path,
			    const char *latency, struct problem *p);
/* Takes the last set away, which has no rows. */
void arena_drop_last(struct arena *a);
/* Judges all sets: who was fitted, ranks, places.  Returns 0, or -1 with *p
 * filled in. */
int arena_judge(struct arena *a, struct problem *p);
/* Returns the name of an arm. */
const char *arena_arm_name(const struct arena *a, size_t arm);
/* Returns 1 if the arm, which is none that was fitted to the set, is nearer
 * than the baseline there. */
int arena_beats_baseline(const struct arena_set *s, size_t arm);
/* Returns why an arm prices less than all of a set; NULL: it prices all, or no
 * reason is known. */
const char *arena_why(const struct arena_set *s, size_t arm);
void arena_free(struct arena *a);
