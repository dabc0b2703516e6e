/* Adapters: what their keys come to. */
#include "engine/lora.h"
#include "engine_of.h"
#include "tap.h"

#define JULY "[engine]\npreset = vllm-2026-07\nmax_num_seqs = 4\n"
#define MORE "max_num_batched_tokens = 64\n"

int main(void)
{
	ok(engine_of(JULY MORE "max_loras = 3\n", &h100) == 0 &&
	       e.lora.max_loras == 0 && e.lora.max_cpu_loras == 0,
	   "without enable_lora there are none");
	ok(engine_of(JULY MORE "enable_lora = true\n", &h100) == 0 &&
	       e.lora.max_loras == 1 && e.lora.max_cpu_loras == 1,
	   "one at a time is the default");
	ok(engine_of(JULY MORE "enable_lora = true\nmax_loras = 3\n"
			       "max_cpu_loras = 7\nlora_us = 1.5\n"
			       "lora_load_us = 2\nlora_activate_us = 3\n",
		     &h100) == 0 &&
	       e.lora.max_loras == 3 && e.lora.max_cpu_loras == 7 &&
	       e.lora.step_ns == 1500 && e.lora.load_ns == 2000 &&
	       e.lora.activate_ns == 3000,
	   "keys are copied, times in ns");
	refused(JULY MORE "enable_lora = true\nmax_loras = 3\n"
			  "max_cpu_loras = 2\n",
		"max_cpu_loras = 2: at least max_loras = 3");
	refused(JULY MORE "enable_lora = true\nreplicas = 2\n"
			  "prefill_replicas = 1\n",
		"enable_lora = true: adapters are not simulated with prefill "
		"and decode apart");
	refused("[engine]\npreset = vllm-0.24\nenable_lora = true\n",
		"enable_lora is a key of preset = vllm-2026-07");
	return done();
}
