/* guidellm.c -- Reads the results of GuideLLM (benchmarks.json or .yaml).  Each
 * benchmark of a file is a run.
 *
 * Members as of vllm-project/guidellm @ ee7a7745 src/guidellm/schemas/ and
 * benchmark/schemas/; the reports of versions before 0.7 have the same figures.
 * TPOT is inter_token_latency_ms, because time_per_output_token_ms counts the
 * first token.  The mean of the former is one over tokens, so it is used where
 * requests are not told one by one; else TPOT is computed of each. */
#include <math.h>
#include <string.h>
#include "validate/result/results.h"

#define STRATEGY(key)                                                          \
	"config.strategy." key "|args.strategy." key "|scheduler."             \
	"strategy." key

/* ---- the load ---- */

/* The kinds of load, and what `rate` or `streams` of each is. */
static const char *kind_of(const json_t *o)
{
	return json_string_value(result_member(o, STRATEGY("type_")));
}

static int take_load(const struct result *r, struct measured_row *row,
		     const json_t *o)
{
	const char *kind = kind_of(o);
	if (!kind)
		return 0;
	if (!strcmp(kind, "concurrent"))
		return result_figure(
		    r, o, STRATEGY("streams") "|" STRATEGY("max_concurrency"),
		    &row->concurrency);
	if (!strcmp(kind, "throughput"))
		return result_figure(r, o, STRATEGY("max_concurrency"),
				     &row->concurrency);
	if (strcmp(kind, "synchronous") != 0)
		return result_figure(r, o, STRATEGY("rate"),
				     &row->request_rate);
	row->concurrency = 1;
	return 0;
}

/* ---- request by request ---- */

/* Returns 0, or -1 with *r->p filled in. */
static int add_request(const struct result *r, struct measured_requests *all,
		       const json_t *q)
{
	static const char *const path[] = {
	    [REQUEST_ARRIVAL] = "request_start_time|info.timings.request_start|"
				"info.timings.request_start_time|start_time",
	    [REQUEST_INPUT] = "prompt_tokens|input_metrics.text_tokens",
	    [REQUEST_OUTPUT] = "output_tokens|output_metrics.text_tokens",
	    [REQUEST_TTFT] = "time_to_first_token_ms",
	    [REQUEST_E2EL] = "request_latency"};
	double v[N_REQUEST_COLUMNS] = {0};
	for (int i = REQUEST_ARRIVAL; i <= REQUEST_E2EL; i++)
		if (result_figure(r, q, path[i], &v[i]) < 0)
			return -1;
	v[REQUEST_E2EL] *= 1e3;
	if (!(v[REQUEST_ARRIVAL] < 9e9))
		return result_fault(r, "a request has no request_start_time");
	const char *why =
	    measured_requests_add(all, llround(1e9 * v[REQUEST_ARRIVAL]), v);
	return why ? result_fault(r, why) : 0;
}

/* --sample-requests keeps some of them; then they are no arrivals, but samples
 * of nothing either, since the others are unknown. */
static int take_requests(const struct result *r, struct measured_row *row,
			 const json_t *o)
{
	const json_t *list = result_member(o, "requests.successful");
	struct measured_requests all = {0};
	int rc = 0;
	if (!json_array_size(list) ||
	    (double)json_array_size(list) != row->num_requests)
		return 0;
	for (size_t i = 0; rc == 0 && i < json_array_size(list); i++)
		rc = add_request(r, &all, json_array_get(list, i));
	row->time[RUN_TPOT] = measured_no_times;
	if (rc == 0)
		measured_requests_give(&all, row);
	measured_requests_free(&all);
	return rc;
}

/* ---- a benchmark ---- */

static int add_benchmark(struct result *r, const json_t *report,
			 const json_t *o, size_t number)
{
#define TOTALS(key)                                                            \
	"metrics.request_totals." key "|run_stats.requests_made." key
	static const char *const path[N_RUN_LATENCIES] = {
	    "metrics.time_to_first_token_ms.successful",
	    "metrics.inter_token_latency_ms.successful",
	    "metrics.request_latency.successful"};
	static const double to_ms[N_RUN_LATENCIES] = {1, 1, 1e3};
	static const struct result_field field[] = {
	    RESULT_TEXT(model, "config.backend.model|worker.backend_model"),
	    RESULT_NUMBER(num_requests,
			  TOTALS("successful") "|metrics.request_latency."
					       "successful.count"),
	    RESULT_NUMBER(duration_s, "duration"),
	    RESULT_NUMBER(input_tokens,
			  "metrics.prompt_token_count.successful.mean"),
	    RESULT_NUMBER(output_tokens,
			  "metrics.output_token_count.successful.mean"),
	    RESULT_NUMBER(output_throughput,
			  "metrics.output_tokens_per_second.successful.mean"),
	};
	struct measured_row *row = result_row(r, number);
	if (!row)
		return -1;
	if (RESULT_TAKE(r, row, o, field) < 0 ||
	    result_failed(r, row, o, TOTALS("errored"), TOTALS("incomplete")) <
		0 ||
	    take_load(r, row, o) < 0)
		return -1;
	row->load_is_unknown =
	    isnan(row->concurrency) && isnan(row->request_rate) &&
	    (!kind_of(o) || strcmp(kind_of(o), "throughput") != 0);
	if (!row->model)
		row->model =
		    result_text(report, "config.spec.backend.model|args.model");
	if (result_times(r, row, o, path, to_ms, NULL) < 0 ||
	    result_check(r, row) < 0 || take_requests(r, row, o) < 0)
		return -1;
	row->is_summary = !row->n_requests;
	return 0;
}

static int add(struct result *r, const json_t *o)
{
	const json_t *list = json_object_get(o, "benchmarks");
	size_t n = json_array_size(list);
	if (!list) /* a row of benchmarks.csv */
		return add_benchmark(r, o, o, 0);
	for (size_t i = 0; i < n; i++)
		if (add_benchmark(r, o, json_array_get(list, i),
				  n > 1 ? i + 1 : 0) < 0)
			return -1;
	return n ? 0 : result_fault(r, "has no benchmarks");
}

static int is(const json_t *o)
{
	const json_t *list = json_object_get(o, "benchmarks");
	return json_is_array(list) &&
	       (json_array_size(list) == 0 || result_member(list, "0.metrics"));
}

const struct result_format result_guidellm = {
    "GuideLLM (benchmarks, each with metrics)", is, add};
