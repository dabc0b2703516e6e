/* check.c -- Looks for suspicious things in a measured table. */
#include "tables/check.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "tables/check_grid.h"
#include "tables/check_kernels.h"
#include "tables/check_mfu.h"
#include "tables/check_points.h"
#include "tables/check_times.h"

static void check_dtypes(const struct checked_table *c)
{
	for (uint64_t r = 1; c->dtype && r < c->t.view.n_rows; r++)
		if (strcmp(c->dtype[r], c->dtype[0])) {
			checked_tell(
			    c, (int64_t)r, "mixed_dtype", 0,
			    "%s after %s: more than one number format in a "
			    "table",
			    c->dtype[r], c->dtype[0]);
			return;
		}
}

/* Returns a number of the MANIFEST, or NaN if it has none. */
static double note_number(const struct ini *manifest, const char *key)
{
	char *end;
	const char *v = manifest && key ? ini_get(manifest, "", key) : NULL;
	double d = v ? strtod(v, &end) : 0;
	return v && *v && !*end ? d : (double)NAN;
}

static int check_all(const struct checked_table *c,
		     const struct check_place *in, struct problem *p)
{
	tables_check_mfu(c, note_number(in->manifest, c->kind->peak_note));
	if (tables_check_grid(c, p) < 0 || tables_check_points(c, p) < 0 ||
	    tables_check_kernels(c, p) < 0 ||
	    tables_check_times(
		c, note_number(in->manifest, "memory_bandwidth_tbs"), p) < 0 ||
	    (in->other_sets &&
	     tables_check_other_sets(c, in->of, in->other_sets, p) < 0))
		return -1;
	check_dtypes(c);
	return 0;
}

int tables_check_file(const char *path, const struct check_place *in,
		      finding_fn tell, void *user, struct problem *p)
{
	struct checked_table c;
	int rc = checked_table_open(&c, path, in->of, tell, user, p);
	if (rc == 0)
		rc = check_all(&c, in, p);
	checked_table_close(&c);
	return rc;
}
