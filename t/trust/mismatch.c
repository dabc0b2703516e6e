/* Which keys of a run no scored run had. */
#include "trust/mismatch.h"
#include "config_of.h"
#include "tap.h"

static struct config c;
static struct scored scored;

static const char *keys_of(const char *more)
{
	static char text[MISMATCH_TEXT];
	char ini[1000];
	snprintf(ini, sizeof ini,
		 "[model]\nconfig=llama-3.1-8b\n[hardware]\n"
		 "config=h100-sxm\n" CONFIG_ONE_BY_ONE
		 "[cost_model:a]\nplugin=const_step\nbase_us=5\n%s",
		 more);
	config_free(&c);
	config_good(&c, ini);
	return mismatch_scored(text, &c, 0, &scored);
}

static void add(const char *engine_keys)
{
	struct scored_row x = {
	    .source_row = (char *)"", .metric = (char *)"", .fold = (char *)""};
	snprintf(x.engine_keys, sizeof x.engine_keys, "%s", engine_keys);
	if (scored_add(&scored, &x) < 0)
		bail_out("out of memory");
}

static void gpus(void)
{
	is(keys_of(""), "", "nothing is changed");
	is(keys_of("[hardware]\nmemory_bandwidth_tbs=10\n"),
	   "memory_bandwidth_tbs 10 (h100-sxm: 3.35; such GPUs: 2 to 4.8)",
	   "a number of the file");
	is(keys_of("hardware.bf16_tflops=5000\n"),
	   "bf16_tflops 5000 (h100-sxm: 989; such GPUs: 756.5 to 989)",
	   "by an arm's own key");
	is(keys_of("[hardware]\nmemory_bandwidth_tbs=3.35\nusd_per_hour=9\n"),
	   "", "not the same number, and not the price");
	scratch_file("h100-new.ini", "[hardware]\nbf16_tflops=989\n"
				     "memory_bandwidth_tbs=9\nmemory_gib=80\n");
	is(keys_of("hardware.config=./h100-new.ini\n"),
	   "memory_bandwidth_tbs 9 (such GPUs: 2 to 4.8)",
	   "a file of one's own, beside its family");
}

static void models(void)
{
	is(keys_of("[model]\nnum_hidden_layers=2\nhidden_size=4096\n"),
	   "num_hidden_layers 2 (llama-3.1-8b: 32)", "a key of the model");
	is(keys_of("[model]\nmax_position_embeddings=4096\n"), "",
	   "not the longest request");
}

static void engines(void)
{
	is(keys_of("[engine]\nmax_num_seqs=1\nblock_size=64\n"),
	   "max_num_seqs 1 (scored: 32 to 1024), block_size 64 (scored: 16)",
	   "beside the defaults of the engine and what was scored");
	is(keys_of("[engine]\nmax_num_seqs=32\nenable_prefix_caching=true\n"
		   "num_gpu_blocks=5000\ntensor_parallel_size=2\n"
		   "schedule_us=100\n"),
	   "", "not in the range, and not what other properties stand for");
	is(keys_of("engine.scheduling_policy=priority\n"
		   "engine.graph_max_tokens=0\n"),
	   "scheduling_policy priority (scored: fcfs), graph_max_tokens 0 "
	   "(scored: auto)",
	   "words");
	is(keys_of("engine.kv_cache_dtype=fp8\n"), "",
	   "a format that a scored run had");
	is(keys_of("engine.kv_cache_dtype=bfloat16\n"),
	   "kv_cache_dtype bfloat16 (scored: auto, fp8)", "or not");
	is(keys_of("engine.preset=sglang\nengine.page_size=64\n"),
	   "page_size 64 (scored: 1)", "another engine has its own defaults");
}

int main(void)
{
	scratch_open();
	is(keys_of("[engine]\nmax_num_seqs=1\n"), "", "nothing was scored");
	add("max_num_seqs=128;kv_cache_dtype=fp8");
	add("");
	add("max_num_batched_tokens=64;max_num_seqs=32");
	gpus();
	models();
	engines();
	config_free(&c);
	scored_free(&scored);
	scratch_close();
	return done();
}
