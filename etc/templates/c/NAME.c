/* @NAME@: what it prices and how; @NAME@.md. */
#include <stdlib.h>
#include "stepcost/fail.h"
#include "stepcost/knob.h"

struct knobs {
	double base_us, per_token_us;
};

static const sc_knob *const knobs[] = {
    SC_DOUBLE(struct knobs, base_us, "6000", 0, 1e9, "us",
	      "Time of a step that computes nothing; a guess."),
    SC_DOUBLE(struct knobs, per_token_us, "25", 0, 1e6, "us",
	      "Time that each token computed adds; a guess."),
};

static int32_t create(void **inst, const sc_setup *setup, const void *block,
		      sc_error *err)
{
	struct knobs *k = malloc(sizeof *k);
	(void)setup; /* the model, the hardware and the tables are in it */
	if (!k)
		return sc_fail(err, SC_ENOMEM, "out of memory");
	*k = *(const struct knobs *)block;
	*inst = k;
	return SC_OK;
}

static int32_t eval(void *inst, const sc_step *step, sc_result *out,
		    sc_error *err)
{
	const struct knobs *k = inst;
	uint64_t tokens = step->n_decode;
	(void)err;
	for (uint32_t i = 0; i < step->n_prefill; i++)
		tokens += step->prefill_new[i];
	out->overhead_us = k->base_us;
	out->total_us = k->base_us + k->per_token_us * (double)tokens;
	return SC_OK;
}

static const sc_plugin plugin = {
    .size = sizeof plugin,
    .abi_major = SC_ABI_MAJOR,
    .abi_minor = SC_ABI_MINOR,
    .name = "@NAME@",
    .version = "1",
    .summary = "a constant and a time per token",
    .n_knobs = sizeof knobs / sizeof *knobs,
    .knob = knobs,
    .knob_block = sizeof(struct knobs),
    .create = create,
    .destroy = free,
    .eval = eval,
};
SC_PLUGIN_DEFINE(plugin);
