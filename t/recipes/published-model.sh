words="NAME=probe_field CONFIG=$copy/etc/field-ci.ini"
wants=' - speed
probe_field'
plant() {
	mkdir plugins/field/probe_field
	cat >plugins/field/probe_field/probe_field.c <<'X'
/* probe_field: prices a step by its weights, read once. */
#include "field.h"
#include "stepcost/batch.h"

struct knobs {
	const char *gpu;
	int64_t hardware_from_file;
};
static const sc_knob *const knobs[] = {FIELD_GPU_KNOBS(struct knobs)};

struct inst {
	struct field_model m;
	double weights_us;
};
static const char *const *const gpus[] = {
    (const char *const[]){"h100-sxm", "H100", NULL}};

static int32_t start(struct inst *s, const sc_setup *setup,
		     const struct knobs *k, sc_error *err)
{
	int32_t rc = field_read(&s->m, setup, FIELD_TP, "Probe", err);
	if (rc != SC_OK)
		return rc;
	if (field_gpu(gpus, 1, setup, k->gpu, "Probe", err) < 0)
		return SC_EUNSUP;
	double bandwidth =
	    k->hardware_from_file ? setup->hardware->mem_bandwidth : 3.35e12;
	s->weights_us = s->m.layers * 3 * s->m.hidden * s->m.dense_ffn *
			s->m.weight_bytes / s->m.tp / bandwidth * 1e6;
	return SC_OK;
}

FIELD_CREATE(struct inst, start)

static int32_t eval(void *inst, const sc_step *step, sc_result *out,
		    sc_error *err)
{
	const struct inst *s = inst;
	struct field_sums t = field_sums_of(step);
	(void)err;
	return field_answer(out, s->weights_us + t.prompt + t.decodes);
}

SC_EVAL_BATCH(eval);

static const sc_plugin plugin = {
    .size = sizeof plugin,
    .abi_major = SC_ABI_MAJOR,
    .abi_minor = SC_ABI_MINOR,
    .name = "probe_field",
    .version = "1",
    .summary = "the weights, read once",
    .n_knobs = sizeof knobs / sizeof *knobs,
    .knob = knobs,
    .knob_block = sizeof(struct knobs),
    .create = create,
    .destroy = free,
    .eval = eval,
    .eval_batch = eval_batch,
    .id = "org.example.probe",
    .licence = "MIT",
    .citation = "Probe, 2026",
};
SC_PLUGIN_DEFINE(plugin);
X
	printf '# probe_field\n\nThe weights, read once.\n' >plugins/field/probe_field/probe_field.md
	for file in etc/field-arena.ini etc/field-ci.ini; do
		before $file '[cost_model:splitwise]' '[cost_model:probe_field]
plugin = probe_field'
	done
}
