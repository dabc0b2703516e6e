/* report/help/completion.h -- completion of command lines for shells, made from
 * the tables that parse command lines.  [main] */
#pragma once
#include <stdio.h>
#include "base/cmdline.h"

void completion_bash(FILE *f, const struct command *const *list, size_t n);
void completion_zsh(FILE *f, const struct command *const *list, size_t n);
