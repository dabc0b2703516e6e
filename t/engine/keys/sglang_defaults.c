/* SGLang's defaults by the memory of the GPU. */
#include "engine/keys/sglang_defaults.h"
#include "engine/choices.h"
#include "tap.h"

static struct engine_keys keys;
static struct engine_usage gpu;

static void of(int64_t preset, double gib, int64_t tp)
{
	keys = (struct engine_keys){.preset = preset,
				    .tensor_parallel_size = tp,
				    .pipeline_parallel_size = 1,
				    .data_parallel_size = 1,
				    .max_prefill_tokens = 16384};
	gpu.memory_bytes = gib * 0x1p30;
	sglang_defaults_set(&keys, &gpu);
}

static int share_is(int thousandths)
{
	double share = 1e3 * keys.mem_fraction_static;
	return share > thousandths - 0.01 && share < thousandths + 0.01;
}

static void sizes(void)
{
	static const struct {
		double gib;
		int64_t tp, chunk, graph;
	} want[] = {
	    {16, 1, 2048, 8},   {16, 8, 2048, 8},    {24, 1, 2048, 24},
	    {24, 4, 2048, 80},  {48, 2, 4096, 32},   {48, 4, 4096, 160},
	    {80, 1, 8192, 256}, {141, 8, 8192, 512}, {180, 1, 16384, 512}};
	for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
		of(PRESET_SGLANG, want[i].gib, want[i].tp);
		ok(keys.chunked_prefill_size == want[i].chunk &&
		       keys.cuda_graph_max_bs == want[i].graph,
		   "%g GiB, tp %d", want[i].gib, (int)want[i].tp);
	}
}

static void shares(void)
{
	of(PRESET_SGLANG_056, 81559.0 / 1024, 1);
	ok(share_is(835), "an H100: 512 + 12288 + 128 + 512 MiB are left");
	of(PRESET_SGLANG_2026_07, 81559.0 / 1024, 1);
	ok(share_is(830), "later also for 58 sizes of prompts");
	gpu.has_latent_attention = 1;
	of(PRESET_SGLANG_2026_07, 81559.0 / 1024, 1);
	ok(share_is(811), "and for latent attention");
	gpu.has_latent_attention = 0;
	keys.mem_fraction_static = 0.5;
	sglang_defaults_set(&keys, &gpu);
	ok(share_is(500), "what is given stays");
	of(PRESET_SGLANG_056, 61, 1);
	ok(share_is(785), "a large GPU: more than 10240 MiB anyway");
	keys.mem_fraction_static = 0;
	keys.chunked_prefill_size = 1024;
	sglang_defaults_set(&keys, &gpu);
	ok(share_is(836), "10240 MiB at least");
	gpu.has_experts = 1;
	keys.mem_fraction_static = 0;
	keys.data_parallel_size = 8;
	sglang_defaults_set(&keys, &gpu);
	ok(share_is(834), "experts, 8 ranks: a little more");
	keys.mem_fraction_static = 0;
	keys.chunked_prefill_size = 8192;
	sglang_defaults_set(&keys, &gpu);
	ok(share_is(686), "3 * 256 * 8 MiB more");
	gpu.has_experts = 0;
}

int main(void)
{
	sizes();
	shares();
	ok(sglang_prompt_sizes(8192) == 58 && sglang_prompt_sizes(0) == 0 &&
	       sglang_prompt_sizes(4) == 1 && sglang_prompt_sizes(2048) == 42,
	   "sizes of captured prompts");
	return done();
}
