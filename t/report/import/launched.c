/* Flags become keys, or are listed. */
#include "report/import/launched.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tap.h"

static struct launched x;
static struct problem p;

static int read_text(const char *text, const char *engine)
{
	char path[] = "/tmp/stepcost-launched-XXXXXX";
	int fd = mkstemp(path);
	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		bail_out(path);
	close(fd);
	launched_free(&x);
	x = (struct launched){.engine = NULL};
	int rc = launched_read(&x, path, engine, &p);
	unlink(path);
	return rc;
}

static void gives(const char *text, const char *key, const char *want)
{
	if (ok(read_text(text, NULL) == 0, "%s", text)) {
		const char *got = ini_get(&x.c, "engine", key);
		is(got ? got : "none", want, "%s", key);
	} else
		printf("# %s\n", p.text);
}

static void lists(const char *text, const char *other)
{
	if (!ok(read_text(text, NULL) == 0 && names_have(&x.other, other), "%s",
		other))
		printf("# %s; %s\n", p.text, x.other.n ? x.other.item[0] : "");
}

int main(void)
{
	gives("vllm serve m -tp 4", "tensor_parallel_size", "4");
	gives("vllm serve m --max-model-len 1.5k", "max_model_len", "1500");
	gives("vllm serve m --max-model-len 2M", "max_model_len", "2097152");
	gives("vllm serve m --max-model-len auto", "max_model_len", "none");
	gives("vllm serve m --no_async_scheduling", "async_scheduling",
	      "false");
	gives("vllm serve m --kv-cache-dtype fp8_e5m2", "kv_cache_dtype",
	      "fp8");
	gives("vllm serve m --max-num-seqs 8 --max-num-seqs=9", "max_num_seqs",
	      "9");
	gives("vllm serve m --speculative-config.num_speculative_tokens 3",
	      "num_speculative_tokens", "3");
	gives("enforce_eager: true", "graph_max_tokens", "0");
	gives("enforce_eager: false", "graph_max_tokens", "none");
	gives("kv_cache_config: {enable_block_reuse: no}", "enable_block_reuse",
	      "false");
	gives("trtllm-serve m --tp_size 8 --ep_size 8",
	      "enable_expert_parallel", "true");
	gives("trtllm-serve m --tp_size 8 --ep_size 4", "expert_parallel_size",
	      "4");
	lists("vllm serve m --max-num-seqs many",
	      "--max-num-seqs many: max_num_seqs = many: not an integer in [1, "
	      "65536]");
	lists("vllm serve m --hf-overrides '{\"a\": {\"b\": 1}}'",
	      "--hf-overrides.a.b 1");
	lists("vllm serve m --config none.yaml",
	      "none.yaml, a file that is not here");
	lists("vllm serve m --kv-transfer-config '{\"a\": 1}'",
	      "--kv-transfer-config {\"a\": 1}");
	lists("vllm serve m other", "other");
	ok(read_text("tp: 4", "sglang") == 0 && x.engine &&
	       !strcmp(x.engine, "sglang") &&
	       !strcmp(ini_get(&x.c, "engine", "tensor_parallel_size"), "4"),
	   "YAML of SGLang: %s", p.text);
	ok(read_text("a: [1", NULL) < 0 && p.code == EXIT_INPUT, "%s", p.text);
	ok(read_text("- a", NULL) < 0 && strstr(p.text, "is neither a mapping"),
	   "%s", p.text);
	launched_free(&x);
	return done();
}
