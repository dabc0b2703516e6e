/* The INI as a whole, and an arm opened from it. */
#include "arm/arm.h"
#include <sys/stat.h>
#include <unistd.h>
#include "tap.h"

static struct config c;
static struct arm arm;
static struct problem p;
static char folder[] = "/tmp/configuration.XXXXXX";
static char path[100];

static int load_with(const char *ini, const char *const *set, size_t n,
		     const char *arms)
{
	FILE *f = fopen(path, "w");
	if (!f)
		bail_out("no temporary file");
	fputs(ini, f);
	fclose(f);
	config_free(&c);
	p = (struct problem){0};
	return config_load(&c, path, set, n, arms, &p);
}

static int load(const char *ini)
{
	return load_with(ini, NULL, 0, NULL);
}

/* want: what follows the file's name. */
static void refused(const char *ini, const char *want)
{
	int rc = load(ini);
	size_t n = strlen(path);
	int there = !strncmp(p.text, path, n);
	ok(rc < 0 && p.code == EXIT_USAGE, "refused");
	if (!ok(!strncmp(p.text + (there ? n : 0), want, strlen(want)), "%s",
		want))
		printf("#  got: %s\n", p.text);
}

static void set_refused(const char *ini, const char *set, const char *want)
{
	int rc = load_with(ini, &set, 1, NULL);
	ok(rc < 0 && p.code == EXIT_USAGE, "refused: --set %s", set);
	if (!ok(!strncmp(p.text, want, strlen(want)), "%s", want))
		printf("#  got: %s\n", p.text);
}

#define LLAMA                                                                  \
	"[model]\nnum_hidden_layers=32\nhidden_size=4096\n"                    \
	"num_attention_heads=32\nnum_key_value_heads=8\n"                      \
	"intermediate_size=14336\nvocab_size=128256\n"
#define H100                                                                   \
	"[hardware]\npeak_tflops=989.5\nmemory_bandwidth_tbs=3.35\n"           \
	"memory_gib=80\n"
#define ARM "[cost_model]\nplugin=const_step\n"

static void arms(void)
{
	const char *three = "[cost_model:b]\nplugin=const_step\n" ARM
			    "[cost_model:a-1]\nplugin=const_step\n";
	ok(load(three) == 0, "%s", p.text);
	ok(c.n_arms == 3 && !strcmp(c.arm[0].name, "const_step") &&
	       !strcmp(c.arm[1].name, "b"),
	   "[cost_model] leads, and is called by its plugin's name");
	ok(load_with(three, NULL, 0, "a-1,b") == 0 && c.n_arms == 2 &&
	       !strcmp(c.arm[0].name, "a-1") && !strcmp(c.arm[1].name, "b"),
	   "--arms: these, in this order");
	ok(load_with(three, NULL, 0, "a1,b") < 0, "no such arm");
	ok(strstr(p.text, "(did you mean 'a-1'?); there are: const_step, b"),
	   "%s", p.text);
	ok(load_with(three, NULL, 0, "b,b") < 0, "%s", p.text);
	ok(load_with("[cost_model:x]\nplugin=const_step\n",
		     (const char *const[]){"cost_model:y.plugin=const_step"}, 1,
		     NULL) == 0 &&
	       c.n_arms == 2 && !strcmp(c.arm[1].name, "y"),
	   "an arm may come from --set");
	refused(ARM "[cost_model]\nbase_us=1\n",
		":3: [cost_model] given twice, first at ");
	refused("[cost_model:X]\nplugin=const_step\n", ":1: [cost_model:X]: an "
						       "arm's name is");
	refused(ARM "[cost_model:const_step]\nplugin=const_step\n",
		":3: [cost_model] and [cost_model:const_step] are both called");
	refused("[cost_model]\n", ":1: [cost_model] needs plugin = NAME");
	refused("", ": no arm");
	refused("[cost_model]\nplugin=cost_step\n", ":2: no cost_step.so in ");
	ok(strstr(p.text, "(did you mean 'const_step'?)"), "nearest plugin");
	ok(load_with("[cost_model:gone]\nplugin=gone\n" ARM, NULL, 0,
		     "const_step") == 0,
	   "an arm that is not to run may lack its plugin");
}

static void keys(void)
{
	refused("x=1\n" ARM, ":1: 'x' comes before the first [section]");
	refused("[modle]\n" ARM, ":1: unknown section [modle] (did you mean "
				 "'model'?); allowed: stepcost");
	refused("[engine]\nmax_num_seq=1\n" ARM,
		":2: unknown key 'max_num_seq' in [engine] (did you mean "
		"'max_num_seqs'?)");
	refused("[slo]\nttft=1\n" ARM, ":2: unknown key 'ttft' in [slo]");
	refused("[workload]\nseeed=1\n" ARM, ":2: unknown key 'seeed' in");
	refused("[engine]\nblock_size=16x\n" ARM,
		":2: block_size = 16x: not an integer in [1, ");
	refused("[engine]\nblock_size=0x10\n" ARM, ":2: block_size = 0x10");
	refused("[stepcost]\nschema=2\n" ARM,
		":2: schema = 2: not an integer in [1, 1]");
	refused(ARM "bse_us=1\n", ":3: unknown key 'bse_us' in [cost_model] "
				  "(did you mean 'base_us'?)");
	refused(
	    ARM "frobnicate=1\n",
	    ":3: unknown key 'frobnicate' in [cost_model]; allowed: plugin, "
	    "preset, base_us, per_token_us, tables.path");
	refused(ARM "base_us=-1\n", ":3: base_us = -1: not a number in [0, ");
	refused(ARM "preset=x\n", ":3: const_step has no preset 'x'");
	refused(ARM "hardware.memory=1\n", ":3: unknown key 'hardware.memory'");
	refused("[model]\nn=1\n" ARM, ":2: unknown key 'n' in [model]");
	set_refused(ARM, "engine.foo=1",
		    "--set: unknown key 'foo' in [engine]");
	set_refused(ARM, "cost_model.base_us=x",
		    "--set: base_us = x: not a number");
	set_refused(ARM, "enigne.x=1", "--set: unknown section [enigne]");
}

static void an_arm(void)
{
	static const char ini[] =
	    LLAMA H100 "[engine]\ntensor_parallel_size=2\n" ARM
		       "hardware.memory_gib=40\nhardware.peak_tflops=312\n"
		       "[cost_model:two]\nplugin=const_step\n";
	ok(load(ini) == 0, "%s", p.text);
	ok(arm_open(&arm, &c, 1, NULL, NULL, &p) == 0, "%s", p.text);
	const sc_setup *s = &arm.setup;
	ok(s->model->n_params == 8030261248, "parameters of Llama 3.1 8B");
	ok(s->model->group[0]->head_dim == 128, "head_dim from the heads");
	near(s->hardware->peak_flops[SC_BF16], 989.5e12, 0, "peak");
	ok(s->hardware->peak_flops[SC_FP8] == 0, "of that format only");
	near(s->hardware->mem_bytes, 80 * 0x1p30, 0, "memory");
	ok(s->parallel->tp == 2 && s->parallel->dp == 1, "parallel");
	ok(s->engine->block_size == 16, "engine: vLLM's default");
	ok(s->n_tables == 0, "no tables");
	uint64_t blocks = arm.engine.num_gpu_blocks;
	arm_close(&arm);
	ok(arm_open(&arm, &c, 0, NULL, NULL, &p) == 0, "%s", p.text);
	near(arm.setup.hardware->mem_bytes, 40 * 0x1p30, 0,
	     "an arm's own hardware");
	near(arm.setup.hardware->peak_flops[SC_BF16], 312e12, 0, "all of it");
	ok(arm.engine.num_gpu_blocks < blocks, "and what follows from it");
	arm_close(&arm);
	refused(LLAMA "[hardware]\nmemory_bandwidth_tbs=3\n" ARM,
		":8: [hardware] [hardware] has no peak");
	refused("[model]\nhidden_size=4096\n" ARM,
		": [model] needs num_hidden_layers: Layers.");
}

#define READER "[cost_model]\nplugin=operators\n"
#define DEMO "[hardware]\ngpu=demo\npeak_tflops=1\nmemory_bandwidth_tbs=1\n"

/* A data folder of our own. */
static const char *fixtures(void)
{
	static char s[4096];
	const char *top = getenv("top_srcdir");
	snprintf(s, sizeof s, "%s/t/fixtures", top ? top : ".");
	return s;
}

static void tables(void)
{
	const char *top = getenv("top_srcdir");
	char ini[8192], real[4096];
	if (!realpath(top ? top : ".", real))
		bail_out("realpath");
	snprintf(ini, sizeof ini,
		 LLAMA H100
		 "[tables]\npath=%s/t/fixtures/bench_data\nset=demo\n" READER,
		 real);
	ok(load(ini) == 0, "%s", p.text);
	ok(arm_open(&arm, &c, 0, NULL, NULL, &p) == 0 &&
	       arm.setup.n_tables == 1,
	   "%s", p.text);
	const struct table_set *set = arm.tables.set[0];
	ok(arm.tables.n_sets == 1 && set->n_files == 1 &&
	       !strcmp(set->file[0].name, "demo/gemm.csv") &&
	       strlen(set->file[0].sha256) == 64,
	   "what they were read from, with a hash");
	struct config other;
	ok(config_load_beside(&other, &c, c.cfg.path, NULL, 0, NULL, &p) == 0 &&
	       library_set(other.library, other.arm[0].tables.item[0].path,
			   "demo", 0, &p) == set,
	   "which the next configuration shares: %s", p.text);
	ok(other.own_known.n == 0 &&
	       known_plugin(other.known, other.arm[0].plugin_path),
	   "and asks no plugin again");
	config_free(&other);
	arm_close(&arm);
	setenv("STEPCOST_DATA_PATH", fixtures(), 1);
	ok(load("[tables]\nset=demo\n" READER) == 0,
	   "a set of the data folder: %s", p.text);
	ok(load("[tables]\nset=auto\n" LLAMA DEMO READER) == 0 &&
	       c.arm[0].tables.n == 1 &&
	       !strcmp(c.arm[0].tables.item[0].name, "demo"),
	   "auto: the sets of the GPU: %s", p.text);
	refused("[tables]\nset=demo,demo\n" READER,
		":2: set 'demo' given twice");
	refused("[tables]\nset=auto, demo\n" LLAMA DEMO READER,
		":2: set 'demo' given twice");
	ok(load("[tables]\nset=auto, demo\n" LLAMA H100 READER) == 0 &&
	       c.arm[0].tables.n == 1 &&
	       !strcmp(c.arm[0].tables.item[0].name, "demo"),
	   "auto and another: %s", p.text);
	refused("[tables]\nset=dmeo\n" READER,
		":2: no set of tables 'dmeo' in ");
	ok(strstr(p.text, "(did you mean 'demo'?); there are: "), "nearest");
	ok(load_with(ARM,
		     (const char *const[]){"cost_model.tables.set=demo",
					   "cost_model.hardware.memory_gib=9"},
		     2, NULL) == 0 ||
	       strstr(p.text, "needs config or memory_bandwidth_tbs"),
	   "an arm's own keys by --set: %s", p.text);
	set_refused(ARM, "cost_model.tables.sat=x",
		    "--set: unknown key 'tables.sat' in [cost_model] (did you "
		    "mean 'tables.set'?)");
	refused("[tables]\npath=/x\nset=\n" READER,
		":2: path = /x: No such file or directory");
	ok(load("[tables]\npath=/\nset=\n" READER) == 0 &&
	       c.arm[0].tables.n == 0,
	   "none, if that is said: %s", p.text);
	refused(READER "tables.set=nope\n", ":3: no set of tables 'nope'");
	ok(load(LLAMA DEMO READER) == 0 && c.arm[0].tables.n == 1 &&
	       !strcmp(c.arm[0].set, "auto"),
	   "auto is the default of a plugin that reads tables: %s", p.text);
	ok(load("[tables]\nset=demo\n" ARM) == 0 && c.arm[0].tables.n == 0 &&
	       !*c.arm[0].set,
	   "one that reads none ignores [tables]: %s", p.text);
	refused("[tables]\nset=dmeo\n" ARM, ":2: no set of tables 'dmeo' in ");
	ok(load(LLAMA DEMO ARM) == 0 && c.arm[0].tables.n == 0,
	   "and has no default");
	ok(load(ARM "tables.set=demo\n") == 0 && c.arm[0].tables.n == 1,
	   "but gets those that its own section names: %s", p.text);
}

/* --set, before anything is checked. */
static void assignments(void)
{
	struct ini ini;
	static const char *const set[] = {
	    "engine.block_size=32", "cost_model:a.tables.set=x.y",
	    "cost_model.hardware.memory_gib=9", "protocol:v.1.max_stage_s=2"};
	FILE *f = fopen(path, "w");
	if (!f || fputs(ARM, f) < 0 || fclose(f))
		bail_out("no temporary file");
	ok(config_read(&ini, path, set, 4, &p) == 0, "%s", p.text);
	is(ini_get(&ini, "engine", "block_size"), "32", "a key");
	is(ini_get(&ini, "cost_model:a", "tables.set"), "x.y",
	   "an arm's key with a dot");
	is(ini_get(&ini, "cost_model", "hardware.memory_gib"), "9",
	   "of an arm without a name");
	is(ini_get(&ini, "protocol:v.1", "max_stage_s"), "2",
	   "another section's name may have one");
	is(ini_get(&ini, "cost_model", "plugin"), "const_step",
	   "and what the file says");
	ini_free(&ini);
	ok(config_read(&ini, path, (const char *const[]){"cost_model.tables"},
		       1, &p) < 0,
	   "%s", p.text);
	ini_free(&ini);
}

/* All that an arm is told, as JSON; free() it. */
static char *told(const struct config *of, const struct arm *a)
{
	char *text = NULL;
	size_t size;
	struct jw j;
	FILE *f = open_memstream(&text, &size);
	jw_start(&j, f);
	jw_object(&j, NULL);
	config_write(&j, of);
	arm_write(&j, a);
	jw_uint(&j, "blocks", a->engine.num_gpu_blocks);
	jw_uint(&j, "params", a->setup.model->n_params);
	jw_number(&j, "peak", a->setup.hardware->peak_flops[SC_BF16]);
	jw_uint(&j, "tables", a->setup.n_tables);
	jw_end(&j);
	fclose(f);
	return text;
}

/* Keys that change one after another, in a configuration and an arm that stay:
 * what they say is what a new configuration and arm would. */
static void renewed(void)
{
	static const char *const change[][3] = {
	    {"engine", "max_num_seqs", "17"},
	    {"workload", "request_rate", "3.5"},
	    {"slo", "ttft_ms", "7"},
	    {"model", "num_hidden_layers", "20"},
	    {"hardware", "memory_gib", "60"},
	    {"cost_model", "base_us", "5"},
	    {"cost_model", "hardware.peak_tflops", "100"},
	    {"tables", "set", "demo"},
	    {"engine", "tensor_parallel_size", "2"},
	};
	enum { N = sizeof change / sizeof *change };
	static const char ini[] = LLAMA H100 "[cost_model]\nplugin=const_step\n"
					     "[workload]\nrequest_rate=1\n";
	struct config other;
	struct arm fresh;
	char text[N][100];
	const char *set[N];
	setenv("STEPCOST_DATA_PATH", fixtures(), 1);
	ok(load(ini) == 0 && arm_open(&arm, &c, 0, NULL, NULL, &p) == 0,
	   "a configuration and an arm: %s", p.text);
	for (size_t i = 0; i < N; i++) {
		const char *const *k = change[i];
		unsigned parts = config_parts(k[0], k[1]);
		snprintf(text[i], sizeof text[i], "%s.%s=%s", k[0], k[1], k[2]);
		set[i] = text[i];
		unsigned told_of =
		    parts & ~(unsigned)(CONFIG_WORKLOAD | CONFIG_SLO);
		if (told_of)
			arm_destroy(&arm);
		ok(ini_put(&c.cfg, k[0], k[1], k[2], "--set", &p) == 0 &&
		       config_renew(&c, parts, &p) == 0,
		   "%s: %s", text[i], p.text);
		ok(arm_prepare_again(&arm, parts, &p) == 0 &&
		       (!told_of || arm_create(&arm, NULL, &p) == 0),
		   "and the arm: %s", p.text);
		if (config_load(&other, path, set, i + 1, NULL, &p) < 0 ||
		    arm_open(&fresh, &other, 0, NULL, NULL, &p) < 0)
			bail_out(p.text);
		char *got = told(&c, &arm), *want = told(&other, &fresh);
		is(got, want, "as if it were new");
		free(got), free(want);
		arm_close(&fresh);
		config_free(&other);
	}
	/* A value that cannot be, and one that can. */
	arm_destroy(&arm);
	ini_put(&c.cfg, "model", "num_hidden_layers", "x", "--set", &p);
	ok(config_renew(&c, CONFIG_MODEL, &p) < 0, "%s", p.text);
	ini_put(&c.cfg, "model", "num_hidden_layers", "8", "--set", &p);
	ok(config_renew(&c, CONFIG_MODEL, &p) == 0 &&
	       arm_prepare_again(&arm, CONFIG_ALL, &p) == 0 &&
	       arm_create(&arm, NULL, &p) == 0,
	   "and on it goes: %s", p.text);
	arm_close(&arm);
	unsetenv("STEPCOST_DATA_PATH");
}

/* Another plugin for an arm that stays open. */
static void another_plugin(void)
{
	ok(load(LLAMA H100 ARM) == 0 &&
	       arm_open(&arm, &c, 0, NULL, NULL, &p) == 0,
	   "%s", p.text);
	unsigned parts = config_parts("cost_model", "plugin");
	arm_destroy(&arm);
	ini_put(&c.cfg, "cost_model", "plugin", "roofline_v1", "--set", &p);
	ok(config_renew(&c, parts, &p) == 0 &&
	       arm_prepare_again(&arm, parts, &p) == 0 &&
	       arm_create(&arm, NULL, &p) == 0,
	   "%s", p.text);
	is(arm.plugin.p.name, "roofline_v1", "another plugin");
	is(c.arm[0].name, "roofline_v1", "which gives the arm its name");
	arm_close(&arm);
}

#define APART                                                                  \
	"[engine:prefill]\nreplicas=1\n[engine:decode]\nreplicas=1\n"          \
	"[engine]\nkv_transfer_bandwidth_gbs=1\n"

/* Prefill and decode apart, for some arms or all. */
static void pools(void)
{
	size_t index;
	ok(load(LLAMA H100 ARM APART "pools=together\n") == 0 && !c.is_apart,
	   "sections of pools that no arm reads: %s", p.text);
	ok(load(LLAMA H100 ARM
		"engine.pools=together\n"
		"[cost_model:b]\nplugin=const_step\n" APART) == 0 &&
	       c.is_apart,
	   "those that one arm does not read: %s", p.text);
	ok(!config_pool(&c, 0, 1) && config_pool(&c, 1, 1) &&
	       !c.arm[0].decode_hardware,
	   "it has none");
	is(config_pool(&c, 1, 0), "engine:prefill", "the other has both");
	ok(config_decode_arm(&c, 1, &index, &p) == 0 && index == 1,
	   "each decodes by its own cost model");
	ok(load(LLAMA H100 ARM "[cost_model:b]\nplugin=const_step\n" APART
			       "decode_cost_model=b\n") == 0 &&
	       config_decode_arm(&c, 0, &index, &p) == 0 && index == 1,
	   "or by that of another arm: %s", p.text);
	ok(load(LLAMA H100 ARM APART "decode_cost_model=b\n") == 0 &&
	       config_decode_arm(&c, 0, &index, &p) < 0 &&
	       strstr(p.text, "decode_cost_model = b: no arm of this name is "
			      "run"),
	   "which must be there: %s", p.text);
	ok(load(LLAMA H100 ARM APART "decode_cost_model=\n") == 0 &&
	       config_decode_arm(&c, 0, &index, &p) == 0 && index == 0,
	   "or be empty: %s", p.text);
}

/* Who says so: a section, the arm itself, or --set alone. */
static void says_pools(void)
{
	static const char *const set[] = {"engine.kv_transfer_bandwidth_gbs=1",
					  "engine:prefill.replicas=1",
					  "engine:decode.replicas=1"};
	ok(load(LLAMA H100 ARM APART "pools=apart\n") == 0 && c.is_apart,
	   "pools in words: %s", p.text);
	ok(load(LLAMA H100 ARM "engine.pools=apart\n" APART) == 0 &&
	       config_pool(&c, 0, 1),
	   "of the arm: %s", p.text);
	ok(load_with(LLAMA H100 ARM, set, 3, NULL) == 0 && c.is_apart &&
	       c.pool_keys[1].replicas == 1,
	   "by --set alone: %s", p.text);
}

/* A drafter does not take part, but its arm is found and checked. */
static void drafters(void)
{
#define DRAFTS                                                                 \
	"[engine]\npreset=vllm-2026-07\nnum_speculative_tokens=2\n"            \
	"synthetic_acceptance_length=2\ndraft_cost_model=d\n"
	size_t index;
	struct engine_keys k;
	ok(load(LLAMA H100 ARM DRAFTS "[cost_model:d]\nplugin=const_step\n") ==
		   0 &&
	       c.n_arms == 1 && c.n_all_arms == 2,
	   "one arm and its drafter: %s", p.text);
	k = c.engine_keys;
	ok(config_draft_arm(&c, 0, NULL, &k, &index, &p) == 0 && index == 1 &&
	       !strcmp(c.arm[index].name, "d"),
	   "which is behind those that run");
	ok(load(LLAMA H100 ARM DRAFTS "[cost_model:d]\nplugin=gone\n") < 0 &&
	       strstr(p.text, "no gone.so in "),
	   "and needs its plugin: %s", p.text);
}

/* The split of the model over GPUs, of a file that only prices steps. */
static void splits(void)
{
	ok(load(LLAMA H100 ARM) == 0 && config_check_split(&c, 0, &p) == 0,
	   "one GPU: %s", p.text);
	ini_put(&c.cfg, "engine", "tensor_parallel_size", "3", "--set", &p);
	ok(config_check_split(&c, 0, &p) < 0 && p.code == EXIT_USAGE &&
	       strstr(p.text, "tensor_parallel_size = 3"),
	   "%s", p.text);
	ini_put(&c.cfg, "engine", "tensor_parallel_size", "x", "--set", &p);
	ok(config_check_split(&c, 0, &p) < 0 &&
	       strstr(p.text, "tensor_parallel_size = x: not an integer"),
	   "%s", p.text);
}

/* vLLM's defaults depend on the memory of the GPU. */
static void unknown_memory(void)
{
#define NO_MEMORY "[hardware]\npeak_tflops=1\nmemory_bandwidth_tbs=1\n"
	static const char says[] = "preset: the memory of the GPU ([hardware]) "
				   "is unknown; give max_num_batched_tokens";
	static const char *const ini[] = {
	    LLAMA NO_MEMORY "[engine]\npreset=vllm-2026-07\n" ARM,
	    LLAMA NO_MEMORY ARM "engine.preset=vllm-2026-07\n"};
	for (int i = 0; i < 2; i++)
		ok(load(ini[i]) < 0 && p.code == EXIT_USAGE &&
		       strstr(p.text, says),
		   "%s: %s", i ? "of the arm" : "of all", p.text);
}

static void no_model(void)
{
	char *text = NULL;
	size_t size;
	struct jw j;
	ok(load(ARM) == 0, "%s", p.text);
	FILE *f = open_memstream(&text, &size);
	jw_start(&j, f);
	jw_object(&j, NULL);
	config_write(&j, &c);
	jw_end(&j);
	fclose(f);
	ok(strstr(text, "\"model\": {}") && strstr(text, "\"engine\": {"),
	   "without a model as JSON: %.40s", text);
	free(text);
}

static void written(void)
{
	struct arm a;
	if (load(LLAMA H100 ARM APART) < 0 ||
	    arm_open(&a, &c, 0, NULL, NULL, &p) < 0)
		bail_out(p.text);
	char *text = told(&c, &a);
	ok(strstr(text, "\"engine:prefill\"") &&
	       strstr(text, "\"engine:decode\""),
	   "pools as JSON");
	free(text);
	arm_close(&a);
}

/* Values that one section has alone, or that do not fit another's. */
static void each_refusal(void)
{
	static const struct {
		const char *ini, *says;
	} some[] = {
	    {ARM "[slo]\nttft_ms=x\n", "ttft_ms = x: not a number"},
	    {ARM "[workload]\nnum_requests=x\n", "num_requests = x: not an"},
	    {ARM APART "[engine:prefill]\nmax_num_seqs=x\n",
	     "max_num_seqs = x: not an"},
	    {ARM "[router:prefill]\nscorers=queue-scorer:1\n",
	     "[router:prefill]"},
	    {ARM "engine.tensor_parallel_size=3\n", "tensor_parallel_size = 3"},
	    {ARM "engine.max_num_seqs=x\n", "max_num_seqs = x: not an"},
	    {ARM APART "[engine:decode]\ntensor_parallel_size=3\n",
	     "tensor_parallel_size = 3"},
	    {"[cost_model]\nplugin=roofline_v2\n[engine]\npreset=vllm-2026-"
	     "07\nnum_speculative_tokens=2\n"
	     "synthetic_acceptance_length=2\n",
	     "num_speculative_tokens = 2: roofline_v2 cannot price decodes of "
	     "several tokens; use one of "},
	    {ARM "[engine]\npreset=vllm-2026-07\n"
		 "num_speculative_tokens=2\nsynthetic_acceptance_length=2\n"
		 "draft_cost_model=none\n",
	     "draft_cost_model = none: there is no arm of this name"},
	};
	for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
		char ini[2000];
		snprintf(ini, sizeof ini, "%s%s", LLAMA H100, some[i].ini);
		ok(load(ini) < 0 && p.code == EXIT_USAGE &&
		       strstr(p.text, some[i].says),
		   "%s", p.text);
	}
}

static void parts(void)
{
	static const struct {
		const char *section, *key;
		unsigned is;
	} some[] = {{"nothing", "x", 0},
		    {"failures", "x", CONFIG_ENGINE},
		    {"engine:decode", "x", CONFIG_ENGINE},
		    {"router:prefill", "x", CONFIG_ENGINE},
		    {"cost_model:a", "tables.set", CONFIG_TABLES},
		    {"cost_model:a", "hardware.gpu", CONFIG_HARDWARE},
		    {"cost_model:a", "engine.pools", CONFIG_ENGINE},
		    {"cost_model:a", "router.picker", CONFIG_ENGINE},
		    {"cost_model:a", "base_us", CONFIG_KNOBS},
		    {"cost_model:a", "preset", CONFIG_ARMS | CONFIG_KNOBS},
		    {"cost_model:a", "plugin", CONFIG_ARMS | CONFIG_KNOBS}};
	for (size_t i = 0; i < sizeof some / sizeof *some; i++)
		ok(config_parts(some[i].section, some[i].key) == some[i].is,
		   "[%s] %s", some[i].section, some[i].key);
}

int main(void)
{
	if (!mkdtemp(folder))
		bail_out("mkdtemp");
	snprintf(path, sizeof path, "%s/c.ini", folder);
	arms();
	keys();
	an_arm();
	tables();
	assignments();
	renewed();
	another_plugin();
	pools();
	says_pools();
	drafters();
	splits();
	unknown_memory();
	no_model();
	written();
	each_refusal();
	parts();
	config_free(&c);
	unlink(path);
	rmdir(folder);
	ok(config_load(&c, path, NULL, 0, NULL, &p) < 0, "%s", p.text);
	config_free(&c);
	return done();
}
