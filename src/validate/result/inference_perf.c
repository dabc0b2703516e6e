/* inference_perf.c -- Reads the lifecycle metrics of a stage of inference-perf.
 */
#include <stdlib.h>
#include <string.h>
#include "validate/result/results.h"

/* Adds the row of a summary. */
static int add(struct result *r, const json_t *o)
{
	static const char *const path[N_RUN_LATENCIES] = {
	    "successes.latency.time_to_first_token",
	    "successes.latency.time_per_output_token",
	    "successes.latency.request_latency"};
	static const double to_ms[N_RUN_LATENCIES] = {1e3, 1e3, 1e3};
	static const struct result_field field[] = {
	    RESULT_NUMBER(num_requests, "successes.count"),
	    RESULT_NUMBER(request_rate, "load_summary.requested_rate|"
					"load_summary.achieved_rate"),
	    RESULT_NUMBER(input_tokens, "successes.prompt_len.mean"),
	    RESULT_NUMBER(output_tokens, "successes.output_len.mean"),
	};
	struct measured_row *row = result_row(r, 0);
	if (!row)
		return -1;
	free(row->id);
	row->id = strdup(measured_path(r->m));
	return RESULT_TAKE(r, row, o, field) < 0 ||
		       result_times(r, row, o, path, to_ms, NULL) < 0
		   ? -1
		   : result_check(r, row);
}

static int is(const json_t *o)
{
	return result_member(o, "load_summary") &&
	       result_member(o, "successes");
}

const struct result_format result_inference_perf = {
    "inference-perf (load_summary, successes)", is, add};
