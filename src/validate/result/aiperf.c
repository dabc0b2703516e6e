/* aiperf.c -- Reads what AIPerf (and GenAI-Perf before it) exports of a
 * profile: profile_export_aiperf.json and .csv have its figures,
 * profile_export.jsonl has each request.
 *
 * Members as of ai-dynamo/aiperf @ db4f6397 aiperf/common/models/.
 * inter_token_latency is (request_latency - time_to_first_token) /
 * (output_sequence_length - 1) of each request, which is TPOT. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "validate/result/results.h"

/* ---- figures ---- */

/* Versions before 0.2 have the figures in `records`, and call TTFT so. */
static const json_t *figures_of(const json_t *o)
{
	const json_t *records = json_object_get(o, "records");
	return json_is_object(records) ? records : o;
}

/* Adds the row of a summary. */
static int add(struct result *r, const json_t *o)
{
	static const char *const path[N_RUN_LATENCIES] = {
	    "time_to_first_token|ttft", "inter_token_latency",
	    "request_latency"};
	static const struct result_field asked[] = {
	    RESULT_TEXT(model, "input_config.endpoint.model_names.0|"
			       "input_config.models.items.0.name|"
			       "input_config.model_names.0"),
	    RESULT_NUMBER(concurrency,
			  "input_config.loadgen.concurrency|"
			  "input_config.phases.profiling.concurrency"),
	    RESULT_NUMBER(request_rate, "input_config.loadgen.request_rate|"
					"input_config.phases.profiling.rate"),
	};
	static const struct result_field figure[] = {
	    RESULT_NUMBER(num_requests, "request_count.avg"),
	    RESULT_NUMBER(duration_s, "benchmark_duration.avg"),
	    RESULT_NUMBER(input_tokens, "input_sequence_length.avg"),
	    RESULT_NUMBER(output_tokens, "output_sequence_length.avg|"
					 "output_token_count.avg"),
	    RESULT_NUMBER(output_throughput, "output_token_throughput.avg"),
	};
	const json_t *of = figures_of(o);
	struct measured_row *row = result_row(r, 0);
	if (!row)
		return -1;
	row->is_summary = 1;
	if (RESULT_TAKE(r, row, o, asked) < 0)
		return -1;
	row->load_is_unknown =
	    isnan(row->concurrency) && isnan(row->request_rate);
	return RESULT_TAKE(r, row, of, figure) < 0 ||
		       result_failed(r, row, of, "error_request_count.avg",
				     "") < 0 ||
		       result_times(r, row, of, path, NULL, "unit") < 0
		   ? -1
		   : result_check(r, row);
}

static int is(const json_t *o)
{
	return json_is_object(result_member(
	    figures_of(o), "request_latency|time_to_first_token"));
}

const struct result_format result_aiperf = {
    "AIPerf (time_to_first_token, request_latency …)", is, add};

/* ---- a record of a request ---- */

/* Its start, which versions before 0.2 call timestamp_ns. */
#define START "metadata.request_start_ns|metadata.timestamp_ns"

static int is_record(const json_t *o)
{
	return result_member(o, START) &&
	       json_is_object(json_object_get(o, "metrics"));
}

/* A time or a length of a record, of the first metric that is there. */
static int value_of(const struct result *r, const json_t *o, const char *metric,
		    const char *unit, double *to)
{
	const json_t *v = result_member(json_object_get(o, "metrics"), metric);
	const char *is = json_string_value(json_object_get(v, "unit"));
	char what[200];
	if (!is || !strcmp(is, unit))
		return result_figure(r, v, "value", to);
	snprintf(what, sizeof what, "metrics.%.*s is not in %s",
		 (int)strcspn(metric, "|"), metric, unit);
	return result_fault(r, what);
}

static int add_record(struct result *r, const json_t *o)
{
	const json_t *start = result_member(o, START);
	const char *phase = json_string_value(
	    result_member(o, "metadata.benchmark_phase|metadata.credit_phase"));
	static const char *const metric[][2] = {
	    [REQUEST_INPUT] = {"input_sequence_length", "tokens"},
	    [REQUEST_OUTPUT] = {"output_sequence_length|output_token_count",
				"tokens"},
	    [REQUEST_TTFT] = {"time_to_first_token|ttft", "ms"},
	    [REQUEST_E2EL] = {"request_latency", "ms"}};
	double v[N_REQUEST_COLUMNS] = {0};
	json_int_t ns = json_integer_value(start);
	if (phase && strcmp(phase, "profiling") != 0)
		return 0;
	if (result_member(o, "error") ||
	    json_is_true(result_member(o, "metadata.was_cancelled"))) {
		r->n_failed++;
		return 0;
	}
	if (!json_is_integer(start) || ns < 0 || ns > (json_int_t)4e18)
		return result_fault(r, "metadata.request_start_ns must be a "
				       "whole number of ns");
	for (int i = REQUEST_INPUT; i <= REQUEST_E2EL; i++)
		if (value_of(r, o, metric[i][0], metric[i][1], &v[i]) < 0)
			return -1;
	if (isnan(v[REQUEST_E2EL]))
		return result_fault(r, "metrics.request_latency is missing");
	const char *why = measured_requests_add(&r->requests, ns, v);
	return why ? result_fault(r, why) : 0;
}

const struct result_format result_aiperf_record = {
    "a record of AIPerf (metadata.request_start_ns, metrics)", is_record,
    add_record};

/* ---- CSV ---- */

/* "Time to First Token (ms)" becomes time_to_first_token and ms. */
static void name_metric(const char *cell, char *key, char *unit, size_t size)
{
	size_t n = 0;
	const char *bracket = strrchr(cell, '(');
	*unit = '\0';
	if (bracket)
		snprintf(unit, size, "%.*s", (int)strcspn(bracket + 1, ")"),
			 bracket + 1);
	for (; *cell && cell != bracket && n + 1 < size; cell++)
		key[n++] = *cell == ' ' ? '_' : (char)tolower((uint8_t)*cell);
	while (n && key[n - 1] == '_')
		n--;
	key[n] = '\0';
}

/* Takes the next cell of a line, which ends in NUL; quotes and the commas
 * between thousands go. */
static char *next_cell(char **line)
{
	char *cell = *line, *to = cell, *s = cell;
	int quoted = 0;
	if (!s)
		return NULL;
	for (; *s && (quoted || *s != ','); s++) {
		if (*s == '"')
			quoted = !quoted;
		else if (*s != ',')
			*to++ = *s;
	}
	*line = *s ? s + 1 : NULL;
	*to = '\0';
	return cell;
}

enum { MAX_COLUMNS = 30 };
struct header {
	char name[MAX_COLUMNS][16];
	size_t n;
};

static int read_header(const struct result *r, struct header *h, char *line)
{
	h->n = 0;
	for (char *cell; h->n < MAX_COLUMNS && (cell = next_cell(&line));)
		snprintf(h->name[h->n++], sizeof *h->name, "%s", cell);
	for (size_t i = 1; i < h->n; i++)
		for (size_t k = 0; k < i; k++)
			if (!strcmp(h->name[i], h->name[k]))
				return result_fault(r, "a column is there "
						       "twice");
	return line ? result_fault(r, "more than 30 columns") : 0;
}

static int put_metric(const struct result *r, json_t *to,
		      const struct header *h, char *line)
{
	char key[100], unit[100], what[200];
	name_metric(next_cell(&line), key, unit, sizeof key);
	snprintf(what, sizeof what, "%s is there twice", key);
	if (json_object_get(to, key))
		return result_fault(r, what);
	json_t *metric = json_object();
	if (*unit)
		json_object_set_new(metric, "unit", json_string(unit));
	for (size_t i = 1; line && i < h->n; i++) {
		char *cell = next_cell(&line);
		const char *name =
		    strcmp(h->name[i], "Value") ? h->name[i] : "avg";
		if (*cell)
			json_object_set_new(metric, name, json_string(cell));
	}
	int bad = json_object_set_new(to, key, metric);
	return bad ? result_fault(r, "a name is not UTF-8")
	       : line && line[strspn(line, ",")]
		   ? result_fault(r, "more cells than the header")
		   : 0;
}

int result_aiperf_csv(struct result *r, const char *text, size_t n)
{
	struct header h = {.n = 0};
	json_t *o = json_object();
	char *copy = strndup(text, n), *line, *rest = copy;
	int rc = copy && o ? 0 : problem_no_memory(r->p);
	for (r->line = 1; rc == 0 && (line = strsep(&rest, "\n")); r->line++) {
		line[strcspn(line, "\r")] = '\0';
		if (!strncmp(line, "Endpoint,", 9)) /* of the GPUs */
			break;
		if (!strncmp(line, "Metric,", 7))
			rc = read_header(r, &h, line);
		else if (*line)
			rc = put_metric(r, o, &h, line);
	}
	r->line = 1;
	if (rc == 0)
		rc = add(r, o);
	json_decref(o);
	free(copy);
	return rc;
}
