/* Scripts that start a recommended configuration. */
#include "report/recommend/launch.h"
#include "recommended.h"
#include "rendered.h"

static void read_text(struct ini *c, const char *section, const char *lines)
{
	char text[1000];
	snprintf(text, sizeof text, "[%s]\n%s\n", section, lines);
	ini_free(c);
	if (ini_read(c, text, strlen(text), &why) < 0)
		bail_out(why.text);
}

/* Keys of [engine] as the arguments of a server. */
static void each_key(void)
{
	static const struct {
		const char *keys, *has; /* has: "!...": not */
	} row[] = {
	    {"max_num_seqs = 1e2", "  --max-num-seqs 100 "},
	    {"num_gpu_blocks = auto", "!--num-gpu-blocks"},
	    {"gpu_memory_utilization = 0.85",
	     "  --gpu-memory-utilization 0.85 "},
	    {"enable_prefix_caching = true", "  --enable-prefix-caching "},
	    {"enable_prefix_caching = 1", "  --enable-prefix-caching "},
	    {"enable_prefix_caching = yes", "  --enable-prefix-caching "},
	    {"enable_prefix_caching = on", "  --enable-prefix-caching "},
	    {"enable_prefix_caching = false", "  --no-enable-prefix-caching "},
	    {"disable_hybrid_kv_cache_manager = true",
	     "  --disable-hybrid-kv-cache-manager "},
	    {"disable_hybrid_kv_cache_manager = false",
	     "!--disable-hybrid-kv-cache-manager"},
	    {"data_parallel_size = 2", "  --data-parallel-size 2 "},
	    {"data_parallel_size = 2\ntensor_parallel_size = 4",
	     "each on 8 GPUs of its own"},
	    {"enable_expert_parallel = true", "  --enable-expert-parallel "},
	    {"pipeline_parallel_size = 2", "  --pipeline-parallel-size 2 "},
	    {"replicas = 3", "# Start 3 of these, each on 1 GPU of its own"},
	    {"empty_sleep_us = 5\nlora_rank = 4",
	     "# Keys of the simulation that this command line has no flag "
	     "for:\n# "},
	    {"preset = sglang-2026-07\ndata_parallel_size = 2",
	     "  --dp-size 2 "},
	    {"preset = sglang-2026-07\nenable_expert_parallel = true\n"
	     "tensor_parallel_size = 4",
	     "  --ep-size 4 "},
	    {"preset = sglang-2026-07\nenable_expert_parallel = false",
	     "!--ep-size"},
	    {"scheduler = sglang", "exec python3 -m sglang.launch_server"},
	    {"scheduler = tensorrt_llm\nkv_cache_dtype = fp8",
	     "# kv_cache_dtype = fp8: in the file of --config, as "
	     "kv_cache_config.dtype\n"},
	    {"scheduler = tensorrt_llm\ndata_parallel_size = 2\nreplicas = 3",
	     "# Start 6 of these, each on 1 GPU of its own"},
	};
	struct ini c = {0};
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct launch_command l;
		int no = row[i].has[0] == '!';
		read_text(&c, "engine", row[i].keys);
		if (launch_command(&l, &recommended, &c, -1, &why) < 0)
			bail_out(why.text);
		launch_server(&l, rendered_begin());
		int has = strstr(rendered_end(), row[i].has + no) != NULL;
		if (!ok(has == !no, "key %zu: %s", i, row[i].has))
			printf("# %s\n# in: %s\n", row[i].keys, rendered_text);
		launch_command_free(&l);
	}
	ini_free(&c);
}

/* A line of a comment stays one line. */
static void keys_without_flag(void)
{
	struct launch_command l = {0};
	if (names_add(&l.no_flag, "a = 1\nrm -r x\r") < 0 ||
	    names_add(&l.no_flag, "b = 2") < 0)
		bail_out("memory");
	launch_keys_without_flag(&l, rendered_begin());
	rendered_has(rendered_end(), "for:\n# a = 1 rm -r x \n# b = 2\n");
	names_free(&l.no_flag);
}

static void each_client(void)
{
	static const struct {
		const char *keys;
		double rate;
		const char *has; /* "!...": not */
	} row[] = {
	    {"input_tokens = 12", 3, "--random-input-len 12 "},
	    {"input_tokens = constant:12", 3, "--request-rate 3 "},
	    {"input_tokens = 12", 0, "!--request-rate"},
	    {"input_tokens = 12", 3, "!--random-range-ratio"},
	    {"input_tokens = 12", 3, "--num-prompts 1000"},
	    {"num_requests = 50", 3, "--num-prompts 50"},
	    {"seed = 9", 3, "--seed 9"},
	    {"input_tokens = uniform:10,30", 3, "--random-input-len 20 "},
	    {"input_tokens = uniform:10,30", 3, "--random-range-ratio 0.5 "},
	    {"input_tokens = uniform:10,30\noutput_tokens = uniform:10,30", 3,
	     "!# The client has one ratio"},
	    {"input_tokens = uniform:10,30\noutput_tokens = 5", 3,
	     "in the simulation answers have 0.\n"},
	    {"input_tokens = uniform:10,30x", 3,
	     "${INPUT_LEN:?tokens; in the simulation uniform:10,30x}"},
	    {"input_tokens = 12x", 3, "in the simulation 12x}"},
	    {"input_tokens = empirical:a`b c", 3,
	     "in the simulation empirical:a_b c}"},
	    {"output_tokens = 12", 3,
	     "${INPUT_LEN:?tokens; in the simulation those of a trace}"},
	};
	struct ini c = {0};
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		int no = row[i].has[0] == '!';
		read_text(&c, "workload", row[i].keys);
		launch_client(&c, row[i].rate, rendered_begin());
		int has = strstr(rendered_end(), row[i].has + no) != NULL;
		if (!ok(has == !no, "client %zu: %s", i, row[i].has))
			printf("# %s\n# in: %s\n", row[i].keys, rendered_text);
	}
	ini_free(&c);
}

int main(void)
{
	struct ini c = {0};
	struct launch_command server;
	scratch_open();
	ask_small();
	recommend_good(RECOMMENDED);
	ok(launch_ini(&c, &recommended, recommended.arm[0].winner, &why) == 0,
	   "the configuration of the winner");
	is(launch_engine(&c), "vllm", "its engine");
	ok(ini_write(&c, rendered_begin(), &why) == 0, "as an INI");
	rendered_has(rendered_end(), "replicas = 2\n");
	ok(launch_command(&server, &recommended, &c, -1, &why) == 0,
	   "a server");
	launch_server(&server, rendered_begin());
	rendered_has(rendered_end(), "exec vllm serve");
	rendered_has(rendered_text, "Start 2 of these");
	rendered_has(rendered_text, "--max-num-seqs 8");
	launch_client(&c, 3, rendered_begin());
	rendered_has(rendered_end(), "--random-input-len 10");
	rendered_has(rendered_text, "--request-rate 3");
	launch_command_free(&server);
	ini_free(&c);
	each_key();
	keys_without_flag();
	each_client();
	recommend_free(&recommended);
	return done();
}
