/* measured_requests.c -- Reads measured requests from CSV. */
#include "validate/measured/measured_requests.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/csv.h"
#include "base/file/infile.h"
#include "validate/measured/aliases.h"

static const struct {
	const char *name;
	double min, max;
} column[N_REQUEST_COLUMNS] = {
    [REQUEST_ARRIVAL] = {"arrival_s", 0, 1e9},
    [REQUEST_INPUT] = {"input_tokens", 1, 1e8},
    [REQUEST_OUTPUT] = {"output_tokens", 1, 1e8},
    [REQUEST_TTFT] = {"ttft_ms", 0, 1e12},
    [REQUEST_E2EL] = {"e2el_ms", 0, 1e12},
    [REQUEST_STAGE] = {"stage", 0, 1e9},
};

static const char *say(struct measured_requests *r, const char *what,
		       const char *name)
{
	snprintf(r->message, sizeof r->message, "%s %s", what, name);
	return r->message;
}

const char *measured_requests_header(struct measured_requests *r,
				     const struct ini *aliases, uint32_t n,
				     char *const *cell)
{
	for (int c = 0; c < N_REQUEST_COLUMNS; c++) {
		r->at[c] = -1;
		for (uint32_t i = 0; i < n; i++) {
			if (strcmp(alias_of_column(aliases, cell[i]),
				   column[c].name))
				continue;
			if (r->at[c] >= 0)
				return say(r, "two columns", column[c].name);
			r->at[c] = (int)i;
		}
	}
	return NULL;
}

/* v[c] is NaN where the file has no such column. */
static const char *read_cells(struct measured_requests *r, char *const *cell,
			      double v[N_REQUEST_COLUMNS])
{
	for (int c = 0; c < N_REQUEST_COLUMNS; c++) {
		v[c] = NAN;
		if (r->at[c] < 0)
			continue;
		if (measured_number(cell[r->at[c]], &v[c]) < 0 ||
		    !(v[c] >= column[c].min && v[c] <= column[c].max))
			return say(r,
				   "missing or out of range:", column[c].name);
	}
	return NULL;
}

static int make_room(struct measured_requests *r)
{
	if (r->n < r->cap)
		return 0;
	uint64_t cap = r->cap ? 2 * r->cap : 256;
	void *q = realloc(r->request, cap * sizeof *r->request);
	if (!q)
		return -1;
	r->request = q;
	for (int k = 0; k < N_RUN_LATENCIES; k++) {
		double *t = realloc(r->time[k], cap * sizeof *t);
		if (!t)
			return -1;
		r->time[k] = t;
	}
	r->cap = cap;
	return 0;
}

static void keep(struct measured_requests *r, int64_t arrival_ns,
		 const double v[N_REQUEST_COLUMNS])
{
	double out = v[REQUEST_OUTPUT];
	r->request[r->n] = (struct planned_request){
	    .arrival_ns = arrival_ns,
	    .input_tokens = (uint32_t)llround(v[REQUEST_INPUT]),
	    .output_tokens = (uint32_t)llround(out)};
	r->time[RUN_TTFT][r->n] = v[REQUEST_TTFT];
	r->time[RUN_E2EL][r->n] = v[REQUEST_E2EL];
	r->time[RUN_TPOT][r->n] =
	    out > 1 ? (v[REQUEST_E2EL] - v[REQUEST_TTFT]) / (out - 1)
		    : (double)NAN;
	r->n++;
}

const char *measured_requests_add(struct measured_requests *r,
				  int64_t arrival_ns,
				  const double v[N_REQUEST_COLUMNS])
{
	for (int c = REQUEST_INPUT; c <= REQUEST_E2EL; c++)
		if (!(v[c] >= column[c].min && v[c] <= column[c].max) &&
		    (c <= REQUEST_OUTPUT || !isnan(v[c])))
			return say(r,
				   "missing or out of range:", column[c].name);
	if (make_room(r) < 0)
		return out_of_memory;
	if (!r->n || arrival_ns < r->first_ns)
		r->first_ns = arrival_ns;
	keep(r, arrival_ns, v);
	return NULL;
}

static int by_arrival(const void *va, const void *vb)
{
	const struct planned_request *a = va, *b = vb;
	return (a->arrival_ns > b->arrival_ns) -
	       (a->arrival_ns < b->arrival_ns);
}

void measured_requests_give(struct measured_requests *r,
			    struct measured_row *to)
{
	if (r->n)
		qsort(r->request, r->n, sizeof *r->request, by_arrival);
	for (uint64_t i = 0; i < r->n; i++)
		r->request[i].arrival_ns -= r->first_ns;
	to->request = r->request;
	to->n_requests = r->n;
	r->request = NULL;
	for (int k = 0; k < N_RUN_LATENCIES; k++) {
		struct measured_times t = measured_summary(r->time[k], r->n);
		for (int i = 0; i < N_STATISTICS; i++)
			if (isnan(to->time[k].of[i]))
				to->time[k].of[i] = t.of[i];
	}
	r->n = r->cap = 0;
}

const char *measured_requests_row(struct measured_requests *r,
				  char *const *cell)
{
	double v[N_REQUEST_COLUMNS];
	const char *why = read_cells(r, cell, v);
	if (why)
		return why;
	if (!isnan(r->only_stage) && r->at[REQUEST_STAGE] >= 0 &&
	    v[REQUEST_STAGE] != r->only_stage)
		return NULL;
	if (make_room(r) < 0)
		return out_of_memory;
	if (r->n &&
	    llround(v[REQUEST_ARRIVAL] * 1e9) < r->request[r->n - 1].arrival_ns)
		return "arrives before the request above it";
	keep(r, llround(v[REQUEST_ARRIVAL] * 1e9), v);
	return NULL;
}

void measured_requests_free(struct measured_requests *r)
{
	free(r->request);
	for (int k = 0; k < N_RUN_LATENCIES; k++)
		free(r->time[k]);
}

/* ---- a trace ---- */

struct reading {
	struct measured_requests requests;
	const struct ini *aliases;
};

static const char *on_trace_row(void *user, uint64_t row, uint32_t n,
				char *const *cell)
{
	struct reading *r = user;
	const int *at = r->requests.at;
	if (row)
		return measured_requests_row(&r->requests, cell);
	const char *why =
	    measured_requests_header(&r->requests, r->aliases, n, cell);
	if (!why && (at[REQUEST_ARRIVAL] < 0 || at[REQUEST_INPUT] < 0 ||
		     at[REQUEST_OUTPUT] < 0))
		why = "needs arrival_s, input_tokens, output_tokens";
	return why;
}

int measured_trace(const char *path, const struct ini *aliases, double stage,
		   struct planned_request **out, uint64_t *n, struct problem *p)
{
	struct reading r = {.aliases = aliases, .requests.only_stage = stage};
	FILE *f = infile_open(path, p);
	if (!f)
		return -1;
	int rc = csv_read(f, path, on_trace_row, &r, p);
	fclose(f);
	if (rc == 0 && r.requests.n == 0)
		rc = problem_set(p, EXIT_INPUT, "%s: no requests of stage %g",
				 path, stage);
	*out = NULL;
	*n = r.requests.n;
	if (rc == 0) {
		*out = r.requests.request;
		r.requests.request = NULL;
	}
	measured_requests_free(&r.requests);
	return rc;
}
