/* validate/measured/measured_csv.h -- measured runs as CSV: a row per run and
 * stage, in the columns of measured.h, or a file of requests, which is one run.
 */
#pragma once
#include <stdio.h>
#include "base/ini.h"
#include "validate/measured/measured.h"

/* The rows of f, which is the file measured_path().  0, or -1 with *p. */
int measured_read_csv(struct measured *m, FILE *f, const struct ini *aliases,
		      struct problem *p);
