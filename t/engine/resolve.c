/* What [engine] resolves to. */
#include "engine/resolve.h"
#include "engine_of.h"
#include "tap.h"

static void others(void)
{
	ok(engine_of("", &h100) == 0 && e.max_model_len == 131072 &&
	       e.graph_max_tokens == 512 && e.replicas == 1 && e.seed == 7,
	   "the model's length, 512 tokens in a graph, one replica");
	ok(engine_of("[engine]\nmax_num_seqs = 64\nmax_model_len = 4096\n"
		     "api_overhead_us = 6210.5\napi_request_us = "
		     "2.5\n[slo]\nttft_ms = 500\n",
		     &h100) == 0 &&
	       e.graph_max_tokens == 128 && e.max_model_len == 4096 &&
	       e.api_overhead_ns == 6210500 && e.api_request_ns == 2500 &&
	       e.slo.ttft_ns == 500000000 && e.slo.tpot_ns == 0,
	   "given values");
	ok(engine_of("[engine]\ngraph_max_tokens = 0\n", &h100) == 0 &&
	       e.graph_max_tokens == 0,
	   "eager");
	refused("[engine]\ngraph_max_tokens = some\n", "graph_max_tokens");
	refused("[engine]\nprefill_replicas = 1\n", "fewer than replicas");
	ok(engine_of("[engine]\nreplicas = 3\nprefill_replicas = 1\n"
		     "tensor_parallel_size = 2\nkv_transfer_latency_us = 5\n",
		     &two) == 0 &&
	       e.kv_bytes_per_token == 131072 &&
	       e.kv_transfer_bytes_per_s == 450e9 &&
	       e.kv_transfer_latency_ns == 5000,
	   "pools: what both GPUs keep of a token moves over the link");
}

static void watermark(void)
{
	ok(engine_of("[engine]\npreset = vllm-0.24\nnum_gpu_blocks = 99\n"
		     "watermark = 0.1\n",
		     &h100) == 0 &&
	       e.watermark_blocks == 10,
	   "of 100 blocks, as vLLM counts them");
}

static void groups(void)
{
	struct engine_facts f = h100;
	sc_engine view;
	sc_parallel parallel;
	f.parallel.dp = 4;
	ok(engine_of("[engine]\ndata_parallel_size = 4\nreplicas = 3\n", &f) ==
		   0 &&
	       e.replicas == 3 && e.max_num_seqs == 1024 &&
	       e.max_num_batched_tokens == 8192 &&
	       e.num_gpu_blocks == 4 * 28347 && e.graph_max_tokens == 2048,
	   "attention-DP: a replica is the whole group");
	engine_view(&view, &parallel, &e);
	ok(view.max_num_seqs == 256 && view.max_num_batched_tokens == 2048 &&
	       view.graph_max_tokens == 512 && parallel.dp == 4,
	   "a cost model is told what one rank has");
	ok(engine_of("[engine]\ndata_parallel_size = 4\nreplicas = 3\n",
		     &h100) == 0 &&
	       e.replicas == 12 && e.max_num_seqs == 256,
	   "without experts they are replicas");
	ok(engine_gpus(&keys) == 12, "GPUs of all of them");
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
	others();
	watermark();
	groups();
	ranks();
	ini_free(&ini);
	return done();
}
