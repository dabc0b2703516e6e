/* cmd/help.h -- `stepcost help`: commands, sections and keys of the INI, words,
 * questions; and the same as manual pages and for shells. */
#ifndef SC_CMD_HELP_H
#define SC_CMD_HELP_H
#include <stdio.h>

/* argv: what follows "help".  Returns the exit code. */
int help(int argc, char **argv);
void help_overview(FILE *f);
#endif
