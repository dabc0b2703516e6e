/* report/validation/explain.h -- writes how a measured row is simulated, and
 * which rules of the aliases say so. */
#pragma once
#include <stdio.h>
#include "base/ini.h"
#include "validate/replay/row_replays.h"

/* Writes the rows of that id.  Returns how many there are. */
size_t explain_rows(const struct row_replays *t, const struct measured *m,
		    const struct ini *aliases, const char *id, FILE *f);
