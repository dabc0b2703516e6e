/* measured_read.c -- Opens a file of measured runs and picks its reader. */
#include <config.h>
#include "validate/measured/measured_read.h"
#include <stdio.h>
#include "base/infile.h"
#include "validate/measured/launch.h"
#include "validate/measured/measured_csv.h"
#include "validate/measured/measured_json.h"

/* A run with every request's latencies in it has tens. */
enum { LONGEST_MIB = 256 };

int measured_read(struct measured *m, const char *path,
		  const struct ini *aliases, struct problem *p)
{
	FILE *f = infile_open_short(path, LONGEST_MIB, p);
	int first;
	if (!f)
		return -1;
	do
		first = getc(f);
	while (first == ' ' || first == '\n' || first == '\r' || first == '\t');
	rewind(f);
	size_t before = m->n;
	int rc = measured_add_file(m, path, p);
	if (rc == 0)
		rc = first == '{' || first == '['
			 ? measured_read_json(m, f, p)
			 : measured_read_csv(m, f, aliases, p);
	fclose(f);
	for (size_t i = before; rc == 0 && i < m->n; i++)
		rc = launch_find(&m->row[i], aliases, p);
	return rc;
}
