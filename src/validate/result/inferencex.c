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

static int is_true(const json_t *o, const char *path)
{
	const json_t *v = result_member(o, path);
	const char *s = json_string_value(v);
	return json_is_true(v) || (s && !strcasecmp(s, "true"));
}

/* ---- servers ---- */

static void take_pool(struct measured_pool *pool, const json_t *o,
		      const char *role)
{
	char path[60];
#define OF(key) (snprintf(path, sizeof path, "%s_" key, role), path)
	double ep = result_number(o, OF("ep"));
	pool->workers = result_number(o, OF("num_workers"));
	pool->tp = result_number(o, OF("tp"));
	if (asprintf(&pool->ep, "%g", ep) < 0 || !(ep >= 1)) {
		free(pool->ep);
		pool->ep = NULL;
	}
	if (is_true(o, OF("dp_attention")))
		pool->attention_dp = strdup("yes");
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
	int is_apart = is_true(o, "disagg");
	if (RESULT_TAKE(r, row, o, field) < 0)
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
	if (is_true(o, "dp_attention|decode_dp_attention")) {
		row->data_parallel_size = tp;
		row->tensor_parallel_size = 1;
	}
	if (is_apart) {
		row->gpu_count = result_number(o, "num_prefill_gpu") +
				 result_number(o, "num_decode_gpu");
		take_pool(&row->pool[MEASURED_PREFILL], o, "prefill");
		take_pool(&row->pool[MEASURED_DECODE], o, "decode");
	}
	if (spec && *spec && strcmp(spec, "none") != 0 &&
	    asprintf(&row->flags, "SPEC_DECODING_%s", spec) < 0)
		row->flags = NULL;
	for (char *s = row->flags; s && *s; s++)
		*s = (char)toupper((uint8_t)*s);
	return 0;
}

/* ---- a run ---- */

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
