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

int main(void)
{
	nothing_told();
	all_told();
	free(text);
	names_free(&missing);
	return done();
}
