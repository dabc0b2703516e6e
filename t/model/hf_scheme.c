/* A quantization_config as rules: bits, activations, who has them. */
#include "model/hf_scheme.h"
#include "tap.h"

static struct problem p;
static struct hf_scheme got;
static struct hf_rules rules;

/* What module `below` layer 5 has; single quotes for double ones. */
static int scheme(const char *text, const char *below, int64_t format,
		  double bits, int64_t activation)
{
	char *json = strdup(text);
	for (char *s = json; s && *s; s++)
		*s = *s == '\'' ? '"' : *s;
	json_t *top = json ? json_loads(json, 0, NULL) : NULL;
	if (!top)
		bail_out(text);
	struct hf_reader r = {.origin = "f",
			      .text = json,
			      .top = top,
			      .in = top,
			      .type = "llama",
			      .p = &p};
	const json_t *q = json_object_get(top, "q");
	int rc = q ? hf_rules_read(&rules, &r, q)
		   : hf_rules_read_modelopt(
			 &rules, &r, json_object_get(top, "quantization"));
	p.text[0] = rc == 0 ? '\0' : p.text[0];
	got = rc < 0 ? (struct hf_scheme){-1, 0, 0}
		     : hf_rules_find(&rules, "llama", 5, below);
	hf_rules_free(&rules);
	json_decref(top);
	free(json);
	return got.format == format && got.bits == bits &&
	       got.activation_bits == activation;
}

#define IS(json, below, want, want_bits, activation, name)                     \
	do {                                                                   \
		if (!ok(scheme(json, below, want, want_bits, activation),      \
			"%s", name))                                           \
			printf("# got %d %.17g %d %s\n", (int)got.format,      \
			       got.bits, (int)got.activation_bits, p.text);    \
	} while (0)

static void floats(void)
{
	IS("{'q': {'quant_method': 'fp8', 'weight_block_size': [128, 128]}}",
	   "self_attn.q_proj", HF_FP8, 8 + 32 / 16384., 8,
	   "fp8 with a scale for each block");
	IS("{'q': {'quant_method': 'fp8'}}", "mlp.up_proj", HF_FP8, 8, 8,
	   "fp8 with one for all");
	IS("{'q': {'quant_method': 'fp8', 'modules_to_not_convert': "
	   "['model.layers.5.mlp']}}",
	   "mlp.up_proj", HF_NONE, 0, 0, "but these");
	IS("{'expert_dtype': 'fp4', 'q': {'quant_method': 'fp8', "
	   "'weight_block_size': [128, 128]}}",
	   "mlp.experts.0.up_proj", HF_FP4, 4.25, 8, "experts in fp4");
	IS("{'q': {'quant_method': 'mxfp4'}}", "mlp.experts.0.up_proj", HF_FP4,
	   4.25, 0, "mxfp4 is of experts; the engine chooses activations");
	IS("{'q': {'quant_method': 'mxfp4'}}", "self_attn.q_proj", HF_NONE, 0,
	   0, "and of nothing else");
	IS("{'q': {'quant_method': 'mxfp8'}}", "mlp.up_proj", HF_FP8, 8.25, 8,
	   "mxfp8");
}

/* One group of compressed-tensors, for every linear layer, and what follows
 * the groups. */
#define GROUP(weights, group, rest)                                            \
	"{'q': {'quant_method': 'compressed-tensors', 'config_groups': "       \
	"{'group_0': {'targets': ['Linear'], 'weights': {" weights "}" group   \
	"}}" rest "}}"
#define FP8_IN ", 'input_activations': {'num_bits': 8}"
#define FP4_IN ", 'input_activations': {'num_bits': 4}"

static void compressed_floats(void)
{
	IS(GROUP("'num_bits': 8, 'type': 'float', 'strategy': 'channel'",
		 FP8_IN, ""),
	   "mlp.up_proj", HF_FP8, 8, 8, "fp8 by channel");
	IS(GROUP("'num_bits': 8, 'type': 'float', 'strategy': 'block', "
		 "'block_structure': [128, 128]",
		 FP8_IN, ""),
	   "mlp.up_proj", HF_FP8, 8 + 16 / 16384., 8, "by block");
	IS(GROUP("'num_bits': 4, 'type': 'float', 'strategy': "
		 "'tensor_group', 'group_size': 16",
		 FP4_IN, ", 'format': 'nvfp4-pack-quantized'"),
	   "mlp.up_proj", HF_FP4, 4.5, 4, "nvfp4: a scale of 8 bits for 16");
	IS(GROUP("'num_bits': 4, 'type': 'float', 'strategy': 'group', "
		 "'group_size': 32",
		 "", ", 'format': 'mxfp4-pack-quantized'"),
	   "mlp.up_proj", HF_FP4, 4.25, 16, "mxfp4, weights alone");
	IS(GROUP("'num_bits': 8, 'type': 'float'", "",
		 ", 'ignore': ['re:.*self_attn.*', 'lm_head']"),
	   "self_attn.o_proj", HF_NONE, 0, 0, "left out");
	IS("{'q': {'config_groups': {'a': {'targets': "
	   "['re:.*experts.*'], 'weights': {'num_bits': 4, 'type': "
	   "'float', 'group_size': 16}}, 'b': {'targets': ['Linear'], "
	   "'weights': {'num_bits': 8, 'type': 'float'}}}}}",
	   "mlp.experts.0.up_proj", HF_FP4, 4.5, 16,
	   "a group for certain modules");
}

static void compressed_integers(void)
{
	IS(GROUP("'num_bits': 4, 'type': 'int', 'strategy': 'group', "
		 "'group_size': 32, 'symmetric': true",
		 ", 'input_activations': null", ""),
	   "mlp.up_proj", HF_INT4, 4.5, 16, "int4 with scales of 16 bits");
	IS(GROUP("'num_bits': 4, 'type': 'int', 'strategy': 'group', "
		 "'group_size': 128, 'symmetric': false",
		 "", ""),
	   "mlp.up_proj", HF_INT4, 4 + 20 / 128., 16, "and zero points");
	IS(GROUP("'num_bits': 8, 'type': 'int', 'strategy': 'channel'", FP8_IN,
		 ""),
	   "mlp.up_proj", HF_INT8, 8, 8, "w8a8");
}

static void modelopt(void)
{
	IS("{'quantization': {'quant_algo': 'NVFP4', 'exclude_modules': "
	   "['lm_head', 'model.layers.5.self_attn*']}}",
	   "mlp.up_proj", HF_FP4, 4.5, 4, "NVFP4");
	IS("{'quantization': {'quant_algo': 'NVFP4', 'exclude_modules': "
	   "['lm_head', 'model.layers.5.self_attn*']}}",
	   "self_attn.q_proj", HF_NONE, 0, 0, "left out by a pattern");
	IS("{'quantization': {'quant_algo': 'MIXED_PRECISION', "
	   "'quantized_layers': {'model.layers.5.mlp.up_proj': "
	   "{'quant_algo': 'FP8'}, 'model.layers.5.mlp.down_proj': "
	   "{'quant_algo': 'NVFP4'}}}}",
	   "mlp.down_proj", HF_FP4, 4.5, 4, "each module by name");
	IS("{'quantization': {'quant_algo': 'MIXED_PRECISION', "
	   "'quantized_layers': {'model.layers.5.mlp.up_proj': "
	   "{'quant_algo': 'FP8'}}}}",
	   "mlp.down_proj", HF_NONE, 0, 0, "and no other");
	IS("{'quantization': {'quant_algo': 'Q9'}}", "mlp.up_proj", -1, 0, 0,
	   "an algorithm that is not known");
	ok(strstr(p.text, "f:1: quant_algo = Q9 is none of FP8") != NULL, "%s",
	   p.text);
	IS("{'quantization': {'quant_algo': null, 'kv_cache_quant_algo': "
	   "'FP8'}}",
	   "mlp.up_proj", HF_NONE, 0, 0, "none");
	ok(rules.kv_format == HF_FP8, "but of the KV cache");
}

static void integers(void)
{
	IS("{'q': {'quant_method': 'awq', 'bits': 4, 'group_size': 128}}",
	   "mlp.up_proj", HF_INT4, 4.15625, 16, "awq");
	IS("{'q': {'quant_method': 'gptq', 'bits': 8, 'group_size': -1}}",
	   "mlp.up_proj", HF_INT8, 8, 16, "gptq without groups");
	IS("{'q': {'quant_method': 'gptq', 'bits': 4, 'group_size': 128, "
	   "'dynamic': {'-:.*mlp.*': {}}}}",
	   "mlp.up_proj", HF_NONE, 0, 0, "but these");
	IS("{'q': {'quant_method': 'gptq', 'bits': 3}}", "mlp.up_proj", -1, 0,
	   0, "3 bits");
	IS("{'q': {'quant_method': 'bitsandbytes', 'load_in_4bit': true}}",
	   "mlp.up_proj", HF_INT4, 4.5, 16, "nf4");
	IS("{'q': {'quant_method': 'bitsandbytes', 'load_in_8bit': true}}",
	   "mlp.up_proj", HF_INT8, 8, 8, "llm.int8");
	IS("{'q': {'quant_method': 'torchao', 'quant_type': {'default': "
	   "{'_type': 'Int4WeightOnlyConfig', '_data': {'group_size': "
	   "128}}}}}",
	   "mlp.up_proj", HF_INT4, 4.25, 16, "torchao int4");
	IS("{'q': {'quant_method': 'torchao', 'quant_type': "
	   "'float8_dynamic_activation_float8_weight'}}",
	   "mlp.up_proj", HF_FP8, 8, 8, "torchao fp8");
	IS("{'q': {'quant_method': 'quark', 'global_quant_config': "
	   "{'weight': {'dtype': 'fp4', 'group_size': 32}, "
	   "'input_tensors': {'dtype': 'fp4'}}, 'exclude': ['lm_head']}}",
	   "mlp.up_proj", HF_FP4, 4.25, 4, "quark");
	IS("{'q': {'quant_method': 'quark', 'global_quant_config': "
	   "{'weight': {'dtype': 'fp4', 'group_size': 32}}, "
	   "'layer_quant_config': {'*mlp*': {'weight': {'dtype': "
	   "'fp8_e4m3'}, 'input_tensors': {'dtype': 'fp8'}}}}}",
	   "mlp.up_proj", HF_FP8, 8, 8, "quark, of certain modules");
}

static void refused(void)
{
	IS("{'q': {'quant_method': 'hqq'}}", "mlp.up_proj", -1, 0, 0,
	   "a method that is not known");
	ok(strstr(p.text, "quant_method 'hqq', which is none of fp8, ") != NULL,
	   "%s", p.text);
	IS("{'q': {'quant_method': 'compressed-tensors'}}", "mlp.up_proj", -1,
	   0, 0, "no groups");
	IS("{'q': {'quant_method': 'compressed-tensors', 'config_groups': "
	   "{'a': {'weights': {'num_bits': 2}}}}}",
	   "mlp.up_proj", -1, 0, 0, "2 bits");
	IS("{'q': {'quant_method': 'fp8', 'ignored_layers': ['re:(']}}",
	   "mlp.up_proj", -1, 0, 0, "a list that cannot be read");
	ok(strstr(p.text, "cannot be read: re:(") != NULL, "%s", p.text);
}

int main(void)
{
	floats();
	compressed_floats();
	compressed_integers();
	modelopt();
	integers();
	refused();
	return done();
}
