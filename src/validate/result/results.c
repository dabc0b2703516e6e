/* results.c -- Finds the program that wrote a result, and reads members of
 * results. */
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

static const json_t *item_of(const json_t *array, const char *key)
{
	char *end;
	size_t i = (size_t)strtoul(key, &end, 10);
	json_t *item;
	if (end != key && !*end)
		return json_array_get(array, i);
	json_array_foreach(array, i, item)
	{
		const char *name =
		    json_string_value(json_object_get(item, "name"));
		if (name && !strcmp(name, key))
			return item;
	}
	return NULL;
}

/* Returns the value at a path of `n` bytes, "a.b.c", or NULL.  Sets *blocked if
 * something else than an object or a list is in the way. */
static const json_t *follow(const json_t *o, const char *path, size_t n,
			    int *blocked)
{
	char key[80];
	while (o && n) {
		size_t len = 0;
		while (len < n && path[len] != '.')
			len++;
		snprintf(key, sizeof key, "%.*s", (int)len, path);
		*blocked |=
		    !json_is_array(o) && !json_is_object(o) && !json_is_null(o);
		o = json_is_array(o) ? item_of(o, key)
				     : json_object_get(o, key);
		len += len < n;
		path += len;
		n -= len;
	}
	return json_is_null(o) ? NULL : o;
}

static const json_t *find(const json_t *o, const char *path, int *blocked)
{
	const json_t *found = NULL;
	*blocked = 0;
	while (!found && *path) {
		size_t n = strcspn(path, "|");
		found = follow(o, path, n, blocked);
		path += n + (path[n] == '|');
	}
	return found;
}

const json_t *result_member(const json_t *o, const char *path)
{
	int blocked;
	return find(o, path, &blocked);
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
		   : result_fault(r, "it names no completed requests");
}

/* ---- fields ---- */

static int wrong(const struct result *r, const char *path, const char *of,
		 const char *must)
{
	char what[300];
	snprintf(what, sizeof what, "%.*s%s must be a %s",
		 (int)strcspn(path, "|"), path, of, must);
	return result_fault(r, what);
}

/* The words for an unlimited or unknown figure. */
static int is_none(const char *word)
{
	static const char *const none[] = {"",     "inf",  "nan",
					   ".inf", ".nan", "auto"};
	for (size_t i = 0; word && i < sizeof none / sizeof *none; i++)
		if (!strcmp(word, none[i]))
			return 1;
	return 0;
}

int result_figure(const struct result *r, const json_t *o, const char *path,
		  double *to)
{
	int blocked;
	const json_t *v = find(o, path, &blocked);
	*to = result_number(o, path);
	return (!v && !blocked) || (*to >= 0 && *to <= 1e18) ||
		       (v && is_none(json_string_value(v)))
		   ? 0
		   : wrong(r, path, "", "number, at least 0 and at most 1e18");
}

int result_take(const struct result *r, struct measured_row *row,
		const json_t *o, const struct result_field *field, size_t n)
{
	for (const struct result_field *f = field; f < field + n; f++) {
		char *at = (char *)row + f->offset;
		int blocked;
		const json_t *v = find(o, f->path, &blocked);
		char *text;
		double number;
		if (!v && !blocked)
			continue;
		if (f->type == MEASURED_TEXT && !json_is_string(v))
			return wrong(r, f->path, "", "text");
		if (f->type == MEASURED_TEXT &&
		    (text = result_text(o, f->path)))
			memcpy(at, &text, sizeof text);
		if (f->type == MEASURED_TEXT)
			continue;
		if (result_figure(r, o, f->path, &number) < 0)
			return -1;
		memcpy(at, &number, sizeof number);
	}
	return 0;
}

int result_failed(const struct result *r, struct measured_row *row,
		  const json_t *o, const char *path, const char *more)
{
	double a, b;
	if (result_figure(r, o, path, &a) < 0 ||
	    result_figure(r, o, more, &b) < 0)
		return -1;
	a = (isnan(a) ? 0 : a) + (isnan(b) ? 0 : b);
	if (a >= 1e15)
		return wrong(r, path, "", "number below 1e15");
	row->n_failed = (uint64_t)a;
	return 0;
}

/* llm-d serves with vLLM, but has versions of its own. */
void result_engine(struct measured_row *row, const char *tool,
		   const char *version)
{
	static const char *const of[][2] = {{"vllm", "vllm"},
					    {"llm-d", "vllm"},
					    {"sglang", "sglang"},
					    {"tensorrt", "trtllm"},
					    {"trt", "trtllm"}};
	enum { LLM_D = 1, N = sizeof of / sizeof *of };
	const char *colon = version ? strrchr(version, ':') : NULL;
	size_t i = 0;
	version = colon ? colon + 1 : version;
	version += version && *version == 'v';
	while (tool && i < N && !strstr(tool, of[i][0]))
		i++;
	if (!tool || i == N)
		return;
	row->engine = strdup(of[i][1]);
	if (i != LLM_D && version && *version >= '0' && *version <= '9')
		row->engine_version = strndup(version, strcspn(version, "-_+"));
}

/* ---- times ---- */

static int take_times(const struct result *r, const json_t *of,
		      const char *path, double to_ms, struct measured_times *to)
{
	static const char *const at[N_STATISTICS] = {
	    "mean|avg", "median|p50|percentiles.p50", "p90|percentiles.p90",
	    "p95|percentiles.p95", "p99|percentiles.p99"};
	char name[20];
	for (int i = 0; i < N_STATISTICS; i++) {
		double t = to_ms * result_number(of, at[i]);
		int blocked;
		if (!find(of, at[i], &blocked) && !blocked)
			continue;
		snprintf(name, sizeof name, ": %s", statistic_name[i]);
		if (!(t >= 0) || !isfinite(t))
			return wrong(r, path, name, "number, at least 0");
		to->of[i] = t;
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

int result_times(const struct result *r, struct measured_row *row,
		 const json_t *o, const char *const path[N_RUN_LATENCIES],
		 const double *to_ms, const char *unit)
{
	for (int k = 0; k < N_RUN_LATENCIES; k++) {
		int blocked;
		const json_t *of = find(o, path[k], &blocked);
		const char *is =
		    unit && of ? json_string_value(json_object_get(of, unit))
			       : NULL;
		double ms = to_ms ? to_ms[k] : is ? ms_of(is) : 0;
		char what[300];
		if (!of && !blocked)
			continue;
		if (!json_is_object(of))
			return wrong(r, path[k], "", "object of figures");
		if (ms > 0 && take_times(r, of, path[k], ms, &row->time[k]) < 0)
			return -1;
		if (ms > 0)
			continue;
		snprintf(what, sizeof what,
			 "%.*s: %s must be ns, us, ms or s, not %.40s",
			 (int)strcspn(path[k], "|"), path[k], unit,
			 is ? is : "missing");
		return result_fault(r, what);
	}
	return 0;
}

/* Returns 1 if the member is there, else 0, or -1. */
static int flat_time(const struct result *r, const json_t *o, const char *key,
		     int is_ms, double *to)
{
	const json_t *v = result_member(o, key);
	const char *word = json_string_value(v);
	double t = result_number(o, key) * (is_ms ? 1 : 1e3);
	if (!v)
		return 0;
	if (!(t >= 0 && isfinite(t)) && !is_none(word))
		return wrong(r, key, "",
			     is_ms ? "number of ms, at least 0"
				   : "number of s, at least 0");
	*to = t;
	return 1;
}

int result_flat_times(const struct result *r, struct measured_row *row,
		      const json_t *o,
		      const char *const name[N_RUN_LATENCIES][2], int is_ms)
{
	char key[80];
	for (int k = 0; k < N_RUN_LATENCIES; k++)
		for (int i = 0; i < N_STATISTICS; i++)
			for (int n = 0, rc = 0; !rc && n < 4; n++) {
				const char *of = n % 2 && i == STATISTIC_P50
						     ? "median"
						     : statistic_name[i];
				snprintf(key, sizeof key, "%s_%s%s", of,
					 name[k][n / 2], is_ms ? "_ms" : "");
				rc = flat_time(r, o, key, is_ms,
					       &row->time[k].of[i]);
				if (rc < 0)
					return -1;
			}
	return 0;
}
