/* validate/measured/measured_read.h -- files of measured runs.
 *
 * CSV with one row per run and stage; CSV with one row per request; results of
 * benchmark programs as JSON or YAML (validate/result/results.h).  Columns are
 * found by name, or by another name that an alias file gives them (aliases.h).
 */
#pragma once
#include "base/ini.h"
#include "validate/measured/measured.h"

/* Appends the rows of a file to *m (at first zeros).  0, or -1 with *p
 * (EXIT_USAGE: no such file; EXIT_INPUT with its line: the content).
 * measured_free() in either case. */
int measured_read(struct measured *m, const char *path,
		  const struct ini *aliases, struct problem *p);
