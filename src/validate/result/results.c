/* results.c -- Finds the program that wrote a result, and reads members of
 * results. */
#include <config.h>
#include "validate/result/results.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/number.h"

/* The first that knows a value reads it. */
static const struct result_format *const format[] = {
    &result_report,     &result_guidellm,      &result_inference_perf,
    &result_vllm,       &result_aiperf_record, &result_aiperf,
    &result_inferencex,
};
enum { N_FORMATS = sizeof format / sizeof *format };

int result_fault(const struct result *r, const char *what)
{
	return problem_at(r->p, measured_path(r->m), r->line, what);
}

/* ---- values ---- */

static int refuse(const struct result *r)
{
	char what[600] = "is no result of a program that is known:";
	for (int i = 0; i < N_FORMATS; i++) {
		size_t n = strlen(what);
		snprintf(what + n, sizeof what - n, "%s %s", i ? "," : "",
			 format[i]->name);
	}
	return result_fault(r, what);
}

static int add_one(struct result *r, const json_t *o)
{
	for (int i = 0; i < N_FORMATS; i++)
		if (format[i]->is(o))
			return format[i]->add(r, o);
	return refuse(r);
}

int results_add(struct result *r, const json_t *value)
{
	if (!json_is_array(value))
		return add_one(r, value);
	for (size_t i = 0; i < json_array_size(value); i++)
		if (add_one(r, json_array_get(value, i)) < 0)
			return -1;
	return 0;
}

int results_end(struct result *r)
{
	if (!r->requests.n && !r->n_failed)
		return 0;
	struct measured_row *row = r->requests.n ? result_row(r, 0) : NULL;
	if (!row)
		return r->requests.n ? -1
				     : result_fault(r, "no request succeeded");
	row->n_failed = r->n_failed;
	row->num_requests = (double)r->requests.n;
	measured_requests_give(&r->requests, row);
	return 0;
}

/* ---- members ---- */

/* Of one path of `n` bytes. */
static const json_t *follow(const json_t *o, const char *path, size_t n)
{
	char key[80];
	while (o && n) {
		size_t len = 0;
		while (len < n && path[len] != '.')
			len++;
		snprintf(key, sizeof key, "%.*s", (int)len, path);
		o = json_is_array(o)
			? json_array_get(o, (size_t)strtoul(key, NULL, 10))
			: json_object_get(o, key);
		len += len < n;
		path += len;
		n -= len;
	}
	return json_is_null(o) ? NULL : o;
}

const json_t *result_member(const json_t *o, const char *path)
{
	const json_t *found = NULL;
	while (!found && *path) {
		size_t n = strcspn(path, "|");
		found = follow(o, path, n);
		path += n + (path[n] == '|');
	}
	return found;
}

double result_number(const json_t *o, const char *path)
{
	const json_t *v = result_member(o, path);
	double number = (double)NAN;
	if (json_is_number(v))
		return json_number_value(v);
	if (json_is_string(v)) {
		const char *s = json_string_value(v);
		const char *end = number_parse(s, &number);
		if (end == s || *end || !isfinite(number))
			return (double)NAN;
	}
	return number;
}

char *result_text(const json_t *o, const char *path)
{
	const char *s = json_string_value(result_member(o, path));
	return s && *s ? strdup(s) : NULL;
}

/* ---- rows ---- */

struct measured_row *result_row(const struct result *r, size_t number)
{
	const char *path = measured_path(r->m), *slash = strrchr(path, '/');
	char of[24] = "";
	struct measured_row *row = measured_add(r->m, r->p);
	if (!row)
		return NULL;
	row->line = r->line;
	if (number)
		snprintf(of, sizeof of, ":%zu", number);
	if (asprintf(&row->id, "%s:%llu%s", slash ? slash + 1 : path,
		     (unsigned long long)r->line, of) < 0)
		row->id = NULL;
	return row;
}

int result_check_times(const struct result *r, const struct measured_row *row)
{
	int n = 0;
	for (int k = 0; k < N_RUN_LATENCIES; k++)
		n += !isnan(row->time[k].of[STATISTIC_MEAN]) ||
		     !isnan(row->time[k].of[STATISTIC_P50]);
	return n ? 0
		 : result_fault(r, "no latency was measured: neither TTFT, "
				   "TPOT nor end to end");
}

int result_check(const struct result *r, const struct measured_row *row)
{
	return row->num_requests >= 1
		   ? result_check_times(r, row)
		   : result_fault(r, "no request was completed");
}

/* ---- times ---- */

/* Returns the length of the first of several paths. */
static int first_path(const char *path)
{
	return (int)strcspn(path, "|");
}

int result_times(const struct result *r, const json_t *o, const char *path,
		 double to_ms, struct measured_times *to)
{
	static const char *const at[N_STATISTICS] = {
	    "mean|avg", "median|p50|percentiles.p50", "p90|percentiles.p90",
	    "p95|percentiles.p95", "p99|percentiles.p99"};
	const json_t *of = result_member(o, path);
	char what[300];
	for (int i = 0; of && i < N_STATISTICS; i++) {
		const json_t *v = result_member(of, at[i]);
		double t = result_number(of, at[i]);
		if (!v)
			continue;
		if (!(t >= 0) || !isfinite(t * to_ms)) {
			snprintf(what, sizeof what,
				 "%.*s: %s must be a number, at least 0",
				 first_path(path), path, statistic_name[i]);
			return result_fault(r, what);
		}
		to->of[i] = t * to_ms;
	}
	return 0;
}

static double ms_of(const char *unit)
{
	static const struct {
		const char *name;
		double ms;
	} of[] = {{"ns", 1e-6},         {"us", 1e-3},
		  {"µs", 1e-3},         {"ms", 1},
		  {"s", 1e3},           {"sec", 1e3},
		  {"secs", 1e3},        {"seconds", 1e3},
		  {"milliseconds", 1},  {"microseconds", 1e-3},
		  {"nanoseconds", 1e-6}};
	size_t n = strlen(unit);
	if (n > 6 && !strcmp(unit + n - 6, "/token"))
		n -= 6;
	for (size_t i = 0; i < sizeof of / sizeof *of; i++)
		if (strlen(of[i].name) == n && !strncmp(of[i].name, unit, n))
			return of[i].ms;
	return 0;
}

int result_times_in(const struct result *r, const json_t *o, const char *path,
		    const char *unit, struct measured_times *to)
{
	const json_t *of = result_member(o, path);
	const char *is = json_string_value(result_member(of, unit));
	char what[300];
	if (!of)
		return 0;
	if (is && ms_of(is) > 0)
		return result_times(r, o, path, ms_of(is), to);
	snprintf(what, sizeof what,
		 "%.*s: %s must be ns, us, ms or s, not %.40s",
		 first_path(path), path, unit, is ? is : "missing");
	return result_fault(r, what);
}
