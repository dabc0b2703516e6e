/* cmd/output/outputs.h -- finds outputs that would overwrite an input or each
 * other, before any file is opened.  [main] */
#pragma once
#include "base/cmdline.h"

/* Compares the files on the command line with each other and with the files
 * that an INI on it names.  A folder in the INI counts for all its files.
 * Several outputs may share a pipe or a device.  Returns 0, or -1 with *p
 * filled in. */
int outputs_check(const struct cmdline *c, struct problem *p);
