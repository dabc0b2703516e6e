/* cmd/help.h -- `stepcost help`: commands, sections and keys of the INI, words
 * and questions; also as manual pages and as completion for shells. */
#pragma once
#include <stdio.h>

/* Writes where to begin: a few commands, each with an example. */
void help_start(FILE *f);
/* argv: the words after "help".  Returns the exit code. */
int help(int argc, char **argv);
