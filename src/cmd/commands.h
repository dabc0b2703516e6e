/* cmd/commands.h -- lists all commands, and finds the one on the command
 * line. */
#pragma once
#include "base/cmdline.h"

extern const struct command *const command_list[];
extern const size_t n_commands;

/* Returns the command with the most words ("experiment list" before
 * "experiment"), with their number in *words.  NULL: there is no such
 * command. */
const struct command *commands_find(int argc, char **argv, int *words);
/* Complains of an unknown command and names the nearest.  Returns the exit
 * code. */
int commands_unknown(int argc, char **argv);
/* c: a command line that could not be parsed.  Puts a better answer into *p for
 * an option that is gone, for one that only other commands have, and for words
 * that other programs would take. */
void commands_explain(const struct cmdline *c, struct problem *p);
