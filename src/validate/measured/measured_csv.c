/* measured_csv.c -- Reads measured runs from CSV. */
#include "validate/measured/measured_csv.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/csv.h"
#include "validate/measured/aliases.h"
#include "validate/measured/condition.h"
#include "validate/measured/measured_requests.h"

enum { MAX_CELLS = 200 };

struct reading {
	struct measured *m;
	const struct ini *aliases;
	struct problem *p;
	/* What each cell fills, NULL: nothing. */
	const struct measured_column *of_cell[MAX_CELLS];
	int is_runs;                       /* it has a figure of runs */
	struct measured_requests requests; /* of a file of requests          */
	char message[200];
};

static const char *say(struct reading *r, const char *what, const char *name)
{
	snprintf(r->message, sizeof r->message, "%.80s %.100s", what, name);
	return r->message;
}

/* ---- the header ---- */

static int is_taken(const struct reading *r, uint32_t n,
		    const struct measured_column *c)
{
	for (uint32_t i = 0; i < n; i++)
		if (r->of_cell[i] == c)
			return 1;
	return 0;
}

static const char *find_columns(struct reading *r, uint32_t n,
				char *const *cell)
{
	if (n > MAX_CELLS)
		return "more than 200 columns";
	for (uint32_t i = 0; i < n; i++) {
		const char *name = alias_of_column(r->aliases, cell[i]);
		r->of_cell[i] = condition_column(name);
		if (r->of_cell[i] && is_taken(r, i, r->of_cell[i]))
			return say(r, "two columns", name);
		r->is_runs |=
		    !strcmp(name, "mean_e2el_ms") || !strcmp(name, "running");
	}
	return measured_requests_header(&r->requests, r->aliases, n, cell);
}

static int is_requests(const struct reading *r)
{
	return r->requests.at[REQUEST_ARRIVAL] >= 0;
}

/* Reads the header, and finds out whether the file is of runs or of requests.
 */
static const char *header(struct reading *r, uint32_t n, char *const *cell)
{
	const int *at = r->requests.at;
	const char *why = find_columns(r, n, cell);
	if (why)
		return why;
	if (is_requests(r))
		return at[REQUEST_TTFT] < 0 || at[REQUEST_E2EL] < 0
			   ? "measured requests need ttft_ms and e2el_ms"
			   : NULL;
	return at[REQUEST_TTFT] < 0 && r->is_runs
		   ? NULL
		   : "is neither a file of runs (mean_e2el_ms …) nor of "
		     "requests (arrival_s, ttft_ms, e2el_ms …)";
}

/* ---- a row per run ---- */

static const char *run_row(struct reading *r, uint64_t row, uint32_t n,
			   char *const *cell)
{
	struct measured_row *to = measured_add(r->m, r->p);
	const char *why = to ? NULL : out_of_memory;
	for (uint32_t i = 0; !why && i < n; i++) {
		const struct measured_column *c = r->of_cell[i];
		why = c ? measured_put(to, c, cell[i]) : NULL;
		if (why && why != out_of_memory)
			return say(r, why, c->name);
	}
	if (why)
		return why;
	to->line = row + 1;
	if (!to->model || !to->gpu)
		return "a measured run needs model and gpu";
	for (int k = 0; k < N_RUN_LATENCIES; k++)
		if (to->time[k].of[STATISTIC_MEAN] <= 0)
			return say(r, "not positive: the mean of",
				   latency_name[k]);
	return NULL;
}

/* ---- the file ---- */

static const char *on_file_row(void *user, uint64_t row, uint32_t n,
			       char *const *cell)
{
	struct reading *r = user;
	if (!row)
		return header(r, n, cell);
	return is_requests(r) ? measured_requests_row(&r->requests, cell)
			      : run_row(r, row, n, cell);
}

/* All requests of a file are one run. */
static int add_requests(struct measured *m, struct measured_requests *from,
			struct problem *p)
{
	struct measured_row *to;
	if (!from->n)
		return problem_set(p, EXIT_INPUT, "%s:1: no requests",
				   measured_path(m));
	to = measured_add(m, p);
	if (!to)
		return -1;
	to->line = 2;
	to->id = strdup(measured_path(m));
	measured_requests_give(from, to);
	return 0;
}

int measured_read_csv(struct measured *m, FILE *f, const struct ini *aliases,
		      struct problem *p)
{
	struct reading r = {
	    .m = m, .aliases = aliases, .p = p, .requests.only_stage = NAN};
	size_t before = m->n;
	int rc = csv_read(f, measured_path(m), on_file_row, &r, p);
	if (rc == 0 && is_requests(&r))
		rc = add_requests(m, &r.requests, p);
	if (rc == 0 && m->n == before)
		rc = problem_set(p, EXIT_INPUT, "%s:1: no runs",
				 measured_path(m));
	measured_requests_free(&r.requests);
	return rc;
}
