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

/* What the methods' fields mean, each for mlp.up_proj. */
static void variants(void)
{
	static const struct {
		const char *name, *q;
		int64_t format;
		double bits;
		int64_t activation;
	} row[] = {
	    {"no method, an algorithm: ModelOpt", "'quant_algo': 'NVFP4'",
	     HF_FP4, 4.5, 4},
	    {"no method, a block size: fp8", "'weight_block_size': [64, 64]",
	     HF_FP8, 8 + 32 / 4096., 8},
	    {"a block without a size",
	     "'quant_method': 'fp8', "
	     "'weight_block_size': [128, 0]",
	     HF_FP8, 8, 8},
	    {"AWQ's other name for bits", "'quant_method': 'awq', 'w_bit': 8",
	     HF_INT8, 8, 16},
	    {"entries of dynamic that leave nothing out",
	     "'quant_method': 'gptq', 'bits': 4, 'dynamic': {'-': {}, "
	     "'+:.*mlp.*': {'bits': 8}, '': {}}",
	     HF_INT4, 4, 16},
	    {"NF4 with scales of scales",
	     "'quant_method': 'bitsandbytes', '_load_in_4bit': true, "
	     "'bnb_4bit_use_double_quant': true",
	     HF_INT4, 4 + 8 / 64. + 32 / 16384., 16},
	    {"torchao: int4 with activations of 8 bits",
	     "'quant_method': 'torchao', 'quant_type': "
	     "'Int8DynamicActivationInt4WeightConfig'",
	     HF_INT4, 4.25, 8},
	    {"torchao: fp8 weights alone",
	     "'quant_method': 'torchao', 'quant_type': 'float8_weight_only'",
	     HF_FP8, 8, 16},
	    {"or as a class",
	     "'quant_method': 'torchao', 'quant_type': {'default': {'_type': "
	     "'Float8WeightOnlyConfig'}}",
	     HF_FP8, 8, 16},
	    {"torchao: int8",
	     "'quant_method': 'torchao', 'quant_type': 'int8_weight_only'",
	     HF_INT8, 8, 16},
	    {"of activations, too",
	     "'quant_method': 'torchao', 'quant_type': "
	     "'int8_dynamic_activation_int8_weight'",
	     HF_INT8, 8, 8},
	    {"compressed: a scale for a tensor",
	     "'config_groups': {'a': {'weights': {'num_bits': 8, 'type': "
	     "'float', 'strategy': 'tensor'}}}",
	     HF_FP8, 8, 16},
	    {"scales of 8 bits",
	     "'config_groups': {'a': {'weights': {'num_bits': 8, 'type': "
	     "'float', 'group_size': 32, 'scale_dtype': 'torch.uint8'}}}",
	     HF_FP8, 8.25, 16},
	    {"fp4 in groups too large for them",
	     "'config_groups': {'a': {'weights': {'num_bits': 4, 'type': "
	     "'float', 'group_size': 64}}}",
	     HF_FP4, 4.25, 16},
	    {"fp4 without groups",
	     "'config_groups': {'a': {'weights': {'num_bits': 4, 'type': "
	     "'float'}}}",
	     HF_FP4, 4, 16},
	    {"a group's own format",
	     "'config_groups': {'a': {'format': 'mxfp8-quantized', 'targets': "
	     "[7, 'Linear'], 'weights': {'num_bits': 8, 'type': 'float', "
	     "'group_size': 32}}}",
	     HF_FP8, 8.25, 16},
	    {"a group of activations alone",
	     "'config_groups': {'a': {'input_activations': {'num_bits': 8}}}",
	     HF_NONE, 0, 0},
	    {"ModelOpt with groups",
	     "'quant_method': 'modelopt', 'config_groups': {'a': {'weights': "
	     "{'num_bits': 8, 'type': 'int'}}}",
	     HF_INT8, 8, 16},
	    {"quark: int8 in groups",
	     "'quant_method': 'quark', 'global_quant_config': {'weight': "
	     "{'dtype': 'int8', 'group_size': 64}, 'input_tensors': {'dtype': "
	     "'int8'}}",
	     HF_INT8, 8.25, 8},
	    {"quark: uint8",
	     "'quant_method': 'quark', 'global_quant_config': {'weight': "
	     "{'dtype': 'uint8'}}",
	     HF_INT8, 8, 16},
	    {"quark: int4 with zero points",
	     "'quant_method': 'quark', 'global_quant_config': {'weight': "
	     "{'dtype': 'int4', 'group_size': 80}}",
	     HF_INT4, 4.25, 16},
	    {"quark: uint4",
	     "'quant_method': 'quark', 'global_quant_config': {'weight': "
	     "{'dtype': 'uint4'}}",
	     HF_INT4, 4, 16},
	};
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		char json[400];
		snprintf(json, sizeof json, "{'q': {%s}}", row[i].q);
		IS(json, "mlp.up_proj", row[i].format, row[i].bits,
		   row[i].activation, row[i].name);
	}
}

static void kv_formats(void)
{
	static const struct {
		const char *q;
		int64_t format;
	} row[] = {
	    {"'quant_algo': 'FP8', 'kv_cache_quant_algo': 'fp8'", HF_FP8},
	    {"'quant_algo': 'FP8', 'kv_cache_quant_algo': 'NVFP4'", HF_FP4},
	    {"'quant_algo': 'FP8', 'kv_cache_quant_algo': 'int8'", HF_NONE},
	    {"'config_groups': {'a': {}}, 'kv_cache_scheme': {'num_bits': 8, "
	     "'type': 'float'}",
	     HF_FP8},
	    {"'config_groups': {'a': {}}, 'kv_cache_scheme': {'num_bits': 8, "
	     "'type': 'int'}",
	     HF_INT8},
	    {"'quant_method': 'quark', 'global_quant_config': {'weight': "
	     "{'dtype': 'fp4'}}, 'kv_cache_quant_config': {'*k_proj': {}}",
	     HF_FP8},
	};
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		char json[400];
		snprintf(json, sizeof json, "{'q': {%s}}", row[i].q);
		scheme(json, "mlp.up_proj", 0, 0, 0);
		ok(!p.text[0] && rules.kv_format == row[i].format,
		   "KV cache of %s", row[i].q);
	}
	scheme("{'q': {'quant_method': 'awq', 'bits': 4, 'lm_head': true}}",
	       "lm_head", 0, 0, 0);
	ok(rules.head, "AWQ may include the LM head");
}

/* Each with the message. */
static void more_refused(void)
{
	static const char *const row[][2] = {
	    {"'bits': 4", "has the quant_method '', which is none of fp8, "},
	    {"'quant_algo': 'MIXED_PRECISION'",
	     "f: quantized_layers is missing"},
	    {"'quant_algo': 'MIXED_PRECISION', 'quantized_layers': "
	     "{'model.layers.0.mlp': {'quant_algo': 'Q9'}}",
	     "f:1: quant_algo = Q9 is none of FP8, "},
	    {"'quant_method': 'torchao', 'quant_type': 'uintx'",
	     "f:1: quant_type is none of int4, int8, float8"},
	    {"'quant_method': 'torchao'",
	     "f: quant_type is none of int4, int8, float8"},
	    {"'quant_method': 'quark', 'global_quant_config': {'weight': "
	     "{'dtype': 'int3'}}",
	     "f:1: dtype = int3 is none of fp4, fp8, int8, int4"},
	    {"'quant_method': 'quark', 'layer_quant_config': {'*mlp*': "
	     "{'weight': {'dtype': 'int2'}}}",
	     "f:1: dtype = int2 is none of"},
	    {"'quant_method': 'compressed-tensors', 'config_groups': {'a': "
	     "{'targets': ['re:('], 'weights': {'num_bits': 8}}}",
	     "f:1: targets has an entry that cannot be read: re:("},
	};
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		char json[400];
		snprintf(json, sizeof json, "{'q': {%s}}", row[i][0]);
		ok(scheme(json, "mlp.up_proj", -1, 0, 0) &&
		       strstr(p.text, row[i][1]),
		   "%s", p.text);
	}
	char many[4000];
	size_t n = (size_t)sprintf(many, "{'q': {'quant_method': 'gptq', "
					 "'bits': 4, 'dynamic': {");
	for (int i = 0; i <= HF_MOST_RULES; i++)
		n += (size_t)sprintf(many + n, "%s'-:.*part_%d': {}",
				     i ? ", " : "", i);
	sprintf(many + n, "}}}");
	ok(scheme(many, "mlp.up_proj", -1, 0, 0) &&
	       strstr(p.text, "quantization_config has more than 64 schemes"),
	   "%s", p.text);
}

int main(void)
{
	variants();
	kv_formats();
	more_refused();
	floats();
	compressed_floats();
	compressed_integers();
	modelopt();
	integers();
	refused();
	return done();
}
