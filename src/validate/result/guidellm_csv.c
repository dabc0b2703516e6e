/* guidellm_csv.c -- Reads benchmarks.csv of GuideLLM: a row a benchmark, below
 * three lines of names (group, figure, statistic), as the JSON beside it.
 *
 * Columns as of vllm-project/guidellm @ ee7a7745
 * src/guidellm/benchmark/outputs/csv.py.  The load of a benchmark is that of
 * its place in the profile; a sweep finds its rates itself, and does not tell
 * them.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "base/csv.h"
#include "validate/result/results.h"

enum { HEADS = 3, NAME = 100 };

struct reading {
	struct result *r;
	char (*name)[NAME]; /* [n] of columns: group/figure/statistic */
	size_t runs;
	int failed; /* *r->p has the reason */
};

/* Columns, and the members of the JSON that have the same figures. */
#define PROFILE "Run Info/Profile/"
static const char *const member[][2] = {
    {"Run Info/Backend/", "config.backend"},
    {"Benchmark/Strategy/", "config.strategy.type_"},
    {"Timings/Duration/Sec", "duration"},
    {"Request Counts/Successful/", "metrics.request_totals.successful"},
    {"Request Counts/Incomplete/", "metrics.request_totals.incomplete"},
    {"Request Counts/Errored/", "metrics.request_totals.errored"},
    {"Request Latency/Successful Sec/", "metrics.request_latency"},
    {"Time to First Token/Successful ms/", "metrics.time_to_first_token_ms"},
    {"Inter Token Latency/Successful ms/", "metrics.inter_token_latency_ms"},
    {"Token Metrics/Successful Input Tokens/", "metrics.prompt_token_count"},
    {"Token Metrics/Successful Output Tokens/", "metrics.output_token_count"},
    {"Token Throughput/Successful Output Tokens/Sec/",
     "metrics.output_tokens_per_second"},
};

/* Takes over the value. */
static int put(json_t *o, const char *path, json_t *value)
{
	char key[NAME];
	for (size_t n; path[n = strcspn(path, ".")]; path += n + 1) {
		snprintf(key, sizeof key, "%.*s", (int)n, path);
		if (!json_is_object(json_object_get(o, key)))
			json_object_set_new(o, key, json_object());
		o = json_object_get(o, key);
	}
	return json_object_set_new(o, path, value);
}

/* A number, a list or an object; else a text. */
static json_t *value_of(const char *cell)
{
	json_t *v = json_loads(cell, JSON_DECODE_ANY, NULL);
	return v ? v : json_string(cell);
}

/* [min, p0.1, p1, p5, p10, p25, p75, p90, p95, p99, max] */
static void put_percentiles(json_t *o, const char *path, const json_t *list)
{
	static const char *const name[] = {"p90", "p95", "p99"};
	char to[2 * NAME];
	for (size_t i = 0; i < 3; i++) {
		snprintf(to, sizeof to, "%s.successful.%s", path, name[i]);
		json_t *v = json_array_get(list, 7 + i);
		put(o, to, v ? json_incref(v) : json_string("missing"));
	}
}

static void put_load(json_t *o, json_t *profile, size_t run)
{
	static const char *const key[] = {"streams", "rate", "max_concurrency"};
	char to[NAME];
	for (size_t i = 0; i < 3; i++) {
		json_t *v = json_object_get(profile, key[i]);
		snprintf(to, sizeof to, "config.strategy.%s", key[i]);
		v = json_is_array(v) ? json_array_get(v, run) : v;
		if (json_is_number(v))
			put(o, to, json_incref(v));
	}
}

static void put_cell(const struct reading *c, json_t *o, const char *name,
		     const char *cell)
{
	char to[2 * NAME];
	json_t *v = value_of(cell);
	if (!strcmp(name, PROFILE))
		put_load(o, v, c->runs);
	for (size_t i = 0; i < sizeof member / sizeof *member; i++) {
		size_t n = strlen(member[i][0]);
		const char *path = member[i][1];
		if (strncmp(name, member[i][0], n) != 0)
			continue;
		int is_mean = !strcmp(name + n, "Mean");
		if (!strcmp(name + n, "Percentiles"))
			put_percentiles(o, path, v);
		else if (!name[n])
			put(o, path, json_incref(v));
		else if (is_mean || !strcmp(name + n, "Median")) {
			snprintf(to, sizeof to, "%s.successful.%s", path,
				 is_mean ? "mean" : "median");
			put(o, to, json_incref(v));
		}
	}
	json_decref(v);
}

static const char *on_row(void *user, uint64_t row, uint32_t n,
			  char *const *cell)
{
	struct reading *c = user;
	json_t *o = row < HEADS ? NULL : json_object();
	if (row == 0)
		c->name = calloc(n, sizeof *c->name);
	if (!c->name || (row >= HEADS && !o))
		return out_of_memory;
	for (uint32_t i = 0; i < n; i++) {
		size_t len = strlen(c->name[i]);
		if (!o)
			snprintf(c->name[i] + len, NAME - len, "%s%s",
				 row ? "/" : "", cell[i]);
		else if (*cell[i])
			put_cell(c, o, c->name[i], cell[i]);
	}
	c->failed = o && result_guidellm.add(c->r, o) < 0;
	c->runs += o != NULL;
	json_decref(o);
	return c->failed ? "" : NULL;
}

int result_guidellm_csv(struct result *r, const char *text, size_t n)
{
	struct reading c = {.r = r};
	struct problem p;
	FILE *f = fmemopen((void *)(uintptr_t)text, n, "r");
	int rc =
	    f ? csv_read_lines(f, measured_path(r->m), on_row, &c, &r->line, &p)
	      : problem_no_memory(&p);
	if (rc < 0 && !c.failed)
		*r->p = p;
	if (f)
		fclose(f);
	free(c.name);
	return rc;
}
