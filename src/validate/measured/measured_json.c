/* measured_json.c -- Reads results of `vllm bench serve` and of inference-perf
 * as measured rows. */
#include <config.h>
#include "validate/measured/measured_json.h"
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/file/filetype.h"

/* NaN: not there, null, or "inf". */
static double number(const json_t *o, const char *key)
{
	const json_t *v = json_object_get(o, key);
	return json_is_number(v) ? json_number_value(v) : (double)NAN;
}

static char *text(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));
	return s ? strdup(s) : NULL;
}

/* ---- vllm bench serve ---- */

/* Checks every latency of a result: a number that is not negative, null, or a
 * word as "inf" where there is none.  Returns 0, or -1 with *p filled in. */
static int check_times(const struct measured *m, const json_t *o, uint64_t line,
		       struct problem *p)
{
	const char *key;
	json_t *v;
	json_object_foreach((json_t *)o, key, v)
	{
		size_t n = strlen(key);
		int is_time = n > 3 && !strcmp(key + n - 3, "_ms");
		int is_none =
		    json_is_null(v) || (json_is_string(v) &&
					(!strcmp(json_string_value(v), "inf") ||
					 !strcmp(json_string_value(v), "nan")));
		if (!is_time || is_none ||
		    (json_is_number(v) && json_number_value(v) >= 0))
			continue;
		return problem_set(
		    p, EXIT_INPUT, "%s:%llu: %s is no time in ms",
		    measured_path(m), (unsigned long long)line, key);
	}
	return 0;
}

static struct measured_times vllm_times(const json_t *o, const char *metric)
{
	struct measured_times t;
	char key[40];
	for (int i = 0; i < N_STATISTICS; i++) {
		snprintf(key, sizeof key, "%s_%s_ms", statistic_name[i],
			 metric);
		t.of[i] = number(o, key);
	}
	if (isnan(t.of[STATISTIC_P50])) {
		snprintf(key, sizeof key, "median_%s_ms", metric);
		t.of[STATISTIC_P50] = number(o, key);
	}
	return t;
}

struct detail {
	const json_t *in, *out, *start, *ttft, *latency, *itl, *error;
	size_t n;
};

static double item(const json_t *array, size_t i)
{
	const json_t *v = json_array_get(array, i);
	return json_is_number(v) ? json_number_value(v) : (double)NAN;
}

/* End to end, ms: as measured, or the first token and all gaps after it. */
static double latency_ms(const struct detail *d, size_t i)
{
	double s = item(d->latency, i);
	if (!isnan(s))
		return 1e3 * s;
	const json_t *gaps = json_array_get(d->itl, i);
	s = item(d->ttft, i);
	for (size_t k = 0; k < json_array_size(gaps); k++)
		s += item(gaps, k);
	return json_is_array(gaps) ? 1e3 * s : (double)NAN;
}

static int is_length(double v)
{
	return v >= 1 && v <= 1e8;
}

static int succeeded(const struct detail *d, size_t i)
{
	const char *error = json_string_value(json_array_get(d->error, i));
	double start = item(d->start, i);
	return !(error && *error) && is_length(item(d->out, i)) &&
	       is_length(item(d->in, i)) && start >= -1e9 && start <= 1e9;
}

static int by_arrival(const void *va, const void *vb)
{
	const struct planned_request *a = va, *b = vb;
	return (a->arrival_ns > b->arrival_ns) -
	       (a->arrival_ns < b->arrival_ns);
}

/* Requests one by one, failed ones left out; start_times count from any
 * point. */
static int take_detail(struct measured_row *r, const struct detail *d,
		       double *time[N_RUN_LATENCIES])
{
	double first = INFINITY;
	r->request = calloc(d->n + 1, sizeof *r->request);
	if (!r->request)
		return -1;
	for (size_t i = 0; i < d->n; i++)
		if (succeeded(d, i))
			first = fmin(first, item(d->start, i));
	for (size_t i = 0; i < d->n; i++) {
		if (!succeeded(d, i)) {
			r->n_failed++;
			continue;
		}
		uint64_t k = r->n_requests++;
		double out = item(d->out, i), ttft = 1e3 * item(d->ttft, i);
		r->request[k] = (struct planned_request){
		    .arrival_ns = llround(1e9 * (item(d->start, i) - first)),
		    .input_tokens = (uint32_t)item(d->in, i),
		    .output_tokens = (uint32_t)out};
		time[RUN_TTFT][k] = ttft;
		time[RUN_E2EL][k] = latency_ms(d, i);
		time[RUN_TPOT][k] = out > 1
					? (time[RUN_E2EL][k] - ttft) / (out - 1)
					: (double)NAN;
	}
	qsort(r->request, r->n_requests, sizeof *r->request, by_arrival);
	return 0;
}

/* Returns 0, or -1 with *p filled in if the list is there and does not have n
 * values: then requests were cut from the other lists alone. */
static int check_length(const struct measured *m, const json_t *o,
			const char *name, size_t n, struct problem *p)
{
	size_t has = json_array_size(json_object_get(o, name));
	return !has || has == n
		   ? 0
		   : problem_set(p, EXIT_INPUT,
				 "%s: %s has %zu values, but input_lens %zu",
				 measured_path(m), name, has, n);
}

/* Returns 0, or -1 with *p filled in if a time of the list, or of a list in it,
 * is negative. */
static int check_not_negative(const struct measured *m, const json_t *o,
			      const char *name, struct problem *p)
{
	const json_t *list = json_object_get(o, name);
	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *one = json_array_get(list, i);
		size_t n = json_is_array(one) ? json_array_size(one) : 1;
		for (size_t k = 0; k < n; k++) {
			double v =
			    json_is_array(one) ? item(one, k) : item(list, i);
			if (v < 0)
				return problem_set(
				    p, EXIT_INPUT,
				    "%s: %s has the negative time %g, of "
				    "request %zu",
				    measured_path(m), name, v, i);
		}
	}
	return 0;
}

static int check_lists(const struct measured *m, const json_t *o,
		       struct problem *p)
{
	static const char *const all[] = {"output_lens", "start_times", "ttfts",
					  "itls", "latencies"};
	enum { FIRST_TIME = 2, N_LISTS = sizeof all / sizeof *all };
	size_t n = json_array_size(json_object_get(o, "input_lens"));
	for (int i = 0; i < N_LISTS; i++)
		if ((n && check_length(m, o, all[i], n, p) < 0) ||
		    (i >= FIRST_TIME &&
		     check_not_negative(m, o, all[i], p) < 0))
			return -1;
	return 0;
}

/* Only whole: lengths and start times of all requests. */
static int vllm_detail(struct measured_row *r, const json_t *o)
{
	struct detail d = {.in = json_object_get(o, "input_lens"),
			   .out = json_object_get(o, "output_lens"),
			   .start = json_object_get(o, "start_times"),
			   .ttft = json_object_get(o, "ttfts"),
			   .latency = json_object_get(o, "latencies"),
			   .itl = json_object_get(o, "itls"),
			   .error = json_object_get(o, "errors")};
	double *time[N_RUN_LATENCIES];
	d.n = json_array_size(d.in);
	if (!d.n || json_array_size(d.out) != d.n ||
	    json_array_size(d.start) != d.n || json_array_size(d.ttft) != d.n)
		return 0;
	double *block = calloc(N_RUN_LATENCIES * d.n, sizeof *block);
	for (size_t k = 0; k < N_RUN_LATENCIES; k++)
		time[k] = block + k * d.n;
	int rc = block ? take_detail(r, &d, time) : -1;
	for (size_t k = 0; rc == 0 && k < N_RUN_LATENCIES; k++) {
		struct measured_times t =
		    measured_summary(time[k], r->n_requests);
		for (int i = 0; i < N_STATISTICS; i++)
			if (isnan(r->time[k].of[i]))
				r->time[k].of[i] = t.of[i];
	}
	free(block);
	return rc;
}

static int add_vllm(struct measured *m, const json_t *o, uint64_t line,
		    struct problem *p)
{
	struct measured_row *r = measured_add(m, p);
	if (!r)
		return -1;
	double n = number(o, "completed");
	r->line = line;
	const char *slash = strrchr(measured_path(m), '/');
	if (asprintf(&r->id, "%s:%llu", slash ? slash + 1 : measured_path(m),
		     (unsigned long long)line) < 0)
		r->id = NULL;
	r->model = text(o, "model_id");
	r->request_rate = number(o, "request_rate");
	r->concurrency = number(o, "max_concurrency");
	r->duration_s = number(o, "duration");
	r->num_requests = n;
	r->input_tokens = number(o, "total_input_tokens") / n;
	r->output_tokens = number(o, "total_output_tokens") / n;
	for (int k = 0; k < N_RUN_LATENCIES; k++)
		r->time[k] = vllm_times(o, latency_name[k]);
	if (!(n >= 1))
		return problem_set(p, EXIT_INPUT,
				   "%s:%llu: no request was completed",
				   measured_path(m), (unsigned long long)line);
	if (check_times(m, o, line, p) < 0 || check_lists(m, o, p) < 0)
		return -1;
	if (vllm_detail(r, o) < 0)
		return problem_no_memory(p);
	r->is_summary = !r->n_requests;
	return 0;
}

/* ---- inference-perf ---- */

static struct measured_times perf_times(const json_t *latency, const char *key)
{
	const json_t *o = json_object_get(latency, key);
	return (struct measured_times){
	    {1e3 * number(o, "mean"), 1e3 * number(o, "median"),
	     1e3 * number(o, "p90"), 1e3 * number(o, "p99")}};
}

static int add_perf(struct measured *m, const json_t *o, struct problem *p)
{
	const json_t *load = json_object_get(o, "load_summary");
	const json_t *good = json_object_get(o, "successes");
	const json_t *latency = json_object_get(good, "latency");
	struct measured_row *r = measured_add(m, p);
	if (!r)
		return -1;
	r->line = 1;
	r->id = strdup(measured_path(m));
	r->num_requests = number(good, "count");
	r->request_rate = number(load, "requested_rate");
	if (isnan(r->request_rate))
		r->request_rate = number(load, "achieved_rate");
	r->input_tokens = number(json_object_get(good, "prompt_len"), "mean");
	r->output_tokens = number(json_object_get(good, "output_len"), "mean");
	r->time[RUN_TTFT] = perf_times(latency, "time_to_first_token");
	r->time[RUN_TPOT] = perf_times(latency, "time_per_output_token");
	r->time[RUN_E2EL] = perf_times(latency, "request_latency");
	if (!(r->num_requests >= 1))
		return problem_set(p, EXIT_INPUT, "%s:1: no request succeeded",
				   measured_path(m));
	return 0;
}

/* ---- files ---- */

static int add_object(struct measured *m, const json_t *o, uint64_t line,
		      struct problem *p)
{
	if (json_object_get(o, "load_summary") &&
	    json_object_get(o, "successes"))
		return add_perf(m, o, p);
	if (json_object_get(o, "mean_ttft_ms") ||
	    json_object_get(o, "mean_e2el_ms"))
		return add_vllm(m, o, line, p);
	return problem_set(p, EXIT_INPUT,
			   "%s:%llu: neither a result of vllm bench serve "
			   "(mean_ttft_ms …) nor of inference-perf "
			   "(load_summary, successes)",
			   measured_path(m), (unsigned long long)line);
}

struct source {
	FILE *f;
	uint64_t line;
};

static size_t feed(void *buffer, size_t size, void *user)
{
	struct source *s = user;
	(void)size;
	/* A byte at a time, so that nothing behind a value is swallowed. */
	int c = getc(s->f);
	if (c == EOF)
		return 0;
	s->line += c == '\n';
	*(char *)buffer = (char)c;
	return 1;
}

static int more(struct source *s)
{
	int c;
	while ((c = getc(s->f)) == ' ' || c == '\n' || c == '\r' || c == '\t')
		s->line += c == '\n';
	if (c != EOF)
		ungetc(c, s->f);
	return c != EOF;
}

/* An array of results is as good as results one after another. */
static int add_value(struct measured *m, const json_t *v, uint64_t line,
		     struct problem *p)
{
	if (!json_is_array(v))
		return add_object(m, v, line, p);
	for (size_t i = 0; i < json_array_size(v); i++)
		if (add_object(m, json_array_get(v, i), line, p) < 0)
			return -1;
	return 0;
}

static int bad_json(const struct measured *m, const json_error_t *e,
		    uint64_t line, struct problem *p)
{
	struct problem why;
	filetype_bad_json(e, measured_path(m), line, &why);
	if (line > 1 || strncmp(why.text + strlen(measured_path(m)),
				":1: not JSON", 12) != 0) {
		*p = why;
		return -1;
	}
	return problem_set(p, EXIT_INPUT,
			   "%s; a measured run is a result of vllm bench serve "
			   "or inference-perf (JSON), or a CSV file",
			   why.text);
}

int measured_read_json(struct measured *m, FILE *f, struct problem *p)
{
	struct source s = {f, 1};
	size_t before = m->n;
	int rc = 0;
	while (rc == 0 && more(&s)) {
		json_error_t e;
		uint64_t line = s.line;
		json_t *v =
		    json_load_callback(feed, &s, JSON_DISABLE_EOF_CHECK, &e);
		if (v)
			rc = add_value(m, v, line, p);
		else
			rc = bad_json(m, &e, line, p);
		json_decref(v);
	}
	if (rc == 0 && m->n == before)
		rc = problem_set(p, EXIT_INPUT, "%s:1: no runs",
				 measured_path(m));
	return rc;
}
