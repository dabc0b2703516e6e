/* inert: a plugin with a knob that says that it has no effect, and has one. */
#include <stdlib.h>
#include "stepcost/fail.h"
#include "stepcost/knob.h"

static const char *const modes[] = {"fast", "slow", NULL};
struct knobs {
	int64_t mode;
	double slow_us, idle_us;
};
static const sc_knob *const knobs[] = {
    SC_CHOICE(struct knobs, mode, "slow", modes, "How it computes."),
    SC_DOUBLE(struct knobs, idle_us, "1", 0, 9, "us", "Added by nobody.",
	      .when = "mode=slow"),
    SC_DOUBLE(struct knobs, slow_us, "1", 0, 9, "us",
	      "Added in both modes, though it says in one.",
	      .when = "mode=slow"),
};

static int32_t create(void **inst, const sc_setup *setup, const void *block,
		      sc_error *err)
{
	(void)setup;
	struct knobs *k = malloc(sizeof *k);
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
	(void)err;
	out->total_us = 100 + k->slow_us + step->n_decode;
	return SC_OK;
}

static const sc_plugin plugin = {
    .size = sizeof plugin,
    .abi_major = SC_ABI_MAJOR,
    .abi_minor = SC_ABI_MINOR,
    .name = "inert",
    .version = "1",
    .summary = "a knob with a false condition",
    .n_knobs = sizeof knobs / sizeof *knobs,
    .knob = knobs,
    .knob_block = sizeof(struct knobs),
    .create = create,
    .destroy = free,
    .eval = eval,
};
SC_PLUGIN_DEFINE(plugin);
