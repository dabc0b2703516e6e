/* vllm_log.c -- Lines of a server's start, in the forms of several versions. */
#include "metrics/vllm_log.h"
#include "tap.h"

static struct problem p;

static int log_of(struct vllm_log *l, const char *text)
{
	p = (struct problem){0};
	return vllm_log_read(l, text, strlen(text), "f", &p);
}

static const char whole[] =
    "(APIServer pid=7) INFO 05-02 10:00:00 [utils.py:233] non-default args: "
    "{'model_tag': 'a/b', 'model': 'a/b', 'max_num_seqs': 64, "
    "'speculative_config': {'method': 'eagle3', 'model': 'a/draft', "
    "'num_speculative_tokens': 3}, 'enable_expert_parallel': True, "
    "'scheduling_policy': 'priority', 'kv_transfer_config': None, "
    "'gpu_memory_utilization': 0.85, 'max_num_batched_tokens': 4096}\n"
    "(APIServer pid=7) INFO 05-02 10:00:00 [scheduler.py:239] Chunked prefill "
    "is enabled with max_num_batched_tokens=8192.\n"
    "(APIServer pid=7) INFO 05-02 10:00:00 [vllm.py:834] Asynchronous "
    "scheduling is disabled.\n"
    "(EngineCore pid=8) INFO 05-02 10:00:01 [core.py:107] Initializing a V1 "
    "LLM engine (v0.19.2rc1.dev8+g4b) with config: model='a/b', "
    "speculative_config=SpeculativeConfig(method='eagle3', model='a/draft', "
    "num_spec_tokens=3), tokenizer='a/b', max_seq_len=98304, "
    "tensor_parallel_size=2, pipeline_parallel_size=1, "
    "data_parallel_size=4, quantization=compressed-tensors, "
    "enforce_eager=False, kv_cache_dtype=fp8_e4m3, seed=0, "
    "enable_prefix_caching=False, enable_chunked_prefill=True, "
    "compilation_config={'mode': <Mode.X: 3>, 'sizes': [1, 2, 4], "
    "'max_cudagraph_capture_size': 128, 'model': 'no'}, kernel=K(a=1)\r\n"
    "INFO 05-02 10:00:02 Using configuration from E=8,N=14336,"
    "device_name=NVIDIA_H100_80GB_HBM3.json for MoE layer.\n"
    "INFO 05-02 10:00:03 Engine 000: vllm cache_config_info with "
    "initialization after num_gpu_blocks is: 27,445\n"
    "INFO 05-02 10:01:00 Engine 000: Avg prompt throughput: 9.0 tokens/s, Avg "
    "generation throughput: 100.0 tokens/s, Running: 1 reqs\n"
    "INFO 05-02 10:01:00 Engine 001: Avg prompt throughput: 9.0 tokens/s, Avg "
    "generation throughput: 60.0 tokens/s, Running: 1 reqs\n"
    "INFO 05-02 10:01:10 Engine 000: Avg prompt throughput: 9.0 tokens/s, Avg "
    "generation throughput: 40.0 tokens/s, Running: 1 reqs\n"
    "INFO 05-02 10:01:20 Engine 000: Avg prompt throughput: 0.0 tokens/s, Avg "
    "generation throughput: 0.0 tokens/s, Running: 0 reqs\n";

static void all(void)
{
	struct vllm_log l;
	ok(log_of(&l, whole) == 0, "a log is read %s", p.text);
	is(l.version, "0.19.2rc1.dev8+g4b", "version");
	is(l.model, "a/b", "model");
	is(l.method, "eagle3", "method");
	is(l.draft_model, "a/draft", "drafter");
	is(l.quantization, "compressed-tensors", "quantization");
	is(l.kv_cache_dtype, "fp8_e4m3", "KV format");
	is(l.scheduling_policy, "priority", "policy");
	is(l.device, "NVIDIA_H100_80GB_HBM3", "GPU");
	ok(l.tensor_parallel_size == 2 && l.pipeline_parallel_size == 1 &&
	       l.data_parallel_size == 4 && l.enable_expert_parallel == 1,
	   "parallel sizes");
	ok(l.max_model_len == 98304 && l.max_num_seqs == 64 &&
	       l.max_num_batched_tokens == 8192,
	   "limits: the resolved one");
	ok(l.num_speculative_tokens == 3 && l.max_cudagraph_capture_size == 128,
	   "drafts and graphs");
	ok(l.enforce_eager == 0 && l.enable_prefix_caching == 0 &&
	       l.enable_chunked_prefill == 1 && l.async_scheduling == 0,
	   "yes and no");
	ok(l.num_gpu_blocks == 27445 && l.gpu_memory_utilization == 0.85,
	   "memory");
	ok(l.has_arguments && l.has_config && !l.transfers_kv, "lines");
	ok(isnan(l.block_size), "a setting that is not told");
	near(vllm_log_output_rate(&l), 100, 1e-12, "load of both engines");
}

static void others(void)
{
	struct vllm_log l;
	ok(log_of(&l, "GPU 0: NVIDIA H100 PCIe (UUID: GPU-1)\n"
		      "INFO [api] vLLM API server version 0.15.0\n"
		      "INFO non-default args: {'kv_transfer_config': K(a='b'), "
		      "'enforce_eager': True, 'enable_lora': True}") == 0,
	   "another %s", p.text);
	is(l.device, "NVIDIA_H100_PCIe", "GPU of a list");
	is(l.version, "0.15.0", "version of the server");
	ok(l.transfers_kv && l.has_lora && l.enforce_eager == 1, "arguments");
	ok(isnan(vllm_log_output_rate(&l)), "no load");
	ok(log_of(&l, "") < 0 && p.code == EXIT_INPUT &&
	       strstr(p.text, "non-default args"),
	   "%s", p.text);
	ok(log_of(&l, "a 1\nb 2\n") < 0, "no log");
	ok(log_of(&l, "non-default args: {'a': {'b': ") == 0 &&
	       log_of(&l, "non-default args: {'a'") == 0 &&
	       log_of(&l, "non-default args: {'a': 'b") == 0,
	   "a line that is cut");
}

int main(void)
{
	all();
	others();
	return done();
}
