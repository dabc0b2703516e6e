/* cmd/study.h -- what the commands `run` and `compare` share. */
#ifndef SC_CMD_STUDY_H
#define SC_CMD_STUDY_H
#include "arm/configuration.h"
#include "base/cmdline.h"
#include "cmd/study_output.h"
#include "study/findings.h"

/* The options of both commands; `run` has the first N_RUN_OPTIONS. */
enum { N_RUN_OPTIONS = 12, N_STUDY_OPTIONS = 18 };
extern const struct option_def study_option[N_STUDY_OPTIONS];

/* Runs the first max_arms arms (0: all), writes all that was asked for.
 * Returns the exit code. */
int cmd_study(const struct cmdline *line, size_t max_arms);
/* The same with --watch. */
int cmd_watch(const struct cmdline *line, size_t max_arms);

/* Once through: the configuration as it is now, and what is found under it. */
struct study_round {
	const struct cmdline *line;
	struct config config;
	size_t n_arms; /* that are to run */
	struct findings found;
};
/* 0, or -1 with *p; study_round_free() in either case. */
int study_round_open(struct study_round *r, const struct cmdline *line,
		     size_t max_arms, struct problem *p);
/* Runs the arms, says what is wrong with them, writes every output.  0, or -1
 * with *p: nothing was found out, or it was interrupted. */
int study_round_run(struct study_round *r, study_document_fn document,
		    void *user, struct problem *p);
void study_round_free(struct study_round *r);

/* Ends this process as the signal would have done; all is cleaned up. */
void end_by_signal(int number);
#endif
