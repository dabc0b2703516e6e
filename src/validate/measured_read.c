/* measured_read.c -- which reader a file of measured runs is for. */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "validate/measured.h"

int measured_read(struct measured *m, const char *path,
		  const struct ini *aliases, struct problem *p)
{
	FILE *f = fopen(path, "r");
	char **all = realloc(m->path, (m->n_paths + 1) * sizeof *all);
	if (all)
		m->path = all;
	if (f && all && (all[m->n_paths] = strdup(path)) != NULL)
		m->n_paths++;
	else if (f)
		fclose(f), f = NULL;
	if (!f)
		return problem_set(p, EXIT_USAGE, "%s: cannot be read", path);
	int first;
	do
		first = getc(f);
	while (first == ' ' || first == '\n' || first == '\r' || first == '\t');
	rewind(f);
	int rc = first == '{' || first == '['
		     ? measured_read_json(m, f, p)
		     : measured_read_csv(m, f, aliases, p);
	fclose(f);
	return rc;
}
