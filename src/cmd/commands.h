/* cmd/commands.h -- all commands in one list, and which of them is meant. */
#ifndef SC_CMD_COMMANDS_H
#define SC_CMD_COMMANDS_H
#include "base/cmdline.h"

extern const struct command *const command_list[];
extern const size_t n_commands;

/* The command with the most words ("experiment list" before "experiment"), and
 * how many; NULL: none is meant. */
const struct command *commands_find(int argc, char **argv, int *words);
/* Says so, with the nearest; returns the exit code. */
int commands_unknown(int argc, char **argv);
#endif
