/* The command lines of serving engines as facts. */
#include "report/recommend/flags.h"
#include <stdlib.h>
#include "tap.h"

static struct problem why;

int main(void)
{
	struct flags f = {0};
	int is_quantized;
	ok(flags_read(&f, "vllm", &why) == 0 && f.n > 10, "%zu of vLLM", f.n);
	is(flag_of(&f, "max_num_seqs")->flag, "--max-num-seqs", "a flag");
	ok(flag_of(&f, "enable_expert_parallel")->kind == FLAG_TRUE,
	   "one without a value");
	ok(!flag_of(&f, "routing"), "a key that vLLM does not have");
	flags_free(&f);
	ok(flags_read(&f, "tensorrt_llm", &why) == 0 &&
	       flag_of(&f, "kv_cache_dtype")->kind == FLAG_FILE,
	   "a key of a file");
	flags_free(&f);
	char *id = NULL;
	ok(flags_model_id(&id, "llama-3.1-8b", &is_quantized, &why) == 0,
	   "names of models");
	is(id, "meta-llama/Llama-3.1-8B", "a model");
	ok(!is_quantized, "as its publisher has it");
	free(id);
	ok(flags_model_id(&id, "mixtral-8x7b-fp8", &is_quantized, &why) == 0 &&
	       id && is_quantized,
	   "a model that somebody quantized");
	free(id);
	ok(flags_model_id(&id, "mine", &is_quantized, &why) == 0 && !id,
	   "a model of one's own");
	return done();
}
