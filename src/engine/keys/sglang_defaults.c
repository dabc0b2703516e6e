/* sglang_defaults.c -- Finds SGLang's defaults by the GPU's memory. */
#include "engine/keys/sglang_defaults.h"
#include <math.h>

struct class
{
	double below_gib;
	int64_t chunk, graph[2]; /* below tp 4; from there on */
};
static const struct class class_of[] = {{20, 2048, {8, 8}},
					{35, 2048, {24, 80}},
					{60, 4096, {32, 160}},
					{160, 8192, {256, 512}},
					{INFINITY, 16384, {512, 512}}};

uint32_t sglang_prompt_sizes(int64_t most_tokens)
{
	static const struct {
		int64_t from, to, step;
	} range[] = {{4, 32, 4},      {48, 256, 16},     {288, 512, 32},
		     {576, 1024, 64}, {1280, 4096, 256}, {4608, 1 << 30, 512}};
	uint32_t n = 0;
	for (size_t i = 0; i < sizeof range / sizeof *range; i++) {
		int64_t to =
		    range[i].to < most_tokens ? range[i].to : most_tokens;
		if (to >= range[i].from)
			n += (uint32_t)((to - range[i].from) / range[i].step) +
			     1;
	}
	return n;
}

/* Returns the MiB that SGLang leaves for activations and graphs. */
static double reserve_mib(const struct engine_keys *k,
			  const struct engine_usage *u)
{
	int64_t graph = k->cuda_graph_max_bs, chunk = k->chunked_prefill_size;
	int64_t ranks = u->has_experts ? k->data_parallel_size : 1;
	double mib = 512 + 2.0 * (double)graph;
	if (chunk > 0)
		mib += 1.5 * (double)(chunk > 2048 ? chunk : 2048);
	else
		mib += 1.5 * (double)k->max_prefill_tokens;
	mib += 128.0 *
	       (double)(k->tensor_parallel_size * k->pipeline_parallel_size);
	if (ranks > 1)
		mib += (graph > 300 ? 4.5 : 3) * (double)(graph * ranks);
	if (u->memory_bytes > 60 * 0x1p30 && mib < 10240)
		mib = 10240;
	if (k->preset == PRESET_SGLANG_056)
		return mib;
	return mib + 8.0 * sglang_prompt_sizes(chunk > 0 ? chunk : 0) +
	       (u->has_latent_attention ? 1536 : 0);
}

void sglang_defaults_set(struct engine_keys *k, const struct engine_usage *u)
{
	int i = 0;
	while (u->memory_bytes >= class_of[i].below_gib * 0x1p30)
		i++;
	if (!k->chunked_prefill_size)
		k->chunked_prefill_size = class_of[i].chunk;
	if (!k->cuda_graph_max_bs)
		k->cuda_graph_max_bs =
		    class_of[i].graph[k->tensor_parallel_size >= 4];
	if (k->mem_fraction_static > 0)
		return;
	double mib = u->memory_bytes / 0x1p20;
	double share = round(1e3 * (mib - reserve_mib(k, u)) / mib) / 1e3;
	k->mem_fraction_static = share > 0.01 ? share : 0.01;
}
