#include "engine/engine_names.h"
#include <stddef.h>
#include "tap.h"

static void stands_for(const char *typed, const char *key)
{
	const char *got = engine_name_key(typed);
	is(got ? got : "none", key, "%s: %s", typed, key);
}

static int is_key(const char *name)
{
	for (uint32_t i = 0; i < engine_n_keys; i++)
		if (!strcmp(engine_key[i]->name, name))
			return 1;
	return 0;
}

int main(void)
{
	stands_for("max_running_requests", "max_num_seqs");
	stands_for("--max-running-requests", "max_num_seqs");
	stands_for("max_batch_size", "max_num_seqs");
	stands_for("max_num_tokens", "max_num_batched_tokens");
	stands_for("mem_fraction_static", "gpu_memory_utilization");
	stands_for("tp_size", "tensor_parallel_size");
	stands_for("max_num_seqs", "max_num_seqs");
	stands_for("tp", "tensor_parallel_size");
	stands_for("--pp", "pipeline_parallel_size");
	stands_for("ep", "expert_parallel_size");
	stands_for("dp", "replicas");
	stands_for("elephants", "none");
	ok(is_key("max_num_seqs") && is_key(engine_name_key("page_size")),
	   "they are keys of [engine]");
	is(engine_name_by("sglang", "max_num_seqs"), "max_running_requests",
	   "what SGLang calls it");
	ok(!engine_name_by("sglang", "schedule_us"), "nobody else has it");
	return done();
}
