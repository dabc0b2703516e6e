words='NAME=probe_model'
wants='probe_us
 - speed'
plant() {
	mkdir plugins/probe_model
	cat >plugins/probe_model/probe_model.c <<'X'
/* probe_model: prices a step by a constant. */
#include <stdlib.h>
#include "stepcost/fail.h"
#include "stepcost/knob.h"

struct knobs {
	double probe_us;
};
static const sc_knob *const knobs[] = {
    SC_DOUBLE(struct knobs, probe_us, "100", 1, 1e9, "us", "Time of a step."),
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
	(void)step, (void)err;
	const struct knobs *k = inst;
	out->overhead_us = out->total_us = k->probe_us;
	return SC_OK;
}

static const sc_plugin plugin = {
    .size = sizeof plugin,
    .abi_major = SC_ABI_MAJOR,
    .abi_minor = SC_ABI_MINOR,
    .name = "probe_model",
    .version = "1",
    .summary = "constant time per step",
    .n_knobs = sizeof knobs / sizeof *knobs,
    .knob = knobs,
    .knob_block = sizeof(struct knobs),
    .create = create,
    .destroy = free,
    .eval = eval,
};
SC_PLUGIN_DEFINE(plugin);
X
	printf '# probe_model\n\nA constant.\n' >plugins/probe_model/probe_model.md
}
