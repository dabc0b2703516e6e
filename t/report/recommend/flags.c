/* The command lines of serving engines as facts. */
#include "report/recommend/flags.h"
#include <stdlib.h>
#include "tap.h"

static struct problem why;

int main(void)
{
	struct flags f = {0};
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
	return done();
}
