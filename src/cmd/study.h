/* cmd/study.h -- what the commands `run` and `compare` share. */
#ifndef SC_CMD_STUDY_H
#define SC_CMD_STUDY_H
#include "base/cmdline.h"

/* The options of both commands; `run` has the first N_RUN_OPTIONS. */
enum { N_RUN_OPTIONS = 12, N_STUDY_OPTIONS = 17 };
extern const struct option_def study_option[N_STUDY_OPTIONS];

/* Runs the first max_arms arms (0: all), writes all that was asked for.
 * Returns the exit code. */
int cmd_study(const struct cmdline *line, size_t max_arms);
/* The same with --watch. */
int cmd_watch(const struct cmdline *line, size_t max_arms);
#endif
