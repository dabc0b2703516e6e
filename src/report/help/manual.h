/* report/help/manual.h -- manual pages (roff, man macros), made from the tables
 * that parse commands and INI files.  [main] */
#pragma once
#include <stdio.h>
#include "base/cmdline.h"

/* stepcost(1) about all commands; stepcost-COMMAND(1); stepcost.ini(5). */
void manual_program(FILE *f, const struct command *const *list, size_t n);
void manual_command(FILE *f, const struct command *command);
void manual_ini(FILE *f);
