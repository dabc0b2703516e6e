/* inferencex.c -- Reads InferenceX's (formerly InferenceMAX) results:
 * agg_*.json of a run, arrays of them, and rows of its database, in which the
 * figures are in `metrics`.  Times are in s.
 *
 * Members as of SemiAnalysisAI/InferenceX @ 843c6254 utils/process_result.py;
 * its benchmark client itself saves what `vllm bench serve` does.  Lengths are
 * the nominal ones. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "validate/result/results.h"

/* ---- names ---- */

/* A runner's name begins with the GPU: b200-nvs_3, h200-cw, gb200_nvl72. */
static char *gpu_of(const json_t *o)
{
	const char *hw =
	    json_string_value(result_member(o, "hw|hardware|gpu|prefill_hw"));
	char *name = hw ? strndup(hw, strcspn(hw, "-_ ")) : NULL;
	for (char *s = name; s && *s; s++)
		*s = (char)toupper((uint8_t)*s);
	return name;
}

/* A truth value, or its name in any case; none, or an empty text, is false.
 * Returns 0, or -1 with *r->p filled in. */
static int take_truth(const struct result *r, const json_t *o, const char *path,
		      int *is)
{
	const json_t *v = result_member(o, path);
	const char *s = json_is_true(v)     ? "true"
			: json_is_string(v) ? json_string_value(v)
					    : "";
	char what[100];
	int is_empty = json_is_string(v) && !*s;
	*is = !strcasecmp(s, "true");
	if (*is || !v || json_is_false(v) || !strcasecmp(s, "false") ||
	    is_empty)
		return 0;
	snprintf(what, sizeof what, "%.*s must be true or false",
		 (int)strcspn(path, "|"), path);
	return result_fault(r, what);
}

/* ---- servers ---- */

static int take_pool(const struct result *r, struct measured_pool *pool,
		     const json_t *o, const char *role)
{
	char path[60];
#define OF(key) (snprintf(path, sizeof path, "%s_" key, role), path)
	double ep;
	int is_dp;
	if (result_figure(r, o, OF("ep"), &ep) < 0 ||
	    result_figure(r, o, OF("num_workers"), &pool->workers) < 0 ||
	    result_figure(r, o, OF("tp"), &pool->tp) < 0 ||
	    take_truth(r, o, OF("dp_attention"), &is_dp) < 0)
		return -1;
	if (ep >= 1 && asprintf(&pool->ep, "%g", ep) < 0)
		pool->ep = NULL;
	if (is_dp)
		pool->attention_dp = strdup("yes");
	return 0;
}

/* Prefill and decode on servers of their own. */
static int take_pools(const struct result *r, struct measured_row *row,
		      const json_t *o)
{
	double prefill, decode;
	if (result_figure(r, o, "num_prefill_gpu", &prefill) < 0 ||
	    result_figure(r, o, "num_decode_gpu", &decode) < 0 ||
	    take_pool(r, &row->pool[MEASURED_PREFILL], o, "prefill") < 0 ||
	    take_pool(r, &row->pool[MEASURED_DECODE], o, "decode") < 0)
		return -1;
	row->gpu_count = prefill + decode;
	return 0;
}

static int take_servers(const struct result *r, struct measured_row *row,
			const json_t *o)
{
	static const struct result_field field[] = {
	    RESULT_TEXT(model, "model|model_id"),
	    RESULT_TEXT(dtype, "precision"),
	    RESULT_NUMBER(tensor_parallel_size, "tp|decode_tp"),
	    RESULT_NUMBER(pipeline_parallel_size, "pp|decode_pp"),
	    RESULT_NUMBER(expert_parallel_size, "ep|decode_ep"),
	};
	const char *spec =
	    json_string_value(result_member(o, "spec_decoding|spec_method"));
	int is_apart, is_dp;
	if (RESULT_TAKE(r, row, o, field) < 0 ||
	    take_truth(r, o, "disagg", &is_apart) < 0 ||
	    take_truth(r, o, "dp_attention|decode_dp_attention", &is_dp) < 0)
		return -1;
	double tp = row->tensor_parallel_size, pp = row->pipeline_parallel_size;
	row->mode = strdup(is_apart ? "disagg" : "agg");
	row->gpu = gpu_of(o);
	const char *framework =
	    json_string_value(result_member(o, "framework"));
	result_engine(row, framework,
		      json_string_value(result_member(o, "image")));
	if (!row->engine && framework)
		row->engine = strdup(framework);
	row->gpu_count = tp * (pp >= 1 ? pp : 1);
	if (is_dp) {
		row->data_parallel_size = tp;
		row->tensor_parallel_size = 1;
	}
	if (is_apart && take_pools(r, row, o) < 0)
		return -1;
	if (spec && *spec && strcmp(spec, "none") != 0 &&
	    asprintf(&row->flags, "SPEC_DECODING_%s", spec) < 0)
		row->flags = NULL;
	for (char *s = row->flags; s && *s; s++)
		*s = (char)toupper((uint8_t)*s);
	return 0;
}

/* ---- a run ---- */

/* Adds the row of a run. */
static int add(struct result *r, const json_t *o)
{
	static const char *const name[N_RUN_LATENCIES][2] = {
	    {"ttft", "ttft"}, {"tpot", "tpot"}, {"e2el", "e2el"}};
	static const struct result_field field[] = {
	    RESULT_NUMBER(concurrency, "conc|max_concurrency"),
	    RESULT_NUMBER(input_tokens, "isl"),
	    RESULT_NUMBER(output_tokens, "osl"),
	    RESULT_NUMBER(duration_s, "duration"),
	    RESULT_NUMBER(num_requests, "completed"),
	    RESULT_NUMBER(output_throughput, "output_throughput"),
	};
	const json_t *figures = json_object_get(o, "metrics");
	struct measured_row *row = result_row(r, 0);
	if (!row)
		return -1;
	double in, out;
	if (RESULT_TAKE(r, row, o, field) < 0 ||
	    result_figure(r, o, "total_input_tokens", &in) < 0 ||
	    result_figure(r, o, "total_output_tokens", &out) < 0 ||
	    take_servers(r, row, o) < 0)
		return -1;
	double n = row->num_requests;
	row->origin = strdup("inferencex");
	row->arrival = strdup("closed loop, fixed concurrency");
	if (isnan(row->input_tokens))
		row->input_tokens = in / n;
	if (isnan(row->output_tokens))
		row->output_tokens = out / n;
	if (result_flat_times(r, row, figures ? figures : o, name, 0) < 0)
		return -1;
	return isnan(n) ? result_check_times(r, row) : result_check(r, row);
}

static int is(const json_t *o)
{
	return result_member(o, "conc|max_concurrency") &&
	       result_member(o, "median_ttft|mean_ttft|metrics.median_ttft|"
				"metrics.mean_ttft");
}

const struct result_format result_inferencex = {
    "InferenceX (conc, median_ttft …)", is, add};
