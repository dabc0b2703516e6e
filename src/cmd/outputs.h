/* cmd/outputs.h -- finds outputs that would destroy an input, or each other,
 * before anything is opened.  [main] */
#ifndef SC_CMD_OUTPUTS_H
#define SC_CMD_OUTPUTS_H
#include "base/cmdline.h"

/* Looks at the files that the command line names, and at those that an INI on
 * it names; a folder there stands for the files in it.  Pipes and devices may
 * be written to by several.  0, or -1 with *p. */
int outputs_check(const struct cmdline *c, struct problem *p);
#endif
