/* declares: a sound plugin that says of itself all that ABI 1.3 can: where it
 * comes from, what it needs, how sure it is, what a request costs outside of
 * steps.  A step takes base_us, 1 us a new token, the sum of `edges`, and a
 * thousandth for each character of `words`. */
#include <stdlib.h>
#include <string.h>
#include "stepcost/fail.h"
#include "stepcost/knob.h"

static const char *const modes[] = {"plain", "sure", NULL};

struct knobs {
	double base_us, share, before_us, prompt_token_us, after_us;
	double output_token_us;
	int64_t mode;
	const char *words;
	const sc_numbers *edges;
};

static const sc_knob *const knobs[] = {
    SC_DOUBLE(struct knobs, base_us, "100", 0, 1e9, "us", "Of a step."),
    SC_DOUBLE(struct knobs, share, "0.1", 0, 1, "1",
	      "Standard deviation of the step's time by its efficiency.",
	      .when = "mode=sure & base_us>0", .fit_low = 0.01, .fit_high = 0.5,
	      .scale = SC_SCALE_LOG),
    SC_DOUBLE(struct knobs, before_us, "0", 0, 1e9, "us",
	      "Of a request before it queues."),
    SC_DOUBLE(struct knobs, prompt_token_us, "0", 0, 1e9, "us",
	      "More for each token of its prompt."),
    SC_DOUBLE(struct knobs, after_us, "0", 0, 1e9, "us",
	      "From the last token to the client."),
    SC_DOUBLE(struct knobs, output_token_us, "0", 0, 1e9, "us",
	      "Of each token on its way to the client."),
    SC_TEXT(struct knobs, words, "a few", "Its characters are counted."),
    SC_NUMBERS(struct knobs, edges, "1, 2", "us", "Their sum is added."),
    SC_CHOICE(struct knobs, mode, "sure", modes, "Is it sure of itself?"),
};

static const sc_need *const needs[] = {
    &(const sc_need){.size = sizeof(sc_need),
		     .kind = SC_NEED_ATTENTION,
		     .value = "full",
		     .help = "every head attends to all of its context"},
    &(const sc_need){.size = sizeof(sc_need),
		     .kind = SC_NEED_TABLE,
		     .flags = SC_NEED_OPTIONAL,
		     .value = "gemm",
		     .columns = "m,n,k",
		     .notes = "source",
		     .when = "mode=sure"},
};

static const sc_sigma *const sigmas[] = {
    &(const sc_sigma){
	.size = sizeof(sc_sigma), .name = "efficiency", .help = "of the GPU"},
    &(const sc_sigma){
	.size = sizeof(sc_sigma), .name = "host", .help = "of the host"},
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
	(void)err;
	const struct knobs *k = inst;
	uint64_t tokens = step->n_decode;
	for (uint32_t i = 0; i < step->n_prefill; i++)
		tokens += step->prefill_new[i];
	out->total_us = k->base_us + (double)tokens;
	out->total_us += 1e-3 * (double)strlen(k->words);
	for (uint32_t i = 0; i < k->edges->n; i++)
		out->total_us += k->edges->value[i];
	if (!k->mode)
		return SC_OK;
	out->noise_us = 0.5 * k->share * out->total_us;
	if (out->sigma_us) {
		out->sigma_us[0] = k->share * out->total_us;
		out->sigma_us[1] = 1;
	}
	return SC_OK;
}

static int32_t request_costs(void *inst, sc_request_costs *out, sc_error *err)
{
	(void)err;
	const struct knobs *k = inst;
	out->before_us = k->before_us;
	out->prompt_token_us = k->prompt_token_us;
	out->after_us = k->after_us;
	out->output_token_us = k->output_token_us;
	return SC_OK;
}

static const sc_plugin plugin = {
    .size = sizeof plugin,
    .abi_major = SC_ABI_MAJOR,
    .abi_minor = SC_ABI_MINOR,
    .name = "declares",
    .version = "1",
    .summary = "says of itself all that it can",
    .n_knobs = sizeof knobs / sizeof *knobs,
    .knob = knobs,
    .knob_block = sizeof(struct knobs),
    .create = create,
    .destroy = free,
    .eval = eval,
    .id = "org.example.declares",
    .author = "A. Author",
    .licence = "BSD-3-Clause",
    .url = "https://example.org/declares",
    .citation = "Author: All that it can, 2026",
    .n_needs = sizeof needs / sizeof *needs,
    .n_sigma = sizeof sigmas / sizeof *sigmas,
    .need = needs,
    .sigma = sigmas,
    .request_costs = request_costs,
};
SC_PLUGIN_DEFINE(plugin);
