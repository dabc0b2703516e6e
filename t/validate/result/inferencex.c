/* Reads results of InferenceX. */
#include "results_read.h"

static void alone(void)
{
	ok(read_text("[{'hw': 'h200-cw_3', 'conc': 4,"
		     "'image': 'vllm/vllm-openai:v0.11.0', 'model': 'm/x',"
		     "'framework': 'dynamo-vllm', 'precision': 'fp8',"
		     "'spec_decoding': 'none', 'disagg': false, 'isl': 1024,"
		     "'osl': 512, 'tp': 8, 'ep': 1, 'dp_attention': 'false',"
		     "'mean_ttft': 0.06, 'median_ttft': 0.05,"
		     "'p99_ttft': 0.2, 'median_tpot': 0.005,"
		     "'mean_e2el': 4.5}]") == 0,
	   "a result: %s", p.text);
	const struct measured_row *r = &m.row[0];
	is(r->gpu, "H200", "the GPU is the first part of the runner's name");
	ok(!strcmp(r->engine, "vllm") && !strcmp(r->engine_version, "0.11.0") &&
	       !strcmp(r->dtype, "fp8") && !strcmp(r->model, "m/x") &&
	       !strcmp(r->mode, "agg") && !r->flags,
	   "the engine");
	ok(r->concurrency == 4 && r->input_tokens == 1024 &&
	       r->output_tokens == 512 && r->tensor_parallel_size == 8 &&
	       r->gpu_count == 8 && isnan(r->data_parallel_size),
	   "the load and the ranks");
	ok(time_of(RUN_TTFT, STATISTIC_MEAN) == 60 &&
	       time_of(RUN_TTFT, STATISTIC_P50) == 50 &&
	       time_of(RUN_TTFT, STATISTIC_P99) == 200 &&
	       time_of(RUN_TPOT, STATISTIC_P50) == 5 &&
	       isnan(time_of(RUN_TPOT, STATISTIC_MEAN)) &&
	       time_of(RUN_E2EL, STATISTIC_MEAN) == 4500,
	   "times are in s");
}

static void apart(void)
{
	ok(read_text("{'hardware': 'gb200_nvl72', 'conc': 512, 'disagg': true,"
		     "'framework': 'dynamo-trt', 'spec_method': 'mtp',"
		     "'num_prefill_gpu': 8, 'num_decode_gpu': 16,"
		     "'prefill_tp': 4, 'prefill_num_workers': 2,"
		     "'decode_tp': 16, 'decode_ep': 16,"
		     "'decode_num_workers': 1, 'decode_dp_attention': 'true',"
		     "'isl': 1, 'osl': 2, 'metrics': {'median_ttft': 2}}") == 0,
	   "a row of the database: %s", p.text);
	const struct measured_row *r = &m.row[0];
	ok(!strcmp(r->gpu, "GB200") && !strcmp(r->engine, "trtllm") &&
	       measured_is_apart(r) && r->gpu_count == 24,
	   "prefill and decode apart");
	ok(r->pool[MEASURED_PREFILL].workers == 2 &&
	       r->pool[MEASURED_DECODE].tp == 16 &&
	       !strcmp(r->pool[MEASURED_DECODE].ep, "16") &&
	       !strcmp(r->pool[MEASURED_DECODE].attention_dp, "yes") &&
	       !r->pool[MEASURED_PREFILL].attention_dp,
	   "the pools");
	is(r->flags, "SPEC_DECODING_MTP", "speculation is a flag");
	ok(time_of(RUN_TTFT, STATISTIC_P50) == 2000, "its figures");
}

int main(void)
{
	alone();
	apart();
	refused("{'conc': 4, 'mean_ttft': null, 'median_ttft': 'x'}",
		"r.json:1: median_ttft must be a number of s, at least 0");
	refused("{'conc': 4, 'mean_ttft': 1, 'disagg': 'maybe'}",
		"r.json:1: disagg must be true or false");
	ok(read_text("{'conc': 4, 'mean_ttft': 1, 'disagg': ''}") == 0 &&
	       !strcmp(m.row[0].mode, "agg"),
	   "an empty text is false: %s", p.text);
	refused("{'conc': 4, 'mean_ttft': 1, 'decode_dp_attention': 2}",
		"r.json:1: dp_attention must be true or false");
	refused("{'conc': 4, 'mean_ttft': 1, 'disagg': true, 'prefill_tp': -1}",
		"r.json:1: prefill_tp must be a number, at least 0");
	refused("{'conc': 4, 'mean_ttft': -1}",
		"r.json:1: mean_ttft must be a number of s, at least 0");
	measured_free(&m);
	return done();
}
