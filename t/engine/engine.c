/* What [engine] resolves to. */
#include "engine/engine.h"
#include "keys/keys.h"
#include "tap.h"

static struct engine_keys keys;
static struct slo_keys slo;
static struct engine e;
static struct problem problem;
/* Llama-3.1-8B in bf16 on an H100, and on two. */
#define WHOLE                                                                  \
	{                                                                      \
		2 * 8030261248., 131072                                        \
	}
#define HALF                                                                   \
	{                                                                      \
		8030261248., 65536                                             \
	}
#define H100(tp_, ...)                                                         \
	{                                                                      \
		.model_max_len = 131072,                                       \
		.parallel = {.tp = tp_, .pp = 1, .ep = 1, .dp = 1},            \
		.share = {__VA_ARGS__}, .model_sampling = SC_SAMPLING_TOP_P,   \
		.usable_bytes = 84.9e9, .link_bytes_per_s = 450e9, .seed = 7   \
	}
static const struct engine_facts h100 = H100(1, WHOLE);
static const struct engine_facts two = H100(2, HALF);

static int resolve(const char *ini, const struct engine_facts *facts)
{
	static struct ini c;
	struct engine_facts with_place = *facts, *f = &with_place;
	ini_free(&c);
	static const struct engine_source from = {.ini = &c};
	f->from = &from;
	problem = (struct problem){0};
	if (ini_read(&c, ini, strlen(ini), &problem) ||
	    engine_keys_fill(&keys, &from, &problem) ||
	    knobs_fill(&slo, slo_key, slo_n_keys, NULL, &c, "slo", "",
		       &problem))
		return -1;
	return engine_resolve(&e, &keys, &slo, f, &problem);
}

static void refused(const char *ini, const char *why)
{
	int rc = resolve(ini, &h100);
	ok(rc && problem.code == EXIT_USAGE && strstr(problem.text, why), "%s",
	   problem.text);
}

static void under_a_preset(void)
{
#define SIZED                                                                  \
	"[engine]\npreset = vllm-0.24\nmax_num_seqs = 2\n"                     \
	"max_num_batched_tokens = 8\n"
	ok(resolve(SIZED "replicas = 2\nprefill_replicas = 1\nproxy_us = 5\n",
		   &h100) == 0 &&
	       e.kv_connector == KV_PULL && e.proxy_ns == 5000 &&
	       engine_first_token_pool(&e) == 1,
	   "a preset pulls KV caches");
	ok(resolve(SIZED "replicas = 2\nprefill_replicas = 1\n"
			 "pd_first_token = prefill\n",
		   &h100) == 0 &&
	       engine_first_token_pool(&e) == 0,
	   "the first token may be the prefill replica's");
	refused("[engine]\nkv_connector = pull\n",
		":2: kv_connector needs a preset");
	refused("[engine]\nwatermark = 0.1\n", ":2: watermark needs a preset");
}

static void blocks(void)
{
	struct engine_facts f = h100;
	ok(resolve("", &h100) == 0, "defaults: %s", problem.text);
	/* (0.9 · 84.9e9 − 16.06e9 − 0.9e9) / 131072 / 16 */
	ok(e.num_gpu_blocks == 28347, "auto: %s", e.blocks_text);
	ok(resolve("[engine]\ntensor_parallel_size = 2\n", &two) == 0 &&
	       e.num_gpu_blocks == 64353,
	   "weights are shared out over tp");
	ok(resolve("[engine]\nnum_gpu_blocks = unlimited\n", &h100) == 0 &&
	       e.num_gpu_blocks == ENGINE_UNLIMITED,
	   "%s", e.blocks_text);
	ok(resolve("[engine]\nnum_gpu_blocks = 1234\n", &h100) == 0 &&
	       e.num_gpu_blocks == 1234,
	   "%s", e.blocks_text);
	refused("[engine]\nnum_gpu_blocks = 0\n",
		"num_gpu_blocks = 0: not auto");
	refused("[engine]\n\nnum_gpu_blocks = 12x\n",
		":3: num_gpu_blocks = 12x");
	refused("[engine]\nnum_gpu_blocks = -1\n", "-1");
	refused("[engine]\nnum_gpu_blocks = 99999999999999999999\n", "in [1");
	refused("[engine]\ngpu_memory_utilization = 0.1\n", "no room");
	f.usable_bytes = 0;
	ok(resolve("", &f) && strstr(problem.text, "memory of the GPU"), "%s",
	   problem.text);
	f = h100;
	f.share[0].weight_bytes = 0;
	ok(resolve("", &f) && strstr(problem.text, "weights"), "%s",
	   problem.text);
}

static void others(void)
{
	ok(resolve("", &h100) == 0 && e.max_model_len == 131072 &&
	       e.graph_max_tokens == 512 && e.replicas == 1 && e.seed == 7,
	   "the model's length, 512 tokens in a graph, one replica");
	ok(resolve("[engine]\nmax_num_seqs = 64\nmax_model_len = 4096\n"
		   "api_overhead_us = 6210.5\napi_request_us = 2.5\n"
		   "[slo]\nttft_ms = 500\n",
		   &h100) == 0 &&
	       e.graph_max_tokens == 128 && e.max_model_len == 4096 &&
	       e.api_overhead_ns == 6210500 && e.api_request_ns == 2500 &&
	       e.slo.ttft_ns == 500000000 && e.slo.tpot_ns == 0,
	   "given values");
	ok(resolve("[engine]\ngraph_max_tokens = 0\n", &h100) == 0 &&
	       e.graph_max_tokens == 0,
	   "eager");
	refused("[engine]\ngraph_max_tokens = some\n", "graph_max_tokens");
	refused("[engine]\nprefill_replicas = 1\n", "fewer than replicas");
	ok(resolve("[engine]\nreplicas = 3\nprefill_replicas = 1\n"
		   "tensor_parallel_size = 2\nkv_transfer_latency_us = 5\n",
		   &two) == 0 &&
	       e.kv_bytes_per_token == 131072 &&
	       e.kv_transfer_bytes_per_s == 450e9 &&
	       e.kv_transfer_latency_ns == 5000,
	   "pools: what both GPUs keep of a token moves over the link");
}

static void joined(void)
{
	struct engine one, other;
	resolve("[engine]\nreplicas = 2\n", &h100);
	other = e;
	resolve("[engine]\nreplicas = 3\n", &h100);
	one = e;
	ok(engine_join(&one, &other, NULL, &problem) == 0 &&
	       one.replicas == 5 && one.prefill_replicas == 3,
	   "two engines are one of two pools");
	ok(engine_pool_of(&one, 2) == 0 && engine_of_replica(&one, 2) == &one &&
	       engine_of_replica(&one, 3) == &other,
	   "the first replicas compute prompts");
	ok(!engine_schedules_alike(&one, &e), "which is another schedule");
	other.proxy_ns = 1;
	ok(engine_join(&e, &other, NULL, &problem) < 0, "%s", problem.text);
}

static void transfers(void)
{
	e = (struct engine){.parallel.tp = 2, .kv_bytes_per_token = 100};
	ok(engine_transfer_bytes(&e, 50, 10) == 4000, "bytes of 40 tokens");
	e.kv_groups = (struct kv_groups){
	    .n_kinds = 2,
	    .kind = {{.block_size = 4, .n_layers = 3},
		     {.window = 10, .block_size = 4, .n_layers = 5}},
	    .page_bytes = 8,
	};
	/* 2 bytes a token and layer: 3 layers of 50, 5 of 50 - 40. */
	ok(engine_transfer_bytes(&e, 50, 0) == 2 * 2 * (3 * 50 + 5 * 10),
	   "of windows what their blocks hold");
	ok(engine_transfer_bytes(&e, 50, 44) == 2 * 2 * (3 + 5) * 6,
	   "less what is there");
}

/* A pipeline of two: the first stage holds more, the second has no KV. */
static void stages(void)
{
	const struct engine_share uneven[] = {{20e9, 1000}, {10e9, 1000}};
	const struct engine_share linear[] = {{20e9, 0}, {30e9, 1000}};
	struct engine_facts f = h100;
	f.parallel.pp = 2;
	memcpy(f.share, uneven, sizeof uneven);
	ok(resolve("[engine]\npipeline_parallel_size = 2\n", &f) == 0 &&
	       e.num_gpu_blocks == 3469375,
	   "the tightest stage bounds the blocks: %s", e.blocks_text);
	memcpy(f.share, linear, sizeof linear);
	ok(resolve("", &f) == 0 && e.num_gpu_blocks == 2844375,
	   "of those that keep KV: %s", e.blocks_text);
	f.parallel.pp = 1;
	ok(resolve("", &f) == 0 && e.num_gpu_blocks == ENGINE_UNLIMITED, "%s",
	   e.blocks_text);
}

static void groups(void)
{
	struct engine_facts f = h100;
	sc_engine view;
	sc_parallel parallel;
	f.parallel.dp = 4;
	ok(resolve("[engine]\ndata_parallel_size = 4\nreplicas = 3\n", &f) ==
		   0 &&
	       e.replicas == 3 && e.max_num_seqs == 1024 &&
	       e.max_num_batched_tokens == 8192 &&
	       e.num_gpu_blocks == 4 * 28347 && e.graph_max_tokens == 2048,
	   "attention-DP: a replica is the whole group");
	engine_view(&view, &parallel, &e);
	ok(view.max_num_seqs == 256 && view.max_num_batched_tokens == 2048 &&
	       view.graph_max_tokens == 512 && parallel.dp == 4,
	   "a cost model is told what one rank has");
	ok(resolve("[engine]\ndata_parallel_size = 4\nreplicas = 3\n", &h100) ==
		   0 &&
	       e.replicas == 12 && e.max_num_seqs == 256,
	   "without experts they are replicas");
	ok(engine_gpus(&keys) == 12, "GPUs of all of them");
}

static void sampling(void)
{
	sc_engine view;
	sc_parallel parallel;
	resolve("", &h100);
	engine_view(&view, &parallel, &e);
	ok(view.sampling == SC_SAMPLING_TOP_P, "the model's");
	resolve("[engine]\nsampling = greedy\n", &h100);
	engine_view(&view, &parallel, &e);
	ok(view.sampling == SC_SAMPLING_GREEDY, "or the key's");
}

static void padding(void)
{
	const struct engine with = {.graph_max_tokens = 500};
	const uint32_t at[][2] = {{1, 1},     {2, 2},     {3, 4},
				  {5, 8},     {9, 16},    {249, 256},
				  {257, 272}, {499, 500}, {501, 501}};
	int wrong = 0;
	for (size_t i = 0; i < sizeof at / sizeof *at; i++)
		wrong += engine_padded_tokens(&with, at[i][0]) != at[i][1];
	ok(!wrong, "steps are padded to captured sizes");
}

/* Ranks of a model with experts are replicas of their own under a preset. */
static void ranks(void)
{
	struct engine_keys k = {.preset = PRESET_NONE,
				.max_num_seqs = 10,
				.max_num_batched_tokens = 100,
				.data_parallel_size = 4,
				.replicas = 2};
	sc_parallel moe = {.dp = 4}, dense = {.dp = 1};
	struct engine s = engine_sized(&k, &moe);
	ok(s.replicas == 2 && s.ranks == 1 && s.max_num_seqs == 40 &&
	       s.lockstep_ranks == 1,
	   "without a preset a step is the whole group's");
	s = engine_sized(&k, &dense);
	ok(s.replicas == 8 && s.ranks == 1, "a dense model has replicas");
	k.preset = PRESET_VLLM_024;
	s = engine_sized(&k, &moe);
	ok(s.replicas == 8 && s.ranks == 4 && s.max_num_seqs == 10 &&
	       s.lockstep_ranks == 4,
	   "under a preset ranks that go in lockstep");
	s = engine_sized(&k, &dense);
	ok(s.replicas == 8 && s.ranks == 4 && s.lockstep_ranks == 1,
	   "or ranks that do not");
}

int main(void)
{
	under_a_preset();
	blocks();
	others();
	joined();
	transfers();
	stages();
	groups();
	sampling();
	padding();
	ranks();
	return done();
}
