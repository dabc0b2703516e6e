/* Number formats of a config.json, layer by layer. */
#include "model_of.h"
#include "stepcost/format.h"

/* Three layers, the first dense, two of 4 experts with a shared one. */
#define SIZES                                                                  \
	"'model_type': 'deepseek_v3', 'num_hidden_layers': 3, 'hidden_size': " \
	"256, 'num_attention_heads': 4, 'vocab_size': 1000, 'kv_lora_rank': "  \
	"32, 'qk_nope_head_dim': 32, 'qk_rope_head_dim': 16, 'v_head_dim': "   \
	"32, 'q_lora_rank': null, 'intermediate_size': 512, "                  \
	"'moe_intermediate_size': 64, 'n_routed_experts': 4, "                 \
	"'num_experts_per_tok': 2, 'n_shared_experts': 1, "                    \
	"'first_k_dense_replace': 1"
#define MODEL(quantization)                                                    \
	"{" SIZES ", 'quantization_config': {" quantization "}}"
#define NVFP4 "'quant_method': 'modelopt', 'quant_algo': 'NVFP4'"

static const sc_layers *group(uint32_t i)
{
	return the.view.group[i];
}

/* "attention ffn expert" of a group, and the bits. */
static const char *formats(uint32_t i)
{
	static char text[200];
	const sc_layers *g = group(i);
	int n = snprintf(text, sizeof text, "%s %g, %s %g",
			 sc_format_row(g->attn_format)->name, g->attn_bits,
			 sc_format_row(g->ffn_format)->name, g->ffn_bits);
	if (g->n_experts)
		snprintf(text + n, sizeof text - (size_t)n, ", %s %g",
			 sc_format_row(g->expert_format)->name, g->expert_bits);
	return text;
}

static void loads(const char *json)
{
	if (model_of_quoted(json) < 0)
		bail_out(why.text);
}

static void dtypes(void)
{
	loads("{" SIZES ", 'torch_dtype': 'float16'}");
	is(formats(0), "fp16 16, fp16 16", "torch_dtype");
	loads("{" SIZES ", 'dtype': 'torch.float32'}");
	is(formats(0), "fp32 32, fp32 32", "or dtype");
	is_refused("{" SIZES ", 'torch_dtype': 'int7'}", 2,
		   ":1: torch_dtype is none of bfloat16, float16, float32");
}

static void whole_parts(void)
{
	loads(MODEL("'quant_method': 'fp8', 'weight_block_size': [128, 128]"));
	is(formats(1), "fp8 8.00195, fp8 8.00195, fp8 8.00195",
	   "all parts alike");
	is(sc_format_row(the.view.head_format)->name, "bf16", "but the head");
	loads(MODEL("'quant_method': 'mxfp4'"));
	is(formats(0), "bf16 16, bf16 16", "experts alone: a dense layer");
	is(formats(1), "bf16 16, bf16 16, fp4 4.25", "and a mixture");
	ok(the.keys.quantized_layers == QUANTIZED_EXPERTS,
	   "is said in one key");
}

static void left_out(void)
{
	loads(MODEL(NVFP4 ", 'ignore': ['lm_head', '*self_attn*']"));
	is(formats(1), "bf16 16, fp4 4.5, fp4 4.5", "attention is left out");
	ok(group(1)->activation_bits == 4, "activations as the scheme says");
	loads(MODEL(NVFP4 ", 'ignore': ['model.layers.0.mlp', "
			  "'model.layers.2.self_attn']"));
	ok(the.view.n_groups == 3, "layers differ by what is left out");
	is(formats(0), "fp4 4.5, bf16 16", "the FFN of the first");
	is(formats(2), "bf16 16, fp4 4.5, fp4 4.5", "attention of the last");
	loads(MODEL(NVFP4 ", 'ignore': ['model.layers.1.self_attn.o_proj']"));
	/* q 256 x 192, kv_a 256 x 48, kv_b 32 x 256; o 128 x 256 is not */
	near(group(1)->attn_bits,
	     (4.5 * (256 * 192 + 256 * 48 + 32 * 256) + 16 * 128 * 256) /
		 (256 * 192 + 256 * 48 + 32 * 256 + 128 * 256),
	     1e-12, "bits are the mean over the matrices");
	is(sc_format_row(group(1)->attn_format)->name, "fp4",
	   "and the format that of most weights");
}

static void outside(void)
{
	loads(MODEL(NVFP4 ", 'kv_cache_quant_algo': 'FP8'"));
	is(sc_format_row(the.view.head_format)->name, "fp4",
	   "the head, unless it is left out");
	is(sc_format_row(the.view.kv_format)->name, "fp8", "the KV cache");
}

#define MIXED(layers)                                                          \
	MODEL("'quant_method': 'modelopt', 'quant_algo': 'MIXED_PRECISION', "  \
	      "'quantized_layers': {" layers "}")

/* Checkpoints name experts one by one, or all of a layer at once, in their own
 * words; a name that no matrix answers to would leave them in 16 bits. */
static void by_name(void)
{
	loads(MIXED("'model.layers.1.mlp.experts': {'quant_algo': "
		    "'W4A16_NVFP4'}, 'model.layers.2.experts': {'quant_algo': "
		    "'NVFP4'}"));
	is(formats(1), "bf16 16, bf16 16, fp4 4.5", "all experts of a layer");
	is(formats(2), "bf16 16, bf16 16, fp4 4.5", "by another name");
	ok(group(1)->activation_bits == 16 && group(2)->activation_bits == 4,
	   "each with its own algorithm");
	loads(MIXED("'model.layers.1.mlp.experts.0.up_proj': {'quant_algo': "
		    "'FP8'}, 'model.layers.1.mlp.experts.3.up_proj': "
		    "{'quant_algo': 'FP8'}, 'model.layers.1.mlp.gate': "
		    "{'quant_algo': 'FP8'}, 'visual.layers.1.x': "
		    "{'quant_algo': 'FP8'}, 'model.layers.9.x.y': "
		    "{'quant_algo': 'FP8'}"));
	ok(1, "other experts, a gate, an encoder and a drafter may be named");
	is_refused(MIXED("'model.layers.0.mlp.up_proj': {'quant_algo': "
			 "'FP8'}, 'model.layers.2.moe.experts': "
			 "{'quant_algo': 'NVFP4'}"),
		   2, "quantized_layers names model.layers.2.moe.experts");
	is_refused(MIXED("'model.layers.0.swiglu.w1': {'quant_algo': 'FP8'}"),
		   2, "names model.layers.0.swiglu.w1, which is no module");
}

static void refused(void)
{
	is_refused(MODEL("'quant_method': 'hqq'"), 2,
		   "quantization_config has the quant_method 'hqq', which is "
		   "none of fp8");
}

/* What makes the layers of a quantized model wrong. */
static void wrong_models(void)
{
	is_refused("{'model_type': 'llama', 'num_hidden_layers': 2, "
		   "'hidden_size': 256, 'vocab_size': 100, "
		   "'intermediate_size': 8, 'num_attention_heads': 99999, "
		   "'quantization_config': {'quant_method': 'fp8'}}",
		   3, "num_attention_heads = 99999: not an integer in");
	is_refused("{'model_type': 'llama', 'num_hidden_layers': 2, "
		   "'hidden_size': 256, 'vocab_size': 100, "
		   "'intermediate_size': 8, 'num_attention_heads': 4, "
		   "'num_key_value_heads': 3, 'quantization_config': "
		   "{'quant_method': 'fp8'}}",
		   2, "num_key_value_heads = 3 must divide");
	char many[8000];
	size_t n = (size_t)sprintf(
	    many, "{'model_type': 'llama', 'num_hidden_layers': 1000, "
		  "'hidden_size': 256, 'vocab_size': 100, "
		  "'intermediate_size': 8, 'num_attention_heads': 4,\n"
		  "'quantization_config': {'quant_method': 'fp8', "
		  "'ignored_layers': [");
	for (int i = 0; i < 101; i++)
		n += (size_t)sprintf(many + n, "%s'*part_%d*'", i ? ", " : "",
				     i);
	sprintf(many + n, "]}}");
	is_refused(many, 2,
		   ":2: quantization_config has too many patterns for this "
		   "number of layers");
}

int main(void)
{
	scratch_open();
	dtypes();
	whole_parts();
	left_out();
	outside();
	by_name();
	refused();
	model_free(&the);
	wrong_models();
	return done();
}
