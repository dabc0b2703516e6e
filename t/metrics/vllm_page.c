/* vllm_page.c -- A page of a server: its cache, drafts and histograms. */
#include "metrics/vllm_page.h"
#include "tap.h"

static struct problem p;

static int page(struct vllm_page *v, const char *text)
{
	static char copy[4][4000];
	static int at;
	char *to = copy[at++ % 4];
	snprintf(to, sizeof *copy, "%s", text);
	p = (struct problem){0};
	return vllm_page_read(v, to, strlen(to), "f", &p);
}

#define ENGINE(n, a, b)                                                        \
	"vllm:e2e_request_latency_seconds_bucket{engine=\"" n                  \
	"\",model_name=\"m/x\",le=\"1.0\"} " a "\n"                            \
	"vllm:e2e_request_latency_seconds_bucket{engine=\"" n                  \
	"\",model_name=\"m/x\",le=\"+Inf\"} " b "\n"                           \
	"vllm:e2e_request_latency_seconds_sum{engine=\"" n                     \
	"\",model_name=\"m/x\"} 4.0\n"
static const char cache[] =
    "vllm:cache_config_info{block_size=\"16\",cache_dtype=\"fp8_e4m3\","
    "enable_prefix_caching=\"True\",num_gpu_blocks=\"9271\","
    "gpu_memory_utilization=\"None\",engine=\"0\"} 1.0\n";
static const char drafts[] =
    "vllm:spec_decode_num_drafts_total{engine=\"0\"} 10.0\n"
    "vllm:spec_decode_num_accepted_tokens_per_pos_total{engine=\"0\","
    "position=\"0\"} 8.0\n"
    "vllm:spec_decode_num_accepted_tokens_per_pos_total{engine=\"0\","
    "position=\"1\"} 5.0\n"
    "vllm:spec_decode_num_accepted_tokens_per_pos_total{engine=\"0\","
    "position=\"-1\"} 5.0\n";

static void cache_and_drafts(void)
{
	struct vllm_page v;
	char text[2000];
	snprintf(text, sizeof text, "%s%s", cache, drafts);
	ok(page(&v, text) == 0, "a page without requests %s", p.text);
	is(v.cache[VLLM_BLOCK_SIZE], "16", "block size");
	is(v.cache[VLLM_GPU_BLOCKS], "9271", "blocks");
	is(v.cache[VLLM_CACHE_DTYPE], "fp8_e4m3", "format");
	is(v.cache[VLLM_MEMORY_UTILIZATION], "", "None is not told");
	ok(v.positions == 2 && v.accepted_at[1] == 5 &&
	       v.counter[VLLM_DRAFTS] == 10,
	   "drafts");
	ok(isnan(v.counter[VLLM_PREFIX_HITS]) && v.requests == 0, "the rest");
	vllm_page_free(&v);
}

static void engines(void)
{
	struct vllm_page v, before;
	ok(page(&v, ENGINE("0", "3", "4") "kserve_" ENGINE("1", "1", "2")) == 0,
	   "two engines %s", p.text);
	ok(v.engines == 2 && v.requests == 6 && v.of[VLLM_E2EL].count[0] == 4,
	   "are added up");
	is(v.model, "m/x", "their model");
	ok(page(&before, ENGINE("0", "2", "2")) == 0 &&
	       vllm_page_since(&v, &before, &p) == 0 && v.requests == 4 &&
	       v.of[VLLM_E2EL].sum == 4,
	   "since an earlier page");
	ok(vllm_page_since(&before, &v, &p) < 0 &&
	       strstr(p.text, "e2e_request"),
	   "%s", p.text);
	vllm_page_free(&v), vllm_page_free(&before);
}

/* vLLM reports 0 as the time per output token of requests of one token. */
static void single_tokens(void)
{
	struct vllm_page v;
	ok(page(&v,
		"vllm:request_generation_tokens_bucket{le=\"1.0\"} 2\n"
		"vllm:request_generation_tokens_bucket{le=\"+Inf\"} 5\n"
		"vllm:request_generation_tokens_sum 50\n"
		"vllm:request_time_per_output_token_seconds_bucket{le="
		"\"0.01\"} 3\n"
		"vllm:request_time_per_output_token_seconds_bucket{le="
		"\"+Inf\"} 5\n"
		"vllm:request_time_per_output_token_seconds_sum 0.6\n") == 0,
	   "requests of one token %s", p.text);
	near(histogram_mean(&v.of[VLLM_TPOT]), 0.2, 1e-12,
	     "have no time per output token");
	vllm_page_free(&v);
}

static void refused(const char *text, const char *part)
{
	struct vllm_page v;
	ok(page(&v, text) < 0 && p.code == EXIT_INPUT && strstr(p.text, part),
	   "%s", p.text);
	vllm_page_free(&v);
}

int main(void)
{
	cache_and_drafts();
	engines();
	single_tokens();
	refused("", "no metric of vLLM");
	refused("python_info{a=\"b\"} 1\n", "no metric of vLLM");
	refused("vllm:x{model_name=\"a\"} 1\nvllm:x{model_name=\"b\"} 1\n",
		"f:2: metrics of two models, a and b");
	refused("vllm:request_prompt_tokens_bucket{} 1\n", "label le");
	refused("vllm:request_prompt_tokens_bucket{le=\"x\"} 1\n", "label le");
	refused("vllm:request_prompt_tokens_bucket{le=\"1\"} 1\n", "cut short");
	refused("<html>\n", "f:1: not NAME");
	return done();
}
