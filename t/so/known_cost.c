/* known_cost: a sound plugin with a formula that a test can repeat:
 * base + token · new tokens + kv · KV tokens read + seq · sequences. */
#include <stdlib.h>
#include "stepcost/fail.h"
#include "stepcost/knob.h"

struct knobs {
	double base_us, token_us, kv_us, seq_us;
};

static const sc_knob *const knobs[] = {
    SC_DOUBLE(struct knobs, base_us, "100", 0, 1e9, "us", "Of a step."),
    SC_DOUBLE(struct knobs, token_us, "1", 0, 1e6, "us", "Of a new token."),
    SC_DOUBLE(struct knobs, kv_us, "0", 0, 1e6, "us", "Of a token in KV."),
    SC_DOUBLE(struct knobs, seq_us, "0", 0, 1e6, "us", "Of a sequence."),
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
	uint64_t tokens = step->n_decode, kv = 0;
	for (uint32_t i = 0; i < step->n_decode; i++)
		kv += step->decode_ctx[i];
	for (uint32_t i = 0; i < step->n_prefill; i++) {
		tokens += step->prefill_new[i];
		kv += step->prefill_ctx[i];
	}
	double n = (double)step->n_decode + (double)step->n_prefill;
	out->total_us = k->base_us + k->token_us * (double)tokens +
			k->kv_us * (double)kv + k->seq_us * n;
	return SC_OK;
}

static const sc_plugin plugin = {
    .size = sizeof plugin,
    .abi_major = SC_ABI_MAJOR,
    .abi_minor = SC_ABI_MINOR,
    .name = "known_cost",
    .version = "1",
    .summary = "linear in tokens, KV and sequences",
    .n_knobs = sizeof knobs / sizeof *knobs,
    .knob = knobs,
    .knob_block = sizeof(struct knobs),
    .create = create,
    .destroy = free,
    .eval = eval,
};
SC_PLUGIN_DEFINE(plugin);
