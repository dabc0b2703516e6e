/* Which module has which scheme, and modules that none has. */
#include "model/hf_scheme.h"
#include "tap.h"

static struct problem p;

static struct hf_rules rules_of(const char *layers, json_t **top)
{
	char text[600];
	struct hf_rules l;
	snprintf(text, sizeof text,
		 "{\"quant_algo\": \"MIXED_PRECISION\", \"quantized_layers\": "
		 "{%s}}",
		 layers);
	*top = json_loads(text, 0, NULL);
	struct hf_reader r = {.origin = "f",
			      .text = text,
			      .top = *top,
			      .in = *top,
			      .type = "qwen3_moe",
			      .p = &p};
	if (!*top || hf_rules_read_modelopt(&l, &r, *top) < 0)
		bail_out("rules");
	return l;
}

static int64_t format_of(const struct hf_rules *l, const char *below)
{
	return hf_rules_find(l, "qwen3_moe", 3, below).format;
}

static int is_used(const struct hf_rules *l, int64_t layers)
{
	struct hf_reader r = {.origin = "f", .text = "", .p = &p};
	return hf_rules_check_used(l, &r, layers) == 0;
}

int main(void)
{
	json_t *top;
	struct hf_rules l = rules_of(
	    "\"model.layers.3.mlp.experts\": {\"quant_algo\": \"NVFP4\"}, "
	    "\"model.layers.3.self_attn.q_proj\": {\"quant_algo\": \"FP8\"}",
	    &top);
	ok(format_of(&l, "mlp.experts.0.up_proj") == HF_FP4,
	   "a module above it has the scheme");
	ok(format_of(&l, "self_attn.o_proj") == HF_NONE, "none has this one");
	ok(!is_used(&l, 4) && strstr(p.text, "self_attn.q_proj"),
	   "nobody asked for a module of a layer");
	ok(is_used(&l, 3), "layers beyond the model are not asked for");
	ok(format_of(&l, "self_attn.q_proj") == HF_FP8 && is_used(&l, 4),
	   "until it is");
	hf_rules_free(&l);
	json_decref(top);
	return done();
}
