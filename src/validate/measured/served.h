/* validate/measured/served.h -- what a measured row calls its model and its
 * GPU, as the `config` of [model] and [hardware]. */
#pragma once
#include "base/ini.h"
#include "base/names.h"
#include "validate/measured/measured.h"

enum served { SERVED_MODEL, SERVED_GPU, N_SERVED };
extern const char *const served_name[N_SERVED]; /* "model", "GPU"           */

/* What the row calls it; NULL: it does not say. */
const char *served_id(const struct measured_row *r, enum served what);
/* The value of `config`, to be freed: what an alias says, a file or a folder of
 * that name beside the file of measurements or in the working directory, or a
 * name under etc/.  NULL: the id is not known, or there is none. */
char *served_config(const struct measured_row *r, enum served what,
		    const struct ini *aliases);
/* The different ids of the rows that are not known.  Where all rows have one
 * and the same, which is not known, that is *only and not in the list: NULL
 * otherwise.  0, or -1: out of memory. */
int served_unknown(const struct measured *m, enum served what,
		   const struct ini *aliases, struct names *unknown,
		   const char **only);
