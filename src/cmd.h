/* cmd.h -- the commands.  Only they print: results on standard output or
 * --output, everything else on standard error. */
#ifndef SC_SRC_CMD_H
#define SC_SRC_CMD_H

#include "cmdline.h"
#include "problem.h"

/* One a file, cmd_NAME.c; main.c has the list. */
extern const struct command command_describe;
extern const struct command command_eval;
extern const struct command command_tables_fit;
extern const struct command command_trace_info;

/* "stepcost: text" on stderr; returns the problem's code. */
int complain(const struct problem *p);
/* "stepcost: …" on stderr, unless --quiet. */
void note(const struct cmdline *c, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
#endif
