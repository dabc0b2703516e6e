/* gated: a constant cost, for tests that need a run to be in the middle of its
 * work: where `waits` is not 0 it is not made before the file $GATE is there.
 */
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include "stepcost/fail.h"
#include "stepcost/knob.h"

struct knobs {
	int64_t waits;
};

static const sc_knob *const knobs[] = {
    SC_INT(struct knobs, waits, "0", 0, 2, "",
	   "Not 0: not made before $GATE is."),
};

static int32_t create(void **inst, const sc_setup *setup, const void *block,
		      sc_error *err)
{
	static const struct timespec a_moment = {.tv_nsec = 20000000};
	const struct knobs *k = block;
	const char *gate = getenv("GATE");
	(void)setup;
	*inst = NULL;
	if (!gate)
		return sc_fail(err, SC_EINVAL, "no $GATE");
	while (k->waits && access(gate, F_OK) != 0)
		nanosleep(&a_moment, NULL);
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
	out->total_us = 1000;
	return SC_OK;
}

static const sc_plugin plugin = {
    .size = sizeof plugin,
    .abi_major = SC_ABI_MAJOR,
    .abi_minor = SC_ABI_MINOR,
    .name = "gated",
    .version = "1",
    .summary = "constant, once a file is there",
    .n_knobs = sizeof knobs / sizeof *knobs,
    .knob = knobs,
    .knob_block = sizeof(struct knobs),
    .create = create,
    .destroy = destroy,
    .eval = eval,
};
SC_PLUGIN_DEFINE(plugin);
