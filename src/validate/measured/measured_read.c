/* measured_read.c -- Opens a file of measured runs and picks its reader. */
#include "validate/measured/measured_read.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/file/infile.h"
#include "validate/measured/launch.h"
#include "validate/measured/measured_csv.h"
#include "validate/measured/measured_json.h"

/* A run with every request's latencies in it has tens. */
enum { LONGEST_MIB = 256 };

/* A file of steady states counts the requests that run: they are the clients,
 * and by Little's law a token takes that number / throughput.  The aliases know
 * prompts of some workloads that were published without. */
static void complete(struct measured_row *r, const struct ini *aliases)
{
	double *tpot_ms = &r->time[RUN_TPOT].of[STATISTIC_MEAN];
	const char *input =
	    r->workload ? ini_get(aliases, "input_tokens", r->workload) : NULL;
	if (isnan(r->concurrency) && r->running >= 1)
		r->concurrency = round(r->running);
	if (isnan(*tpot_ms) && r->running >= 1 && r->output_throughput > 0)
		*tpot_ms = 1e3 * r->running / r->output_throughput;
	if (isnan(r->input_tokens) && input)
		measured_number(input, &r->input_tokens);
}

/* Returns 1 if measured_is_text(), with the file's text in *text, which the
 * caller frees; 0 with the file at its start, or -1 with *p filled in. */
static int is_text(FILE *f, const char *path, char **text, size_t *n,
		   struct problem *p)
{
	*text = infile_rest(f, n);
	if (!*text)
		return problem_set(p, EXIT_USAGE, "%s: %s", path,
				   strerror(errno));
	rewind(f);
	return measured_is_text(*text, *n);
}

static int read_rows(struct measured *m, FILE *f, const struct ini *aliases,
		     struct problem *p)
{
	char *text = NULL;
	size_t n;
	int first;
	do
		first = getc(f);
	while (first == ' ' || first == '\n' || first == '\r' || first == '\t');
	rewind(f);
	if (first == '{' || first == '[')
		return measured_read_json(m, f, p);
	int rc = is_text(f, measured_path(m), &text, &n, p);
	if (rc == 1)
		rc = measured_read_text(m, text, n, p);
	else if (rc == 0)
		rc = measured_read_csv(m, f, aliases, p);
	free(text);
	return rc;
}

int measured_read(struct measured *m, const char *path,
		  const struct ini *aliases, struct problem *p)
{
	FILE *f = infile_open_short(path, LONGEST_MIB, p);
	if (!f)
		return -1;
	size_t before = m->n;
	int rc = measured_add_file(m, path, p);
	if (rc == 0)
		rc = read_rows(m, f, aliases, p);
	fclose(f);
	for (size_t i = before; rc == 0 && i < m->n; i++) {
		complete(&m->row[i], aliases);
		rc = launch_find(&m->row[i], aliases, p);
	}
	return rc;
}
