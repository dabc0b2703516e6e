/* measured.c -- Reads measured runs from CSV and keeps them. */
#include <config.h>
#include "validate/measured.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/csv.h"
#include "math/statistics.h"

const char *const latency_name[N_LATENCIES] = {"ttft", "tpot", "e2el"};

/* ---- columns of a file with a row per run ---- */

enum column_type { TEXT, NUMBER };
static const struct column {
	const char *name;
	enum column_type type;
	size_t offset;
} column[] = {
#define T(field)                                                               \
	{                                                                      \
#field, TEXT, offsetof(struct measured_row, field)             \
	}
#define N(field)                                                               \
	{                                                                      \
#field, NUMBER, offsetof(struct measured_row, field)           \
	}
#define TIME(stat, name, metric)                                               \
	{                                                                      \
#stat "_" name "_ms", NUMBER,                                  \
		    offsetof(struct measured_row, time[metric].stat)           \
	}
    T(id),
    T(run),
    T(protocol),
    T(model),
    T(gpu),
    T(dtype),
    T(engine_version),
    T(workload),
    T(trace),
    T(flags),
    N(tensor_parallel_size),
    N(max_model_len),
    N(max_num_seqs),
    N(max_num_batched_tokens),
    N(gpu_memory_utilization),
    N(num_gpu_blocks),
    N(block_size),
    N(stage),
    N(request_rate),
    N(concurrency),
    N(duration_s),
    N(num_requests),
    N(input_tokens),
    N(shared_prefix_tokens),
    N(output_tokens),
    TIME(mean, "ttft", LATENCY_TTFT),
    TIME(p90, "ttft", LATENCY_TTFT),
    TIME(p99, "ttft", LATENCY_TTFT),
    TIME(mean, "tpot", LATENCY_TPOT),
    TIME(p90, "tpot", LATENCY_TPOT),
    TIME(p99, "tpot", LATENCY_TPOT),
    TIME(mean, "e2el", LATENCY_E2EL),
    TIME(p90, "e2el", LATENCY_E2EL),
    TIME(p99, "e2el", LATENCY_E2EL),
};
enum { N_COLUMNS = sizeof column / sizeof *column, MAX_CELLS = 200 };

/* Numbers may have a unit or a remark behind a space: "0.9 (default)". */
static const char *parse_number(const char *cell, double *out)
{
	char *end;
	*out = NAN;
	if (!*cell)
		return NULL;
	*out = strtod(cell, &end);
	if (end == cell || (*end && *end != ' ') || !isfinite(*out))
		return "is not a number";
	return NULL;
}

static const char *own_name(const struct ini *aliases, const char *name)
{
	const char *own = aliases ? ini_get(aliases, "column", name) : NULL;
	return own ? own : name;
}

struct reading {
	struct measured *m;
	const struct ini *aliases;
	struct problem *p;
	int of_cell[MAX_CELLS]; /* index into column, -1: none            */
	int found[N_COLUMNS];
	/* a row per request */
	int arrival_s, input, output, ttft, e2el, stage;
	double only_stage;
	struct planned_request *request;
	double *time[N_LATENCIES];
	uint64_t n, cap;
	char message[200];
};

static const char *say(struct reading *r, const char *what, const char *name)
{
	snprintf(r->message, sizeof r->message, "%.80s %.100s", what, name);
	return r->message;
}

static const char *header(struct reading *r, uint32_t n, char *const *cell)
{
	if (n > MAX_CELLS)
		return "more than 200 columns";
	r->arrival_s = r->input = r->output = r->ttft = r->e2el = r->stage = -1;
	for (uint32_t i = 0; i < n; i++) {
		const char *name = own_name(r->aliases, cell[i]);
		r->of_cell[i] = -1;
		for (int c = 0; c < N_COLUMNS; c++)
			if (!strcmp(column[c].name, name)) {
				if (r->found[c]++)
					return say(r, "two columns", name);
				r->of_cell[i] = c;
			}
		if (!strcmp(name, "arrival_s"))
			r->arrival_s = (int)i;
		if (!strcmp(name, "input_tokens"))
			r->input = (int)i;
		if (!strcmp(name, "output_tokens"))
			r->output = (int)i;
		if (!strcmp(name, "ttft_ms"))
			r->ttft = (int)i;
		if (!strcmp(name, "e2el_ms"))
			r->e2el = (int)i;
		if (!strcmp(name, "stage"))
			r->stage = (int)i;
	}
	return NULL;
}

static const char *set_cell(struct reading *r, struct measured_row *to,
			    const struct column *c, const char *cell)
{
	void *at = (char *)to + c->offset;
	if (c->type == TEXT) {
		if (!*cell)
			return NULL;
		char *copy = strdup(cell);
		if (!copy)
			return "out of memory";
		memcpy(at, &copy, sizeof copy);
		return NULL;
	}
	double v;
	if (parse_number(cell, &v))
		return say(r, "not a number:", c->name);
	memcpy(at, &v, sizeof v);
	return NULL;
}

static const char *run_row(struct reading *r, uint64_t row, uint32_t n,
			   char *const *cell)
{
	struct measured_row *to = measured_add(r->m, r->p);
	const char *why = to ? NULL : "out of memory";
	for (uint32_t i = 0; !why && i < n; i++)
		if (r->of_cell[i] >= 0)
			why = set_cell(r, to, &column[r->of_cell[i]], cell[i]);
	if (why)
		return why;
	to->line = row + 1;
	if (!to->model || !to->gpu)
		return "a measured run needs model and gpu";
	for (int k = 0; k < N_LATENCIES; k++)
		if (to->time[k].mean <= 0)
			return say(r, "not positive: the mean of",
				   latency_name[k]);
	return NULL;
}

/* ---- a file with a row per request ---- */

static const char *request_cell(struct reading *r, int i, char *const *cell,
				const char *name, double min, double max,
				double *out)
{
	if (i < 0)
		return *out = NAN, NULL;
	if (parse_number(cell[i], out) || !(*out >= min && *out <= max))
		return say(r, "missing or out of range:", name);
	return NULL;
}

static int request_room(struct reading *r)
{
	if (r->n < r->cap)
		return 0;
	uint64_t cap = r->cap ? 2 * r->cap : 256;
	void *q = realloc(r->request, cap * sizeof *r->request);
	if (!q)
		return -1;
	r->request = q;
	for (int k = 0; k < N_LATENCIES; k++) {
		double *t = realloc(r->time[k], cap * sizeof *t);
		if (!t)
			return -1;
		r->time[k] = t;
	}
	r->cap = cap;
	return 0;
}

static const char *request_row(struct reading *r, char *const *cell)
{
	double at, in, out, ttft, e2el, stage;
	const char *why =
	    request_cell(r, r->arrival_s, cell, "arrival_s", 0, 1e9, &at);
	if (!why)
		why = request_cell(r, r->input, cell, "input_tokens", 1, 1e8,
				   &in);
	if (!why)
		why = request_cell(r, r->output, cell, "output_tokens", 1, 1e8,
				   &out);
	if (!why)
		why = request_cell(r, r->ttft, cell, "ttft_ms", 0, 1e12, &ttft);
	if (!why)
		why = request_cell(r, r->e2el, cell, "e2el_ms", 0, 1e12, &e2el);
	if (!why)
		why = request_cell(r, r->stage, cell, "stage", 0, 1e9, &stage);
	if (why ||
	    (r->only_stage >= 0 && r->stage >= 0 && stage != r->only_stage))
		return why;
	if (request_room(r) < 0)
		return "out of memory";
	if (r->n && llround(at * 1e9) < r->request[r->n - 1].arrival_ns)
		return "arrives before the request above it";
	r->request[r->n] =
	    (struct planned_request){.arrival_ns = llround(at * 1e9),
				     .input_tokens = (uint32_t)llround(in),
				     .output_tokens = (uint32_t)llround(out)};
	r->time[LATENCY_TTFT][r->n] = ttft;
	r->time[LATENCY_E2EL][r->n] = e2el;
	r->time[LATENCY_TPOT][r->n] =
	    out > 1 ? (e2el - ttft) / (out - 1) : (double)NAN;
	r->n++;
	return NULL;
}

static const char *on_request(void *user, uint64_t row, uint32_t n,
			      char *const *cell)
{
	struct reading *r = user;
	if (row)
		return request_row(r, cell);
	const char *why = header(r, n, cell);
	if (!why && (r->arrival_s < 0 || r->input < 0 || r->output < 0))
		why = "needs arrival_s, input_tokens, output_tokens";
	return why;
}

static const char *on_row(void *user, uint64_t row, uint32_t n,
			  char *const *cell)
{
	struct reading *r = user;
	if (row)
		return r->arrival_s >= 0 ? request_row(r, cell)
					 : run_row(r, row, n, cell);
	const char *why = header(r, n, cell);
	if (!why && r->arrival_s < 0 &&
	    !(r->ttft < 0 && r->found[N_COLUMNS - 3]))
		why = "is neither a file of runs (mean_e2el_ms …) nor of "
		      "requests (arrival_s, ttft_ms, e2el_ms …)";
	if (!why && r->arrival_s >= 0 && (r->ttft < 0 || r->e2el < 0))
		why = "measured requests need ttft_ms and e2el_ms";
	return why;
}

struct measured_times measured_summary(double *v, size_t n)
{
	double sum = 0;
	size_t kept = 0;
	for (size_t i = 0; i < n; i++)
		if (!isnan(v[i]))
			sum += v[kept++] = v[i];
	if (!kept)
		return (struct measured_times){NAN, NAN, NAN};
	stats_sort(v, kept);
	return (struct measured_times){sum / (double)kept,
				       stats_percentile(v, kept, .9),
				       stats_percentile(v, kept, .99)};
}

/* All requests of a file are one run. */
static int add_requests(struct reading *r, const char *path, struct problem *p)
{
	struct measured_row *to;
	if (!r->n)
		return problem_set(p, EXIT_INPUT, "%s:1: no requests", path);
	to = measured_add(r->m, p);
	if (!to)
		return -1;
	to->line = 2;
	to->id = strdup(path);
	for (int k = 0; k < N_LATENCIES; k++)
		to->time[k] = measured_summary(r->time[k], r->n);
	to->request = r->request;
	to->n_requests = r->n;
	r->request = NULL;
	return 0;
}

static void reading_free(struct reading *r)
{
	free(r->request);
	for (int k = 0; k < N_LATENCIES; k++)
		free(r->time[k]);
}

int measured_read_csv(struct measured *m, FILE *f, const struct ini *aliases,
		      struct problem *p)
{
	struct reading r = {
	    .m = m, .aliases = aliases, .p = p, .only_stage = -1};
	size_t before = m->n;
	int rc = csv_read(f, measured_path(m), on_row, &r, p);
	if (rc == 0 && r.arrival_s >= 0)
		rc = add_requests(&r, measured_path(m), p);
	if (rc == 0 && m->n == before)
		rc = problem_set(p, EXIT_INPUT, "%s:1: no runs",
				 measured_path(m));
	reading_free(&r);
	return rc;
}

int measured_trace(const char *path, const struct ini *aliases, double stage,
		   struct planned_request **out, uint64_t *n, struct problem *p)
{
	struct reading r = {.aliases = aliases,
			    .p = p,
			    .only_stage = isnan(stage) ? -1 : stage};
	FILE *f = fopen(path, "r");
	if (!f)
		return problem_set(p, EXIT_USAGE, "%s: cannot be read", path);
	int rc = csv_read(f, path, on_request, &r, p);
	fclose(f);
	if (rc == 0 && r.n == 0)
		rc = problem_set(p, EXIT_INPUT, "%s: no requests of stage %g",
				 path, stage);
	*out = rc == 0 ? r.request : NULL;
	*n = r.n;
	if (rc == 0)
		r.request = NULL;
	reading_free(&r);
	return rc;
}

/* ---- files, rows, names ---- */

const char *measured_path(const struct measured *m)
{
	return m->path[m->n_paths - 1];
}

struct measured_row *measured_add(struct measured *m, struct problem *p)
{
	struct measured_row *row = realloc(m->row, (m->n + 1) * sizeof *m->row);
	if (!row) {
		problem_set(p, EXIT_USAGE, "out of memory");
		return NULL;
	}
	m->row = row;
	row += m->n++;
	*row = (struct measured_row){.file = measured_path(m)};
	for (int c = 0; c < N_COLUMNS; c++)
		if (column[c].type == NUMBER) {
			double none = (double)NAN;
			memcpy((char *)row + column[c].offset, &none,
			       sizeof none);
		}
	return row;
}

void measured_free(struct measured *m)
{
	for (size_t i = 0; i < m->n; i++) {
		for (int c = 0; c < N_COLUMNS; c++)
			if (column[c].type == TEXT) {
				char *s;
				memcpy(&s,
				       (char *)&m->row[i] + column[c].offset,
				       sizeof s);
				free(s);
			}
		free(m->row[i].request);
	}
	free(m->row);
	for (size_t i = 0; i < m->n_paths; i++)
		free(m->path[i]);
	free(m->path);
	*m = (struct measured){0};
}

int measured_has_flag(const struct measured_row *r, const char *flag)
{
	size_t n = strlen(flag);
	for (const char *s = r->flags; s && *s; s += strcspn(s, "|")) {
		s += *s == '|';
		if (!strncmp(s, flag, n))
			return 1;
	}
	return 0;
}

const char *measured_alias(const struct ini *aliases, const char *section,
			   const char *name)
{
	char head[200];
	const char *as = aliases ? ini_get(aliases, section, name) : NULL;
	if (as || !aliases)
		return as ? as : name;
	snprintf(head, sizeof head, "%.*s", (int)strcspn(name, " ("), name);
	as = ini_get(aliases, section, head);
	return as ? as : name;
}
