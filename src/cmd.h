/* cmd.h -- the commands.  Only they print. */
#ifndef SC_SRC_CMD_H
#define SC_SRC_CMD_H

#include "problem.h"

/* argv[0] is the command's name.  Return the exit code. */
int cmd_describe(int argc, char **argv);
int cmd_eval(int argc, char **argv);

/* "stepcost: text" on stderr; returns code. */
int complain(int code, const char *text);
#endif
