/* jobs/shell.h -- runs a command of the user's shell, such as `make`, and
 * waits for it.
 *
 * The command has a process group of its own.  A signal that asks this process
 * to end is passed on to the group, so that nothing continues to run.  [main]
 */
#pragma once
#include "base/problem.h"

/* Runs `sh -c TEXT` with an empty standard input; what it prints goes to
 * standard error.  Returns 0 if it ended with exit code 0; or -1 with *p filled
 * in, which says how it ended.  *interrupted is the signal by which the user
 * ended it, otherwise 0. */
int shell_run(const char *text, int *interrupted, struct problem *p);
