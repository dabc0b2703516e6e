/* inference_perf.c -- Reads the lifecycle metrics of a stage of inference-perf.
 */
#include <config.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "validate/result/results.h"

static int add(struct result *r, const json_t *o)
{
	static const char *const path[N_RUN_LATENCIES] = {
	    "successes.latency.time_to_first_token",
	    "successes.latency.time_per_output_token",
	    "successes.latency.request_latency"};
	struct measured_row *row = result_row(r, 0);
	if (!row)
		return -1;
	free(row->id);
	row->id = strdup(measured_path(r->m));
	row->num_requests = result_number(o, "successes.count");
	row->request_rate = result_number(
	    o, "load_summary.requested_rate|load_summary.achieved_rate");
	row->input_tokens = result_number(o, "successes.prompt_len.mean");
	row->output_tokens = result_number(o, "successes.output_len.mean");
	for (int k = 0; k < N_RUN_LATENCIES; k++)
		if (result_times(r, o, path[k], 1e3, &row->time[k]) < 0)
			return -1;
	if (!(row->num_requests >= 1))
		return result_fault(r, "no request succeeded");
	return result_check_times(r, row);
}

static int is(const json_t *o)
{
	return result_member(o, "load_summary") &&
	       result_member(o, "successes");
}

const struct result_format result_inference_perf = {
    "inference-perf (load_summary, successes)", is, add};
