/* What a simulation asks of an engine. */
#include "engine/engine.h"
#include <math.h>
#include "engine_of.h"
#include "tap.h"

static void transfers(void)
{
	e = (struct engine){.parallel.tp = 2, .kv_bytes_per_token = 100};
	ok(engine_transfer_bytes(&e, 50, 10) == 4000, "bytes of 40 tokens");
	e.kv_groups = (struct kv_groups){
	    .n_kinds = 2,
	    .kind = {{.block_size = 4, .n_layers = 3},
		     {.window = 10, .block_size = 4, .n_layers = 5}},
	    .page_bytes = 8,
	};
	/* 2 bytes a token and layer: 3 layers of 50, 5 of 50 - 40. */
	ok(engine_transfer_bytes(&e, 50, 0) == 2 * 2 * (3 * 50 + 5 * 10),
	   "of windows what their blocks hold");
	ok(engine_transfer_bytes(&e, 50, 44) == 2 * 2 * (3 + 5) * 6,
	   "less what is there");
}

static void sampling(void)
{
	sc_engine view;
	sc_parallel parallel;
	engine_of("", &h100);
	engine_view(&view, &parallel, &e);
	ok(view.sampling == SC_SAMPLING_TOP_P, "the model's");
	engine_of("[engine]\nsampling = greedy\n", &h100);
	engine_view(&view, &parallel, &e);
	ok(view.sampling == SC_SAMPLING_GREEDY, "or the key's");
}

static void padding(void)
{
	const struct engine with = {.graph_max_tokens = 500};
	const uint32_t at[][2] = {{1, 1},     {2, 2},     {3, 4},
				  {5, 8},     {9, 16},    {249, 256},
				  {257, 272}, {499, 500}, {501, 501}};
	int wrong = 0;
	for (size_t i = 0; i < sizeof at / sizeof *at; i++)
		wrong += engine_padded_tokens(&with, at[i][0]) != at[i][1];
	ok(!wrong, "steps are padded to captured sizes");
}

int main(void)
{
	transfers();
	sampling();
	padding();
	ini_free(&ini);
	return done();
}
