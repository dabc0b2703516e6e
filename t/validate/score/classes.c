/* Groups of measured rows: each by what the row, its model or its prediction
 * says. */
#include "validate/score/classes.h"
#include "validated.h"

/* What row 0 has in a grouping. */
static const char *value(const char *name)
{
	static char text[80];
	snprintf(text, sizeof text, "(no such grouping)");
	for (size_t i = 0; i < n_groupings; i++)
		if (!strcmp(grouping[i].name, name))
			grouping[i].value(&validated, 0, 0, text, sizeof text);
	return text;
}

static struct measured_row *row(void)
{
	validated_fresh();
	return &validated_row[0];
}

static void of_names(void)
{
	struct measured_row *r = row();
	is(value("model"), "llama", "a model without its publisher");
	is(value("GPU"), "H100", "a GPU without a remark");
	is(value("workload"), "-", "a workload that is not told");
	r->workload = TEXT("chat");
	is(value("workload"), "chat", "and one that is");
	r->model = r->gpu = NULL;
	is(value("model"), "-", "no model");
	is(value("GPU"), "-", "no GPU");
	r->gpu = TEXT("A100(40GB)");
	is(value("GPU"), "A100", "a bracket ends the name too");
}

static void of_engines(void)
{
	struct measured_row *r = row();
	is(value("engine"), "-", "an engine that is not told");
	r->engine = TEXT("vllm");
	is(value("engine"), "vllm unknown", "without its version");
	r->engine_version = TEXT("0.11.2");
	is(value("engine"), "vllm 0.11", "major and minor version");
	r->engine_version = TEXT("1");
	is(value("engine"), "vllm 1", "as far as it goes");
}

static void of_splits(void)
{
	struct measured_row *r = row();
	is(value("tensor parallel size"), "1", "one GPU");
	is(value("split"), "-", "without any other split");
	r->tensor_parallel_size = NAN;
	is(value("tensor parallel size"), "-", "a row that does not say");
	r->tensor_parallel_size = 2;
	r->data_parallel_size = 4;
	r->expert_parallel_size = 8;
	is(value("split"), "tp 2, ep 8, dp 4, pp 1", "a split in all ways");
}

/* By Little's law 4 requests/s that stay 1 s are 4 at a time. */
static void of_loads(void)
{
	struct measured_row *r = row();
	double *e2el_ms = &r->time[RUN_E2EL].of[STATISTIC_MEAN];
	*e2el_ms = 1000;
	is(value("load"), "0-4 in flight", "four in flight");
	*e2el_ms = 1001;
	is(value("load"), "5-32 in flight", "more than four");
	*e2el_ms = 8000;
	is(value("load"), "5-32 in flight", "thirty-two");
	*e2el_ms = 8001;
	is(value("load"), "33 and more in flight", "more than that");
	r->concurrency = 3;
	is(value("load"), "0-4 in flight", "clients are counted where told");
	r->concurrency = NAN;
	r->request_rate = NAN;
	is(value("load"), "-", "neither is known");
}

static void of_models(void)
{
	sc_layers dense = {.n_layers = 20,
			   .ffn_format = SC_BF16,
			   .attn_format = SC_BF16,
			   .ffn_bits = 16};
	sc_layers moe = {.n_layers = 30,
			 .n_experts = 8,
			 .attn_format = SC_FP8,
			 .ffn_format = SC_FP8,
			 .expert_format = SC_FP8,
			 .ffn_bits = 8,
			 .expert_bits = 8,
			 .attn_bits = 8};
	const sc_layers *group[] = {&dense, &moe};
	row();
	is(value("kind"), "-", "no model is known");
	validated_config.model.view.group = group;
	validated_config.model.view.n_groups = 1;
	is(value("kind"), "dense", "layers without experts");
	is(value("weights"), "bf16", "their format");
	validated_config.model.view.n_groups = 2;
	is(value("kind"), "mixture of experts", "most layers have experts");
	is(value("weights"), "fp8", "one format of all");
	moe.ffn_bits = 8.001;
	is(value("weights"), "fp8 in blocks", "with scales for blocks");
	moe.expert_format = SC_FP4;
	moe.expert_bits = 4.5;
	is(value("weights"), "nvfp4 experts, fp8 attention", "two formats");
	moe.expert_bits = 4.25;
	is(value("weights"), "mxfp4 experts, fp8 attention",
	   "by the bits that scales take");
	moe.attention = SC_ATTN_MLA;
	is(value("kind"), "MLA", "MLA goes before experts");
	validated_trial[0] = SIZE_MAX;
	is(value("kind"), "-", "a row that was not simulated");
	validated_trial[0] = 0;
	memset(&validated_config, 0, sizeof validated_config);
}

static void of_tables(void)
{
	row();
	double *us = validated_is[0][0].coverage_us;
	is(value("tables"), "-", "no table was asked");
	us[SC_EXACT] = 10, us[SC_CLAMPED] = 5, us[SC_SUBSTITUTED] = 15;
	is(value("tables"), "own tables of most kernels", "half is its own");
	us[SC_SUBSTITUTED] = 16;
	is(value("tables"), "others' tables of most kernels", "less than half");
	us[SC_FALLBACK] = 16;
	is(value("tables"), "formulas for most kernels",
	   "half of that guessed");
	validated_is[0][0].priced = 0;
	is(value("tables"), "-", "a row that has no price");
}

/* The same of the groupings of rows apart. */
static const char *apart(const char *name)
{
	static char text[80];
	for (size_t i = 0; i < n_apart_groupings; i++)
		if (!strcmp(apart_grouping[i].name, name))
			apart_grouping[i].value(&validated, 0, 0, text,
						sizeof text);
	return text;
}

static void of_pools(void)
{
	struct measured_row *r = row();
	r->draft_tokens = NAN;
	is(apart("decode"), "-", "a split that is not told");
	is(apart("drafts"), "none", "without drafts");
	is(apart("certainty"), "-", "without facts");
	r->pool[MEASURED_DECODE].attention_dp = TEXT("yes");
	r->engine = TEXT("trtllm");
	r->engine_version = TEXT("1.2");
	r->draft_tokens = 2;
	r->certainty = TEXT("launch entry");
	is(apart("decode"), "attention-DP", "each rank has its own requests");
	r->pool[MEASURED_DECODE].attention_dp = TEXT("no");
	is(apart("decode"), "TP", "or all have the same");
	is(apart("engine"), "trtllm", "an engine of any version");
	is(apart("drafts"), "2, acceptance assumed", "drafts");
	is(apart("certainty"), "launch entry", "how sure the facts are");
}

int main(void)
{
	of_pools();
	of_names();
	of_engines();
	of_splits();
	of_loads();
	of_models();
	of_tables();
	return done();
}
