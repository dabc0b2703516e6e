/* Whether a GPU has room for weights, KV and activations. */
#include "engine/memory/memory.h"
#include "engine_of.h"
#include "tap.h"

#define TEXT(rest) "[engine]\n" rest "\n"

/* Refused with ENGINE_NO_ROOM, and a message that has the text in it? */
static void full(const char *text, const struct engine_facts *f,
		 const char *why)
{
	int rc = engine_of(text, f);
	if (!ok(rc == ENGINE_NO_ROOM && problem.code == EXIT_USAGE &&
		    strstr(problem.text, why),
		"%s", why))
		printf("# got %d %s\n", rc, problem.text);
}

/* (84.9e9 - 16.06e9 - 0.9e9) / 131072 / 16 = 32396.07 */
static void numbers(void)
{
	struct engine_facts f = h100;
	ok(engine_of(TEXT("num_gpu_blocks = 32396"), &h100) == 0,
	   "all of the memory: %s", problem.text);
	full(TEXT("num_gpu_blocks = 32397"), &h100,
	     "num_gpu_blocks = 32397: a GPU would hold 16.06 GB of weights, "
	     "0.9 GB of activations and 67.94 GB of KV, and has 84.9 GB");
	full(TEXT("num_gpu_blocks = 32396\ngraph_memory_bytes = 1e9"), &h100,
	     ", 1 GB of graphs and");
	ok(engine_of(TEXT("num_gpu_blocks = 32397\nmemory_check = off"),
		     &h100) == 0 &&
	       e.num_gpu_blocks == 32397 &&
	       strstr(e.blocks_text, "; memory_check = off: a GPU would hold"),
	   "off, and it says so: %s", e.blocks_text);
	ok(engine_of(TEXT("num_gpu_blocks = 32396\nmemory_check = off"),
		     &h100) == 0 &&
	       !strstr(e.blocks_text, "off"),
	   "off, and there is room: %s", e.blocks_text);
	f.parallel.dp = 4;
	ok(engine_of(TEXT("data_parallel_size = 4\n"
			  "num_gpu_blocks = 129584"),
		     &f) == 0,
	   "blocks of four ranks together: %s", problem.text);
	full(TEXT("data_parallel_size = 4\nnum_gpu_blocks = 129590"), &f,
	     "67.94 GB of KV");
	f = h100;
	f.usable_bytes = 0;
	ok(engine_of(TEXT("num_gpu_blocks = 99999999"), &f) == 0,
	   "a memory that is not known is not compared");
}

static void unlimited(void)
{
	struct engine_facts f = h100;
	struct problem p = {0};
	ok(engine_of(TEXT("num_gpu_blocks = unlimited"), &h100) == 0 &&
	       e.kv_room_blocks == 32396,
	   "the memory has room for so many of them");
	ok(engine_check_held(&e, 32396, &p) == 0, "as many may be held");
	ok(engine_check_held(&e, 32397, &p) < 0 && p.code == EXIT_USAGE &&
	       strstr(p.text, "held 32397 blocks of KV at once"),
	   "%s", p.text);
	ok(engine_of(TEXT("num_gpu_blocks = unlimited\nmemory_check = off"),
		     &h100) == 0 &&
	       engine_check_held(&e, 99999999, &p) == 0,
	   "or any number, if nothing is checked");
	ok(engine_of("", &h100) == 0 && e.kv_room_blocks == 0,
	   "auto has a number of its own");
	f.usable_bytes = 16.9e9;
	full(TEXT("num_gpu_blocks = unlimited"), &f,
	     "num_gpu_blocks = unlimited: a GPU would hold 16.06 GB");
	f = two;
	f.parallel.tp = 1;
	f.parallel.pp = 2;
	f.share[1] = (struct engine_share){84.5e9, 0};
	full(TEXT("pipeline_parallel_size = 2\nnum_gpu_blocks = unlimited"), &f,
	     "a GPU of stage 2 would hold 84.5 GB of weights, 0.9 GB of "
	     "activations and 0 GB of KV");
	full(TEXT("pipeline_parallel_size = 2"), &f, "a GPU of stage 2");
}

/* What auto leaves free of other schedulers. */
static void computed(void)
{
	ok(engine_of(TEXT("gpu_memory_utilization = 1"), &h100) == 0,
	   "auto may fill all of it: %s", problem.text);
	full(TEXT("scheduler = sglang\nmem_fraction_static = 1\n"
		  "chunked_prefill_size = 64\ncuda_graph_max_bs = 8"),
	     &h100, "num_gpu_blocks = auto: a GPU would hold");
	full(TEXT("gpu_memory_utilization = 0.1"), &h100,
	     "num_gpu_blocks = auto: no room for KV");
	full(TEXT("gpu_memory_utilization = 0.1\nmemory_check = off"), &h100,
	     "num_gpu_blocks = auto: no room for KV");
}

/* 16 layers of full attention and 16 with windows, of 4,096 bytes a token: a
 * block is a page of 65,536 bytes in each of 16 layers. */
static void groups(void)
{
	const sc_layers group = {.size = sizeof group,
				 .attention = SC_ATTN_WINDOW};
	const sc_layers *const all[] = {&group};
	const sc_model model = {
	    .size = sizeof model, .n_groups = 1, .group = all};
	struct engine_facts f = h100;
	f.model = &model;
	f.kv_layer[0] = (struct kv_layers){.n = 16, .token_bytes = 4096};
	f.kv_layer[1] =
	    (struct kv_layers){.n = 16, .window = 128, .token_bytes = 4096};
	f.n_kv_layers = 2;
	ok(engine_of(TEXT("preset = vllm-0.24\nnum_gpu_blocks = 64792"), &f) ==
	       0,
	   "blocks of KV-cache groups: %s", problem.text);
	full(TEXT("preset = vllm-0.24\nnum_gpu_blocks = 64793"), &f,
	     "67.94 GB of KV");
	ok(engine_of(TEXT("preset = vllm-0.24\nnum_gpu_blocks = unlimited"),
		     &f) == 0 &&
	       e.kv_room_blocks == 64792,
	   "the memory has room for so many of them");
}

int main(void)
{
	numbers();
	unlimited();
	computed();
	groups();
	ini_free(&ini);
	return done();
}
