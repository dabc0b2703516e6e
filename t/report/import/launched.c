/* Flags become keys, or are listed. */
#include "report/import/launched.h"
#include "scratch.h"

static struct launched x;
static struct problem p;

static int read_text(const char *text, const char *engine)
{
	char path[] = "/tmp/stepcost-launched-XXXXXX";
	int fd = mkstemp(path);
	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		bail_out(path);
	close(fd);
	launched_free(&x);
	x = (struct launched){.engine = NULL};
	int rc = launched_read(&x, path, engine, &p);
	unlink(path);
	return rc;
}

static void gives(const char *text, const char *key, const char *want)
{
	if (ok(read_text(text, NULL) == 0, "%s", text)) {
		const char *got = ini_get(&x.c, "engine", key);
		is(got ? got : "none", want, "%s", key);
	} else
		printf("# %s\n", p.text);
}

static void lists(const char *text, const char *other)
{
	if (!ok(read_text(text, NULL) == 0 && names_have(&x.other, other), "%s",
		other))
		printf("# %s; %s\n", p.text, x.other.n ? x.other.item[0] : "");
}

static void refused(const char *text, int code, const char *want)
{
	p = (struct problem){0};
	ok(read_text(text, NULL) < 0 && p.code == code && strstr(p.text, want),
	   "%s", p.text);
}

/* Numbers and words of vLLM, each as the value of a key. */
static void each_value(void)
{
	static const struct {
		const char *flag, *value, *key, *want;
	} row[] = {
	    {"max-model-len", "3k", "max_model_len", "3000"},
	    {"max-model-len", "2K", "max_model_len", "2048"},
	    {"max-model-len", "1m", "max_model_len", "1000000"},
	    {"max-model-len", "0.001g", "max_model_len", "1000000"},
	    {"max-model-len", "1e-3G", "max_model_len", "1073741"},
	    {"max-model-len", "3kk", "max_model_len", "none"},
	    {"max-model-len", "3x", "max_model_len", "none"},
	    {"max-model-len", "k", "max_model_len", "none"},
	    {"max-model-len", "1e15k", "max_model_len", "none"},
	    {"max-model-len", "-1", "max_model_len", "none"},
	    {"max-num-seqs", "-1", "max_num_seqs", "none"},
	    {"max-num-seqs", "$N", "max_num_seqs", "none"},
	    {"kv-cache-dtype", "BF16", "kv_cache_dtype", "bfloat16"},
	    {"kv-cache-dtype", "float16", "kv_cache_dtype", "bfloat16"},
	    {"kv-cache-dtype", "half", "kv_cache_dtype", "bfloat16"},
	    {"kv-cache-dtype", "auto", "kv_cache_dtype", "none"},
	    {"enforce-eager", "False", "graph_max_tokens", "none"},
	    {"enforce-eager", "True", "graph_max_tokens", "0"},
	    {"enable-prefix-caching", "TRUE", "enable_prefix_caching", "true"},
	    {"enable-prefix-caching", "FALSE", "enable_prefix_caching",
	     "false"},
	    {"no-enable-prefix-caching", "x", "enable_prefix_caching", "true"},
	    {"sc.method", "eagle3", "speculative_method", "eagle"},
	    {"sc.method", "ngram_gpu", "speculative_method", "ngram"},
	    {"sc.method", "draft_x", "speculative_method", "draft_model"},
	    {"sc.method", "standalone", "speculative_method", "draft_model"},
	    {"sc.method", "NEXTN", "speculative_method", "mtp"},
	    {"sc.method", "deepseek_mtp", "speculative_method", "mtp"},
	    {"sc.method", "medusa", "speculative_method", "none"},
	};
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		char text[200];
		snprintf(text, sizeof text, "vllm serve m --%s=%s", row[i].flag,
			 row[i].value);
		gives(text, row[i].key, row[i].want);
	}
}

/* What SGLang and TensorRT-LLM count for a replica. */
static void each_split(void)
{
	static const struct {
		const char *text, *key, *want;
	} row[] = {
	    {"sglang serve m --tp 4 --dp 2", "tensor_parallel_size", "4"},
	    {"sglang serve m --tp 4 --dp 2 --enable-dp-attention",
	     "tensor_parallel_size", "2"},
	    {"sglang serve m --tp 4 --dp 3 --enable-dp-attention",
	     "tensor_parallel_size", "4"},
	    {"sglang serve m --tp 4 --dp 1 --enable-dp-attention",
	     "tensor_parallel_size", "4"},
	    {"sglang serve m --tp 4 --enable-dp-attention=false --dp 2",
	     "tensor_parallel_size", "4"},
	    {"sglang serve m --ep 1", "enable_expert_parallel", "none"},
	    {"sglang serve m --tp $TP --ep 4", "expert_parallel_size", "4"},
	    {"vllm serve m -tp 4 -dp 2", "tensor_parallel_size", "4"},
	    {"sglang serve m --max-num-seqs 3", "max_num_seqs", "none"},
	    {"sglang serve m --disable-cuda-graph", "graph_max_tokens", "0"},
	};
	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		gives(row[i].text, row[i].key, row[i].want);
}

static void each_pool(void)
{
	static const struct {
		const char *role, *pool;
	} row[] = {{"prefill", "engine:prefill"},
		   {"decode", "engine:decode"},
		   {"null", ""},
		   {"other", ""}};
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		char text[200];
		snprintf(text, sizeof text,
			 "sglang serve m --disaggregation-mode %s",
			 row[i].role);
		ok(read_text(text, NULL) == 0 &&
		       !strcmp(x.pool ? x.pool : "", row[i].pool) &&
		       x.other.n == (i == 3),
		   "the role %s", row[i].role);
	}
	lists("sglang serve m --disaggregation-mode", "--disaggregation-mode");
}

/* Settings that have no key stand as they were written. */
static void each_other(void)
{
	char text[600], name[300];
	memset(name, 'x', 250);
	name[250] = '\0';
	snprintf(text, sizeof text, "vllm serve m --%s", name);
	ok(read_text(text, NULL) == 0 && x.other.n == 1 &&
	       strlen(x.other.item[0]) == 201 - 2,
	   "a long name: %zu", x.other.n ? strlen(x.other.item[0]) : 0);
	static const struct {
		const char *text, *other;
	} row[] = {
	    {"vllm serve m --no-such", "--no-such"},
	    {"vllm serve m --max-num-seqs '{\"a'", "--max-num-seqs {\"a: "
						   "max_num_seqs = {\"a: not "
						   "an integer in [1, 65536]"},
	    {"vllm serve m --port -1 -", "--port -1 -"},
	    {"vllm serve m --top-p -.5", "--top-p -.5"},
	    {"vllm serve m --a b c -d", "--a b c"},
	    {"vllm serve m --config", "--config"},
	    {"A=1 vllm serve m", "A=1 (environment)"},
	    {"tensor-parallel-size: 1\nvllm serve: 3\n", "vllm serve 3"},
	    {"tensor-parallel-size: 1\na: {b: null, c: [1, 2], d: 0.5}\n",
	     "a.c [1,2]"},
	    {"tensor-parallel-size: 1\na: {b: null}\n", "a.b"},
	};
	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		lists(row[i].text, row[i].other);
	ok(read_text("vllm serve m --model n -q fp8 -q int4", NULL) == 0 &&
	       !strcmp(x.model_id, "n") && !strcmp(x.quantization, "int4"),
	   "the last of two counts");
}

/* Files that flags name lie beside the script. */
static void each_file(void)
{
	char text[500];
	scratch_file("a.yaml", "max-num-seqs: 5\nconfig: b.yaml\nport: 1\n");
	scratch_file("bad.yaml", "a: [1\n");
	scratch_file("run.sh", "vllm serve m --config a.yaml\n");
	launched_free(&x);
	x = (struct launched){.engine = NULL};
	ok(launched_read(&x, scratch_path("run.sh"), NULL, &p) == 0 &&
	       !strcmp(ini_get(&x.c, "engine", "max_num_seqs"), "5") &&
	       names_have(&x.other, "config b.yaml"),
	   "a file beside the script, which names no other: %s", p.text);
	snprintf(text, sizeof text, "vllm serve m --config %s",
		 scratch_path("bad.yaml"));
	refused(text, EXIT_INPUT, "bad.yaml:2: not YAML");
	launched_free(&x);
	x = (struct launched){.engine = NULL};
	ok(launched_read(&x, scratch_path("none.sh"), NULL, &p) < 0 &&
	       p.code == EXIT_USAGE && strstr(p.text, "none.sh"),
	   "%s", p.text);
}

/* Tables of a data folder that are not as they should be. */
static void each_table(void)
{
	char *data = strdup(getenv("STEPCOST_DATA_PATH"));
	static const char flags[] = "engine,version,key,flag,type,source\n"
				    "vllm,1,max_num_seqs,--max-num-seqs,int,\n";
	static const struct {
		const char *import, *flags, *says;
	} row[] = {
	    {"engine,flag\nvllm,x\n", flags,
	     "not engine,flag,key,value,source"},
	    {"engine,flag,key,value,source\n", "engine\n",
	     "not engine,version,key,flag,type"},
	    {"engine,flag,key,value,source\n",
	     "engine,version,key,flag,type,source\nvllm,1,a,-a,int,\n",
	     "a flag begins with --"},
	    {"engine,flag,key,value,source\n",
	     "engine,version,key,flag,type,source\nvllm,1,a,--a;b,int,\n",
	     "a flag has letters, digits"},
	};
	if (!data)
		bail_out("memory");
	scratch_folder("data/etc");
	setenv("STEPCOST_DATA_PATH", scratch_path("data"), 1);
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		scratch_file("data/etc/launch-import.csv", row[i].import);
		scratch_file("data/etc/launch.csv", row[i].flags);
		refused("vllm serve m", EXIT_INPUT, row[i].says);
		refused("a: 1", EXIT_INPUT, row[i].says);
	}
	setenv("STEPCOST_DATA_PATH", data, 1);
	free(data);
}

int main(void)
{
	scratch_open();
	gives("vllm serve m -tp 4", "tensor_parallel_size", "4");
	gives("vllm serve m --max-model-len 1.5k", "max_model_len", "1500");
	gives("vllm serve m --max-model-len 2M", "max_model_len", "2097152");
	gives("vllm serve m --max-model-len auto", "max_model_len", "none");
	gives("vllm serve m --no_async_scheduling", "async_scheduling",
	      "false");
	gives("vllm serve m --kv-cache-dtype fp8_e5m2", "kv_cache_dtype",
	      "fp8");
	gives("vllm serve m --max-num-seqs 8 --max-num-seqs=9", "max_num_seqs",
	      "9");
	gives("vllm serve m --speculative-config.num_speculative_tokens 3",
	      "num_speculative_tokens", "3");
	gives("vllm serve m --long-prefill-token-threshold 9",
	      "long_prefill_token_threshold", "9");
	gives("enable_attention_dp: true\ntensor_parallel_size: 4",
	      "data_parallel_size", "4");
	gives("cuda_graph_config: {max_batch_size: 8}", "graph_max_tokens",
	      "8");
	gives("enforce_eager: true", "graph_max_tokens", "0");
	gives("enforce_eager: false", "graph_max_tokens", "none");
	gives("kv_cache_config: {enable_block_reuse: no}", "enable_block_reuse",
	      "false");
	gives("trtllm-serve m --tp_size 8 --ep_size 8",
	      "enable_expert_parallel", "true");
	gives("trtllm-serve m --tp_size 8 --ep_size 4", "expert_parallel_size",
	      "4");
	lists("vllm serve m --max-num-seqs many",
	      "--max-num-seqs many: max_num_seqs = many: not an integer in [1, "
	      "65536]");
	lists("vllm serve m --hf-overrides '{\"a\": {\"b\": 1}}'",
	      "--hf-overrides.a.b 1");
	lists("vllm serve m --config none.yaml",
	      "none.yaml, a file that is not here");
	lists("vllm serve m --kv-transfer-config '{\"a\": 1}'",
	      "--kv-transfer-config {\"a\": 1}");
	lists("vllm serve m other", "other");
	ok(read_text("tp: 4", "sglang") == 0 && x.engine &&
	       !strcmp(x.engine, "sglang") &&
	       !strcmp(ini_get(&x.c, "engine", "tensor_parallel_size"), "4"),
	   "YAML of SGLang: %s", p.text);
	refused("a: [1", EXIT_INPUT, "not YAML");
	refused("- a", EXIT_INPUT, "it is neither a mapping");
	refused("kind: Pod", EXIT_INPUT, "kind: Pod is neither a mapping");
	refused("a: 1", EXIT_INPUT, "none of its members is a flag of vllm");
	refused("vllm serve 'm", EXIT_INPUT, "a quote does not end");
	ok(read_text("kind: EndpointPickerConfig\nplugins:\n- {type: "
		     "random-picker}\nschedulingProfiles:\n- {name: d, "
		     "plugins: [{pluginRef: random-picker}]}\n",
		     NULL) == 0 &&
	       !x.engine,
	   "a gateway has no engine: %s", p.text);
	each_value();
	each_split();
	each_pool();
	each_other();
	each_file();
	each_table();
	launched_free(&x);
	return done();
}
