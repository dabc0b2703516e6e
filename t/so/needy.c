/* needy: needs a table and a GPU; may have a table of a kind of its own. */
#include "stepcost/knob.h"

static int32_t create(void **inst, const sc_setup *setup, const void *block,
		      sc_error *err)
{
	(void)setup, (void)block, (void)err;
	*inst = 0;
	return SC_OK;
}

static void destroy(void *inst)
{
	(void)inst;
}

static int32_t eval(void *inst, const sc_step *step, sc_result *out,
		    sc_error *err)
{
	(void)inst, (void)step, (void)err;
	out->total_us = 9000;
	return SC_OK;
}

static const sc_need *const needs[] = {
    &(const sc_need){.size = sizeof(sc_need),
		     .kind = SC_NEED_TABLE,
		     .value = "attention_decode",
		     .columns = "batch,kv_len, latency_us",
		     .notes = "source"},
    &(const sc_need){.size = sizeof(sc_need),
		     .kind = SC_NEED_TABLE,
		     .flags = SC_NEED_OPTIONAL,
		     .value = "own_kind"},
    &(const sc_need){
	.size = sizeof(sc_need), .kind = SC_NEED_GPU, .value = "h[12]00-*"},
};
static const sc_plugin plugin = {.size = sizeof plugin,
				 .abi_major = SC_ABI_MAJOR,
				 .abi_minor = SC_ABI_MINOR,
				 .name = "needy",
				 .version = "1",
				 .summary = "needs a table",
				 .knob_block = 8,
				 .create = create,
				 .destroy = destroy,
				 .eval = eval,
				 .n_needs = 3,
				 .need = needs};
SC_PLUGIN_DEFINE(plugin);
