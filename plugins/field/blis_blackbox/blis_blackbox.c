/* blis_blackbox: BLIS' line through measured steps, a set of coefficients for a
 * model, GPU, TP and version of vLLM; blis_blackbox.md has the rules. */
#include "blis.h"
#include "figures.h"
#include "stepcost/batch.h"

struct knobs {
	const char *model, *gpu, *vllm;
};
static const sc_knob *const knobs[] = {
    SC_TEXT(struct knobs, model, "",
	    "A model of coefficients.csv, as the hub names it, in lower case. "
	    "Empty: by the name of the model (names.csv)."),
    SC_TEXT(struct knobs, gpu, "",
	    "Another GPU of the origin's list (H100, A100-80). Empty: that of "
	    "[hardware]."),
    SC_TEXT(
	struct knobs, vllm, "",
	"A version of vLLM (v0.8.4, v0.10.1.1, v0.11.0). Empty: that of the "
	"first row of model, GPU and tensor parallel size."),
};

#define NAMES "name,model,layers,hidden"
#define COEFFICIENTS                                                           \
	"model,gpu,tp,vllm,step_us,prompt_token_us,decode_us,before_us,"       \
	"before_prompt_token_us,output_token_us,loss"
enum { MODEL, GPU, TP, VLLM, STEP, PROMPT, DECODE, BEFORE, BEFORE_TOKEN, OUT };

struct inst {
	double step_us, prompt_us, decode_us;
	sc_request_costs costs;
};

/* Finds the origin's name of a model file; its shape must be the one that
 * names.csv has. */
static int32_t named(char *model, size_t room, const sc_setup *setup,
		     sc_error *err)
{
	struct field_figures f;
	struct field_model m;
	const char *is = setup->model->name;
	int32_t rc = field_load(&f, setup, "names.csv", NAMES, err);
	if (rc == SC_OK)
		rc = field_read(&m, setup, FIELD_ANY_LAYERS | FIELD_TP, "BLIS",
				err);
	for (size_t i = 0; rc == SC_OK && i < f.rows; i++) {
		if (strcmp(field_cell(&f, i, 0), is) != 0)
			continue;
		if (field_number(&f, i, 2) != m.layers ||
		    field_number(&f, i, 3) != m.hidden)
			rc = sc_fail(err, SC_EUNSUP,
				     "model %s does not have the shape that "
				     "BLIS' coefficients are of",
				     is);
		snprintf(model, room, "%s", field_cell(&f, i, 1));
	}
	field_free(&f);
	if (rc == SC_OK && !*model)
		rc = sc_fail(err, SC_EUNSUP,
			     "BLIS has no coefficients of %s; knob model names "
			     "a row of coefficients.csv",
			     is);
	return rc;
}

static void take(struct inst *s, const struct field_figures *f, size_t i)
{
	s->step_us = field_number(f, i, STEP);
	s->prompt_us = field_number(f, i, PROMPT);
	s->decode_us = field_number(f, i, DECODE);
	s->costs.before_us = field_number(f, i, BEFORE);
	s->costs.prompt_token_us = field_number(f, i, BEFORE_TOKEN);
	s->costs.output_token_us = field_number(f, i, OUT);
}

/* Finds the coefficients of a model on a GPU at this tensor parallel size;
 * vllm: of this version, or "" for any. */
static int32_t find(struct inst *s, const sc_setup *setup, const char *model,
		    const char *gpu, const char *vllm, sc_error *err)
{
	struct field_figures f;
	uint32_t tp = setup->parallel->tp;
	int32_t rc =
	    field_load(&f, setup, "coefficients.csv", COEFFICIENTS, err);
	size_t i = 0;
	while (i < f.rows && (strcasecmp(field_cell(&f, i, MODEL), model) ||
			      strcasecmp(field_cell(&f, i, GPU), gpu) ||
			      field_number(&f, i, TP) != tp ||
			      (*vllm && strcmp(field_cell(&f, i, VLLM), vllm))))
		i++;
	if (rc == SC_OK && i == f.rows)
		rc =
		    sc_fail(err, SC_EUNSUP,
			    "BLIS has no coefficients of %s on %s at tensor "
			    "parallel size %u%s%s: coefficients.csv lists them",
			    model, gpu, tp, *vllm ? " under vLLM " : "", vllm);
	if (rc == SC_OK)
		take(s, &f, i);
	field_free(&f);
	return rc;
}

static int32_t start(struct inst *s, const sc_setup *setup,
		     const struct knobs *k, sc_error *err)
{
	char model[200] = "";
	int32_t rc = field_split(setup->parallel, FIELD_TP, "BLIS", err);
	if (rc == SC_OK && *k->model)
		snprintf(model, sizeof model, "%s", k->model);
	else if (rc == SC_OK)
		rc = named(model, sizeof model, setup, err);
	if (rc != SC_OK)
		return rc;
	int i = field_gpu(blis_gpu_names, 3, setup, k->gpu, "BLIS", err);
	if (i < 0)
		return SC_EUNSUP;
	return find(s, setup, model, blis_gpu_names[i][1], k->vllm, err);
}

FIELD_CREATE(struct inst, start)

static int32_t eval(void *inst, const sc_step *step, sc_result *out,
		    sc_error *err)
{
	const struct inst *s = inst;
	struct field_sums t = field_sums_of(step);
	(void)err;
	return blis_answer(out, s->step_us + s->prompt_us * t.prompt +
				    s->decode_us * t.decodes);
}

static int32_t request_costs(void *inst, sc_request_costs *out, sc_error *err)
{
	const struct inst *s = inst;
	(void)err;
	out->before_us = s->costs.before_us;
	out->prompt_token_us = s->costs.prompt_token_us;
	out->output_token_us = s->costs.output_token_us;
	return SC_OK;
}

SC_EVAL_BATCH(eval);

static const sc_plugin plugin = {
    .size = sizeof plugin,
    .abi_major = SC_ABI_MAJOR,
    .abi_minor = SC_ABI_MINOR,
    .name = "blis_blackbox",
    .version = "87cc70ed",
    .summary = "BLIS: a line through measured steps, by model, GPU and TP",
    .n_knobs = sizeof knobs / sizeof *knobs,
    .knob = knobs,
    .knob_block = sizeof(struct knobs),
    .create = create,
    .destroy = free,
    .eval = eval,
    .eval_batch = eval_batch,
    .id = "io.github.inference-sim.blackbox",
    .author = "inference-sim",
    .licence = BLIS_LICENCE,
    .url = BLIS_URL,
    .citation = "inference-sim (BLIS), defaults.yaml at 87cc70ed",
    .request_costs = request_costs,
};
SC_PLUGIN_DEFINE(plugin);
