/* A cost model that is right until step `at`, and then does `fault`. */
#include "faults.h"
#include "stepcost/knob.h"

struct knobs {
	int64_t fault, at;
	double us;
};
static const sc_knob *const knob[] = {
    SC_CHOICE(struct knobs, fault, "none", fault_name, "what goes wrong"),
    SC_INT(struct knobs, at, "17", 0, 1e15, "1", "at which step"),
    SC_DOUBLE(struct knobs, us, "1000", 0, 1e9, "us", "a step lasts"),
};

static int32_t create(void **inst, const sc_setup *setup, const void *knobs,
		      sc_error *err)
{
	struct knobs *k = malloc(sizeof *k);
	(void)setup, (void)err;
	if (!k)
		return SC_ENOMEM;
	*k = *(const struct knobs *)knobs;
	*inst = k;
	return SC_OK;
}

static int32_t eval(void *inst, const sc_step *step, sc_result *out,
		    sc_error *err)
{
	const struct knobs *k = inst;
	(void)err;
	out->total_us = k->us + step->n_decode;
	if (step->step_index == (uint64_t)k->at)
		do_wrong((enum fault)k->fault, step, out);
	return SC_OK;
}

static const sc_plugin plugin = {
    .size = sizeof plugin,
    .abi_major = SC_ABI_MAJOR,
    .abi_minor = SC_ABI_MINOR,
    .name = "faulty",
    .version = "1",
    .summary = "breaks when told to",
    .n_knobs = sizeof knob / sizeof *knob,
    .knob = knob,
    .knob_block = sizeof(struct knobs),
    .create = create,
    .destroy = free,
    .eval = eval,
};
SC_PLUGIN_DEFINE(plugin);
