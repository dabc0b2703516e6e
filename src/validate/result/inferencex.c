/* inferencex.c -- Reads InferenceX's (formerly InferenceMAX) results:
 * agg_*.json of a run, arrays of them, and rows of its database, in which the
 * figures are in `metrics`.  Times are in s.
 *
 * Members as of SemiAnalysisAI/InferenceX @ 843c6254 utils/process_result.py;
 * its benchmark client itself saves what `vllm bench serve` does.  Lengths are
 * the nominal ones. */
#include <config.h>
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

/* vllm, sglang, trt, or one behind a router: dynamo-trt, llm-d-vllm. */
static const char *engine_of(const char *framework)
{
	static const char *const of[][2] = {
	    {"vllm", "vllm"}, {"sglang", "sglang"}, {"trt", "trtllm"}};
	for (size_t i = 0; framework && i < 3; i++)
		if (strstr(framework, of[i][0]))
			return of[i][1];
	return framework;
}

/* Of an image "vllm/vllm-openai:v0.11.0"; NULL: its tag is no version. */
static char *version_of(const json_t *o)
{
	const char *image = json_string_value(result_member(o, "image"));
	const char *tag = image ? strrchr(image, ':') : NULL;
	tag = tag ? tag + 1 : NULL;
	tag += tag && *tag == 'v';
	return tag && isdigit((uint8_t)*tag) ? strndup(tag, strcspn(tag, "-_+"))
					     : NULL;
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

static void take_servers(struct measured_row *row, const json_t *o)
{
	const char *framework =
	    json_string_value(result_member(o, "framework"));
	const char *engine = engine_of(framework);
	const char *spec =
	    json_string_value(result_member(o, "spec_decoding|spec_method"));
	int is_apart = is_true(o, "disagg");
	double tp = result_number(o, "tp|decode_tp");
	double pp = result_number(o, "pp|decode_pp");
	row->mode = strdup(is_apart ? "disagg" : "agg");
	row->model = result_text(o, "model|model_id");
	row->gpu = gpu_of(o);
	row->engine = engine ? strdup(engine) : NULL;
	row->engine_version = version_of(o);
	row->dtype = result_text(o, "precision");
	row->expert_parallel_size = result_number(o, "ep|decode_ep");
	row->tensor_parallel_size = tp;
	row->pipeline_parallel_size = pp;
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
}

/* ---- a run ---- */

/* Times are members of the result, or of its `metrics`. */
static int take_times(const struct result *r, struct measured_row *row,
		      const json_t *o)
{
	char path[160], what[200];
	for (int k = 0; k < N_RUN_LATENCIES; k++)
		for (int i = 0; i < N_STATISTICS; i++) {
			const char *of = statistic_name[i];
			const char * or = i == STATISTIC_P50 ? "median" : of;
			const char *m = latency_name[k];
			snprintf(path, sizeof path,
				 "%s_%s|metrics.%s_%s|%s_%s|metrics.%s_%s", or,
				 m, or, m, of, m, of, m);
			double t = result_number(o, path);
			if (result_member(o, path) &&
			    (!(t >= 0) || !isfinite(1e3 * t))) {
				snprintf(
				    what, sizeof what,
				    "%s_%s must be a number of s, at least 0",
				    or, m);
				return result_fault(r, what);
			}
			row->time[k].of[i] = 1e3 * t;
		}
	return 0;
}

static int add(struct result *r, const json_t *o)
{
	struct measured_row *row = result_row(r, 0);
	if (!row)
		return -1;
	double n = result_number(o, "completed");
	row->origin = strdup("inferencex");
	row->arrival = strdup("closed loop, fixed concurrency");
	row->concurrency = result_number(o, "conc|max_concurrency");
	row->input_tokens = result_number(o, "isl");
	row->output_tokens = result_number(o, "osl");
	row->duration_s = result_number(o, "duration");
	row->num_requests = n;
	if (isnan(row->input_tokens))
		row->input_tokens = result_number(o, "total_input_tokens") / n;
	if (isnan(row->output_tokens))
		row->output_tokens =
		    result_number(o, "total_output_tokens") / n;
	row->output_throughput = result_number(o, "output_throughput");
	take_servers(row, o);
	if (take_times(r, row, o) < 0)
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
