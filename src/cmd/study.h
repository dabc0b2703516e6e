/* cmd/study.h -- shared by the commands `run` and `compare`. */
#pragma once
#include "arm/configuration.h"
#include "base/cmdline.h"
#include "cmd/study_output.h"
#include "study/findings.h"

/* The options of both commands; `run` has the first N_RUN_OPTIONS. */
enum { N_RUN_OPTIONS = 20, N_STUDY_OPTIONS = 29 };
extern const struct option_def study_option[N_STUDY_OPTIONS];

/* Runs the first max_arms arms (0: all) and writes every output that the
 * options ask for.  Returns the exit code. */
int cmd_study(const struct cmdline *line, size_t max_arms);
/* The same with --watch. */
int cmd_watch(const struct cmdline *line, size_t max_arms);

/* One round: the configuration as the file is now, and its results. */
struct study_round {
	const struct cmdline *line;
	struct config config;
	size_t n_arms; /* how many to run */
	struct study_options options;
	struct findings found;
};
/* Returns 0, or -1 with *p filled in.  The caller calls study_round_free() in
 * either case. */
int study_round_open(struct study_round *r, const struct cmdline *line,
		     size_t max_arms, struct problem *p);
/* Runs the arms, prints their errors, writes every output.  Returns 0, or -1
 * with *p filled in if there are no results or a signal interrupted the run. */
int study_round_run(struct study_round *r, study_document_fn document,
		    void *user, struct problem *p);
void study_round_free(struct study_round *r);

/* Ends this process in the way of the signal, after all is cleaned up. */
void end_by_signal(int number);
