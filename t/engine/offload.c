/* KV offloading: what its keys come to. */
#include "engine/offload.h"
#include "engine_of.h"
#include "tap.h"

#define JULY                                                                   \
	"[engine]\npreset = vllm-2026-07\nmax_num_seqs = 4\n"                  \
	"max_num_batched_tokens = 64\nnum_gpu_blocks = 100\n"
#define FAST "kv_offload_bandwidth_gbs = 50\n"

int main(void)
{
	struct engine_facts f = h100;
	f.n_kv_layers = 1;
	f.kv_layer[0] = (struct kv_layers){.n = 32, .token_bytes = 4096};
	ok(engine_of(JULY FAST, &f) == 0 && e.offload.chunks == 0, "off");
	ok(engine_of(JULY FAST "kv_offloading_size = 2\n"
			       "kv_offload_latency_us = 3\n",
		     &f) == 0 &&
	       e.offload.chunks == 1024 && e.offload.bytes_per_ns == 50 &&
	       e.offload.latency_ns == 3000 &&
	       e.offload.blocks_per_chunk == 1 && e.offload.prompt_only &&
	       e.offload.policy == EVICTION_LRU,
	   "2 GiB are 1024 blocks of 16 tokens");
	ok(engine_of(JULY FAST "cpu_bytes_to_use = 8388609\n"
			       "blocks_per_chunk = 2\n",
		     &f) == 0 &&
	       e.offload.chunks == 2,
	   "or bytes, and larger chunks");
#define LACKS(keys_, why)                                                      \
	ok(engine_of(keys_, &f) < 0 && strstr(problem.text, why), "%s",        \
	   problem.text)
	LACKS(JULY "kv_offloading_size = 2\n", "give kv_offload_bandwidth_gbs");
	LACKS(JULY FAST "kv_offloading_size = 2\ncpu_bytes_to_use = 9\n",
	      "only one of the two");
	LACKS(JULY FAST "cpu_bytes_to_use = 9\n", "room for 0 chunks");
	LACKS(JULY FAST "kv_offloading_size = 2\nempty_sleep_us = 0\n",
	      "not simulated with empty_sleep_us = 0");
	f.n_kv_layers = 2;
	f.kv_layer[1] =
	    (struct kv_layers){.n = 32, .window = 64, .token_bytes = 4096};
	ok(engine_of(JULY FAST "kv_offloading_size = 2\n", &f) == 0 &&
	       e.offload.chunks == 1024,
	   "a chunk of a group of windows is as large");
	f.kv_layer[1].token_bytes = 2048;
	LACKS(JULY FAST "kv_offloading_size = 2\n",
	      "with layers with blocks of different sizes");
	return done();
}
