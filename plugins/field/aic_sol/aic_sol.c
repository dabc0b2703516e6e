/* aic_sol: AIConfigurator's speed of light: every operator at the peak of the
 * GPU; aic_sol.md has the formulas. */
#include "aic_sol.h"
#include "stepcost/batch.h"

static const sc_knob *const knobs[] = {FIELD_GPU_KNOBS(struct aic_knobs)};

static int32_t start(struct aic *a, const sc_setup *setup,
		     const struct aic_knobs *k, sc_error *err)
{
	sol_operators(a);
	return aic_read(a, setup, k, err);
}

FIELD_CREATE(struct aic, start)

static int32_t eval(void *inst, const sc_step *step, sc_result *out,
		    sc_error *err)
{
	(void)err;
	return field_answer(out, aic_step(inst, step, out) * 1e6);
}

SC_EVAL_BATCH(eval);

static const sc_plugin plugin = {
    .size = sizeof plugin,
    .abi_major = SC_ABI_MAJOR,
    .abi_minor = SC_ABI_MINOR,
    .name = "aic_sol",
    .version = "d2af06a",
    .summary = "AIConfigurator: every operator at the speed of light",
    .n_knobs = sizeof knobs / sizeof *knobs,
    .knob = knobs,
    .knob_block = sizeof(struct aic_knobs),
    .create = create,
    .destroy = free,
    .eval = eval,
    .eval_batch = eval_batch,
    .id = "io.github.ai-dynamo.aiconfigurator.sol",
    .author = "NVIDIA",
    .licence = AIC_LICENCE,
    .url = AIC_URL,
    .citation = "AIConfigurator at d2af06a, database mode SOL",
};
SC_PLUGIN_DEFINE(plugin);
