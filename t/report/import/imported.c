/* imported.c -- A configuration of the settings that are told, and remarks on
 * the others. */
#include "report/import/imported.h"
#include "base/ini.h"
#include "tap.h"

static char *text;
static size_t size;
static struct names missing;

static int write_it(struct imported *x)
{
	free(text);
	names_free(&missing);
	x->missing = &missing;
	FILE *f = open_memstream(&text, &size);
	int rc = imported_write(x, f);
	fclose(f);
	return rc;
}

static void says(const char *section, const char *key, const char *value)
{
	struct ini c = {0};
	struct problem p;
	if (ini_read(&c, text, size, &p) < 0)
		bail_out(p.text);
	const char *is = ini_get(&c, section, key);
	ok(value ? is && !strcmp(is, value) : !is, "%s.%s = %s", section, key,
	   is ? is : "(not told)");
	ini_free(&c);
}

static void nothing_told(void)
{
	struct vllm_page page = {.path = "f"};
	struct imported x = {.page = &page, .page_path = "f"};
	for (int i = 0; i < N_VLLM_COUNTERS; i++)
		page.counter[i] = NAN;
	ok(write_it(&x) == 0, "a page that tells nothing");
	says("model", "config", NULL);
	says("engine", "tensor_parallel_size", NULL);
	says("workload", "request_rate", NULL);
	says("engine", "preset", "vllm-2026-07");
	ok(names_have(&missing, "model.config") &&
	       names_have(&missing, "hardware.config") &&
	       names_have(&missing, "engine.preset") &&
	       names_have(&missing, "request_rate") &&
	       names_have(&missing, "input_tokens") &&
	       names_have(&missing, "max_num_seqs"),
	   "each is named");
	ok(strstr(text, ";? tensor_parallel_size = 1 "),
	   "with what holds until then");
}

static void all_told(void)
{
	struct vllm_page page = {
	    .path = "f", .engines = 2, .requests = 40, .positions = 2};
	struct vllm_log log;
	struct problem p;
	static const char lines[] =
	    "non-default args: {'max_num_seqs': 7, 'enforce_eager': True}\n"
	    "LLM engine (v0.24.0) with config: model='m', max_seq_len=4096, "
	    "tensor_parallel_size=2, kv_cache_dtype=fp8, quantization=fp8, "
	    "speculative_config=C(method='deepseek_mtp', num_spec_tokens=2)\n";
	struct histogram *in = &page.of[VLLM_INPUT];
	if (vllm_log_read(&log, lines, strlen(lines), "l", &p) < 0)
		bail_out(p.text);
	for (int i = 0; i < N_VLLM_COUNTERS; i++)
		page.counter[i] = 100;
	page.counter[VLLM_PROMPT_CACHED] = 25;
	page.accepted_at[0] = 80, page.accepted_at[1] = 50;
	histogram_add(in, 1, 0), histogram_add(in, 2, 10);
	histogram_add(in, 5, 40), histogram_add(in, INFINITY, 40);
	in->sum = 140;
	histogram_finish(in);
	snprintf(page.cache[VLLM_GPU_BLOCKS], VLLM_TEXT, "123");
	struct imported x = {.page = &page,
			     .log = &log,
			     .page_path = "f",
			     .log_path = "l",
			     .model_id = "m",
			     .model = "llama-3.1-8b",
			     .gpu_id = "G",
			     .gpu = "h100-sxm",
			     .preset = "vllm-0.24"};
	ok(write_it(&x) == 0, "a server that tells all");
	says("model", "quantization", "fp8");
	says("engine", "preset", "vllm-0.24");
	says("engine", "data_parallel_size", "2");
	says("engine", "tensor_parallel_size", "2");
	says("engine", "max_num_seqs", "7");
	says("engine", "max_num_batched_tokens", NULL);
	says("engine", "max_model_len", "4096");
	says("engine", "num_gpu_blocks", "123");
	says("engine", "kv_cache_dtype", "fp8");
	says("engine", "graph_max_tokens", "0");
	says("engine", "num_speculative_tokens", "2");
	says("engine", "speculative_method", "mtp");
	says("engine", "synthetic_acceptance_rates", "0.8,0.5");
	says("workload", "request_rate", NULL);
	says("workload", "num_requests", "1000");
	says("workload", "input_tokens", "histogram:mean=3.5,1=0,2=10,5=30");
	says("workload", "shared_prefix_tokens", "1");
	ok(!names_have(&missing, "max_num_batched_tokens"),
	   "what was not given to the server has its default");
	histogram_free(in);
}

/* What a log or a label of the page says, and what becomes of it. */
static const struct setting {
	const char *model; /* our name of it; NULL: not known */
	const char *log;   /* of the server's configuration */
	int label;         /* of the page, and its text; NULL: none */
	const char *text;
	const char *key;    /* SECTION.KEY */
	const char *value;  /* NULL: there is no such line */
	const char *remark; /* somewhere; NULL: none is looked for */
} setting[] = {
#define CONFIG(log, key, value, remark)                                        \
	{                                                                      \
		"llama-3.1-8b", log, 0, NULL, key, value, remark               \
	}
#define LABEL(label, text, log, key, value, remark)                            \
	{                                                                      \
		"llama-3.1-8b", log, label, text, key, value, remark           \
	}
    CONFIG("quantization=modelopt_fp4", "model.quantization", "fp4", NULL),
    CONFIG("quantization=ptpc_fp8", "model.quantization", "fp8", NULL),
    CONFIG("quantization=modelopt", "model.quantization", "fp8", NULL),
    CONFIG("quantization=awq_marlin", "model.quantization", "int4", NULL),
    CONFIG("quantization=gptq", "model.quantization", "int4", NULL),
    CONFIG("quantization=mxfp4", "model.quantization", NULL, NULL),
    CONFIG("quantization=None", "model.quantization", NULL, NULL),
    CONFIG("quantization=rtn", "model.quantization", NULL,
	   ";? model.quantization = "),
    {"llama-3.1-8b-fp8", "quantization=fp8", 0, NULL, "model.quantization",
     NULL, NULL},
    {"llama-3.1-8b-fp8", "quantization=rtn", 0, NULL, "model.quantization",
     NULL, NULL},
    {"llama-3.1-8b-int4", "quantization=rtn", 0, NULL, "model.quantization",
     NULL, NULL},
    {"./config.json", "quantization=fp8", 0, NULL, "model.quantization", NULL,
     NULL},
    {NULL, "quantization=fp8", 0, NULL, "model.quantization", NULL,
     "no model is known as m: give its config.json"},
    CONFIG("data_parallel_size=4", "engine.data_parallel_size", "4", NULL),
    CONFIG("data_parallel_size=1", "engine.data_parallel_size", NULL, NULL),
    CONFIG("enable_expert_parallel=True", "engine.enable_expert_parallel",
	   "true", NULL),
    CONFIG("enable_expert_parallel=False", "engine.enable_expert_parallel",
	   NULL, NULL),
    CONFIG("long_prefill_token_threshold=512",
	   "engine.long_prefill_token_threshold", "512", NULL),
    CONFIG("scheduling_policy='priority'", "engine.scheduling_policy",
	   "priority", NULL),
    CONFIG("scheduling_policy='fcfs'", "engine.scheduling_policy", NULL, NULL),
    CONFIG("max_num_seqs=None", "engine.max_num_seqs", NULL,
	   ";? max_num_seqs = "),
    CONFIG("block_size=32", "engine.block_size", "32", NULL),
    CONFIG("enable_prefix_caching=True", "engine.enable_prefix_caching", "true",
	   NULL),
    CONFIG("enable_prefix_caching=False", "engine.enable_prefix_caching",
	   "false", NULL),
    CONFIG("kv_cache_dtype=auto", "engine.kv_cache_dtype", NULL, NULL),
    CONFIG("kv_cache_dtype=bfloat16", "engine.kv_cache_dtype", "bfloat16",
	   NULL),
    CONFIG("kv_cache_dtype=float16", "engine.kv_cache_dtype", "bfloat16", NULL),
    CONFIG("kv_cache_dtype=fp8_e5m2", "engine.kv_cache_dtype", "fp8", NULL),
    CONFIG("kv_cache_dtype=int8", "engine.kv_cache_dtype", NULL,
	   ";? kv_cache_dtype = auto"),
    CONFIG("async_scheduling=True", "engine.async_scheduling", "true", NULL),
    CONFIG("async_scheduling=False", "engine.async_scheduling", "false", NULL),
    CONFIG("enforce_eager=False", "engine.graph_max_tokens", NULL, NULL),
    CONFIG("compilation_config={'max_cudagraph_capture_size': 512}",
	   "engine.graph_max_tokens", "512", NULL),
    CONFIG("compilation_config={'max_cudagraph_capture_size': 0}",
	   "engine.graph_max_tokens", NULL, NULL),
    CONFIG("chunked_prefill_enabled=False", "engine.block_size", NULL,
	   "does not split prompts into chunks"),
    CONFIG("kv_transfer_config=C()", "engine.block_size", NULL,
	   "sends or receives KV caches"),
    CONFIG("enable_lora=True", "engine.block_size", NULL, "LoRA adapters"),
    CONFIG("speculative_config=C(num_spec_tokens=3, method='eagle3')",
	   "engine.speculative_method", "eagle", NULL),
    CONFIG("speculative_config=C(num_spec_tokens=3, method='ngram_gpu')",
	   "engine.speculative_method", "ngram", NULL),
    CONFIG("speculative_config=C(num_spec_tokens=3, method='draft_model')",
	   "engine.speculative_method", "draft_model", NULL),
    CONFIG("speculative_config=C(num_spec_tokens=3, method='medusa')",
	   "engine.speculative_method", NULL, ";? speculative_method = eagle"),
    CONFIG("speculative_config=C(num_spec_tokens=3, method='eagle')",
	   "engine.synthetic_acceptance_rates", "0.5,0.25,0", NULL),
    LABEL(VLLM_BLOCK_SIZE, "64", "block_size=32", "engine.block_size", "64",
	  NULL),
    LABEL(VLLM_BLOCK_SIZE, "many", "", "engine.block_size", NULL,
	  ";? block_size = "),
    LABEL(VLLM_BLOCK_SIZE, "8 B", "", "engine.block_size", NULL,
	  ";? block_size = "),
    LABEL(VLLM_GPU_BLOCKS, "0", "", "engine.num_gpu_blocks", NULL,
	  ";? num_gpu_blocks = "),
    LABEL(VLLM_PREFIX_CACHING, "True", "", "engine.enable_prefix_caching",
	  "true", NULL),
    LABEL(VLLM_PREFIX_CACHING, "False", "enable_prefix_caching=True",
	  "engine.enable_prefix_caching", "false", NULL),
    LABEL(VLLM_CACHE_DTYPE, "fp8", "kv_cache_dtype=auto",
	  "engine.kv_cache_dtype", "fp8", NULL),
};

static void each_setting(void)
{
	for (size_t i = 0; i < sizeof setting / sizeof *setting; i++) {
		const struct setting *s = &setting[i];
		struct vllm_page page = {.path = "f", .positions = 2};
		struct vllm_log log;
		struct problem p;
		char lines[400], section[40];
		snprintf(lines, sizeof lines,
			 "LLM engine (v0.24.0) with config: model='m', %s\n",
			 s->log);
		if (vllm_log_read(&log, lines, strlen(lines), "l", &p) < 0)
			bail_out(p.text);
		for (int c = 0; c < N_VLLM_COUNTERS; c++)
			page.counter[c] = 4;
		page.accepted_at[0] = 2, page.accepted_at[1] = 1;
		if (s->text)
			strcpy(page.cache[s->label], s->text);
		struct imported x = {.page = &page,
				     .log = &log,
				     .page_path = "f",
				     .model_id = "m",
				     .model = s->model,
				     .preset = "vllm-0.24"};
		size_t n = strcspn(s->key, ".");
		snprintf(section, sizeof section, "%.*s", (int)n, s->key);
		ok(write_it(&x) == 0, "%s %s", s->log, s->text ? s->text : "");
		says(section, s->key + n + 1, s->value);
		ok(!s->remark || strstr(text, s->remark), "says '%s'",
		   s->remark ? s->remark : "");
	}
}

/* A server that drafts, but has not yet. */
static void no_drafts_yet(void)
{
	struct vllm_page page = {.path = "f", .positions = 2};
	struct imported x = {.page = &page, .page_path = "f"};
	ok(write_it(&x) == 0 && names_have(&missing, "num_speculative_tokens"),
	   "drafts are asked for");
	page.counter[VLLM_DRAFTS] = 10;
	page.accepted_at[0] = 5, page.accepted_at[1] = 8;
	ok(write_it(&x) == 0 && names_have(&missing, "speculative_method") &&
	       names_have(&missing, "draft_us"),
	   "and the method");
	says("engine", "num_speculative_tokens", "2");
	says("engine", "synthetic_acceptance_rates", "0.5,0.5");
}

int main(void)
{
	nothing_told();
	all_told();
	each_setting();
	no_drafts_yet();
	free(text);
	names_free(&missing);
	return done();
}
