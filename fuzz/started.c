/* started.c -- Any bytes as what starts a server: a script, or YAML, also of a
 * gateway.  May be refused, must not crash; each key that is set has a section.
 */
#include <stdlib.h>
#include <string.h>
#include "fuzz.h"
#include "report/import/launched.h"

static void put_shipped(void)
{
	static int is_done;
	if (is_done++)
		return;
	fuzz_put_data(
	    "etc/launch.csv",
	    "engine,version,key,flag,type,source\n"
	    "vllm,1,command,vllm serve,command,x\n"
	    "vllm,1,tensor_parallel_size,--tensor-parallel-size,int,x\n"
	    "vllm,1,kv_cache_dtype,--kv-cache-dtype,text,x\n"
	    "vllm,1,async_scheduling,--async-scheduling,switch,x\n"
	    "vllm,1,role,--kv-transfer-config,json,x\n"
	    "sglang,1,tensor_parallel_size,--tp-size,int,x\n"
	    "sglang,1,data_parallel_size,--dp-size,int,x\n"
	    "sglang,1,attention_dp,--enable-dp-attention,true,x\n"
	    "tensorrt_llm,1,expert_parallel_size,--ep_size,int,x\n"
	    "tensorrt_llm,1,attention_dp,enable_attention_dp,file,x\n");
	fuzz_put_data(
	    "etc/launch-import.csv",
	    "engine,flag,key,value,source\n"
	    "*,model,model,,\n*,quantization,quantization,,\n"
	    "vllm,tp,tensor_parallel_size,,\n"
	    "vllm,enforce-eager,graph_max_tokens,0,\n"
	    "vllm,speculative-config.method,speculative_method,,\n"
	    "tensorrt_llm,tensor-parallel-size,tensor_parallel_size,,\n");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct launched x = {.engine = NULL};
	struct problem p = {0};
	put_shipped();
	int rc = launched_read(&x, fuzz_file(data, size), NULL, &p);
	if (rc < 0 && !p.text[0])
		abort();
	for (size_t i = 0; i < x.c.n; i++)
		if (rc == 0 && (!*x.c.item[i].key || !*x.c.item[i].section))
			abort();
	launched_free(&x);
	return 0;
}
