/* report/sweep/sweep_table.h -- writes rows of a sweep as text, CSV or JSON. */
#pragma once
#include <stdio.h>
#include "base/cmdline.h"
#include "store/reader.h"

struct sweep_table {
	const char *command; /* for example "sweep show" */
	struct store *store;
	struct reader *reader; /* at its beginning */
};
/* format: enum output_format.  CSV and JSON have every column, and no more than
 * a row is in memory; a text has all its rows in memory.  Returns 0, or -1 with
 * *p filled in. */
int sweep_table_write(FILE *f, int format, const struct sweep_table *t,
		      struct problem *p);
