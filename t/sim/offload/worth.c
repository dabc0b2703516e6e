/* Loads from the host against computing the same tokens. */
#include "sim/offload/worth.h"
#include "tap.h"

static uint32_t refuses_from = UINT32_MAX, had_graph;

/* A token costs 1 us behind nothing, and 2 us behind 100 tokens. */
static int32_t eval(void *inst, const sc_step *s, sc_result *out, sc_error *err)
{
	(void)inst, (void)err;
	if (s->n_prefill != 1 || s->n_decode || s->prefill_last[0] ||
	    s->prefill_new[0] >= refuses_from)
		return SC_EUNSUP;
	had_graph += s->flags & SC_STEP_GRAPH ? 1 : 0;
	out->total_us =
	    s->prefill_new[0] * (1 + .01 * (double)s->prefill_ctx[0]);
	return SC_OK;
}

static const sc_plugin linear = {.size = sizeof linear,
				 .abi_major = SC_ABI_MAJOR,
				 .name = "linear",
				 .eval = eval};

int main(void)
{
	struct cost cost = {.p = &linear};
	struct engine e = {.graph_max_tokens = 50};
	struct offload_loaded loaded[] = {{0, 16, 40000}, {100, 64, 60000}};
	struct offload o = {.loaded = loaded, .n_loaded = 2};
	struct offload_worth x = {0};
	offload_worth(&x, &o, &cost, &e);
	ok(x.loads == 2, "two loads");
	near(x.load_s, 100e-6, 1e-12, "their copies took 100 us");
	near(x.computing_s, 144e-6, 1e-12,
	     "computing their tokens takes 16 and 128 us");
	ok(had_graph == 1, "a short step runs as a graph");
	offload_worth(&x, &o, &cost, &e);
	ok(x.loads == 4, "those of another replica are added");
	refuses_from = 64;
	offload_worth(&x, &o, &cost, &e);
	ok(x.loads == 4, "nothing is added if one is refused");
	return done();
}
