/* cmd/kernel_against.h -- `kernel --against SET`: every measured row of a set
 * of tables, priced by every arm. */
#pragma once
#include "base/cmdline.h"

/* set: a name, or FOLDER/NAME.  Returns the exit code. */
int kernel_against(const struct cmdline *c, const char *set);
