/* power.c -- Reads the coefficients of a GPU's power. */
#include "keys/power.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/csv.h"
#include "base/file/infile.h"
#include "base/number.h"
#include "keys/datafile.h"

enum column { GPU, FIRST, LAST = 7, N_COLUMNS };
static const char header[] = "gpu,limit_w,a,b,p,c,q,error";

struct reading {
	const char *gpu;
	struct power_law *out;
};

static const char *take_row(void *user, uint64_t row, uint32_t n,
			    char *const *cell)
{
	struct reading *r = user;
	double v[N_COLUMNS];
	if (n < N_COLUMNS)
		return header;
	if (row == 0 || strcmp(cell[GPU], r->gpu) != 0)
		return NULL;
	for (int i = FIRST; i <= LAST; i++) {
		const char *end = number_parse(cell[i], &v[i]);
		if (end == cell[i] || *end || !(v[i] >= 0) || !(v[i] <= 1e5))
			return "not a number from 0 to 100000";
	}
	*r->out = (struct power_law){.limit_w = v[1],
				     .a = v[2],
				     .b = v[3],
				     .p = v[4],
				     .c = v[5],
				     .q = v[6],
				     .error = v[7]};
	return NULL;
}

int power_find(const char *gpu, struct power_law *out, struct problem *p)
{
	struct reading r = {gpu, out};
	struct problem none;
	*out = (struct power_law){0};
	char *path = datafile_find("etc", "power", ".csv", &none);
	FILE *f = path ? infile_open(path, p) : NULL;
	int rc = !path ? 0 : f ? csv_read(f, path, take_row, &r, p) : -1;
	if (f)
		fclose(f);
	free(path);
	return rc;
}

const char *power_law_text(char to[POWER_LAW_TEXT], const struct power_law *l)
{
	snprintf(to, POWER_LAW_TEXT, "%g %g %g %g %g %g", l->limit_w, l->a,
		 l->b, l->p, l->c, l->q);
	return to;
}

double power_watts(const struct power_law *l, double memory, double compute)
{
	double share =
	    l->a + l->b * pow(memory, l->p) + l->c * pow(compute, l->q);
	return l->limit_w * fmin(1, share);
}
