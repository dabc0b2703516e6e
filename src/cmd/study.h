/* cmd_study.h -- what the commands `run` and `compare` share. */
#ifndef SC_SRC_CMD_STUDY_H
#define SC_SRC_CMD_STUDY_H
#include "base/cmdline.h"

/* Runs the first max_arms arms (0: all), writes all that was asked for.
 * Returns the exit code. */
int cmd_study(const struct cmdline *line, size_t max_arms);
/* The same with --watch. */
int cmd_watch(const struct cmdline *line, size_t max_arms);
#endif
