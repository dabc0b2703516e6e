/* Keys, and any config.json, as what a cost model is told. */
#include "model/model.h"
#include <sys/stat.h>
#include <unistd.h>
#include "model/hf_config.h"
#include "tap.h"

static struct model m;
static struct problem p;

/* The [model] of an INI. */
static int load(const char *ini)
{
	struct ini c;
	if (ini_read(&c, ini, strlen(ini), &p) < 0)
		bail_out(p.text);
	p = (struct problem){0};
	model_free(&m);
	int rc = model_load(&m, &c, &p);
	ini_free(&c);
	return rc;
}

static char folder[] = "/tmp/model.XXXXXX";

static void write_file(const char *name, const char *text)
{
	char path[200];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	FILE *f = fopen(path, "w");
	if (!f)
		bail_out(path);
	fputs(text, f);
	fclose(f);
}

/* A config.json. */
static int json(const char *text)
{
	char ini[200];
	write_file("config.json", text);
	snprintf(ini, sizeof ini, "[model]\nconfig = %s/config.json\n", folder);
	return load(ini);
}

static void counted(const char *what, uint64_t params, uint64_t active,
		    double kv)
{
	if (!ok(m.view.n_params == params, "%s: parameters", what))
		printf("# got %llu, %s\n", (unsigned long long)m.view.n_params,
		       p.text);
	ok(m.n_active == active, "active parameters");
	near(model_kv_bytes(&m, m.view.kv_bits, 1, 0, m.keys.num_hidden_layers),
	     kv, 0, "KV");
}

#define COMMON                                                                 \
	"\"vocab_size\": 1000, \"hidden_size\": 64, \"num_hidden_layers\": "   \
	"4, "
#define HEADS "\"num_attention_heads\": 4, \"num_key_value_heads\": 2, "

static void keys(void)
{
	ok(load("[model]\nnum_hidden_layers=32\nhidden_size=4096\n"
		"num_attention_heads=32\nnum_key_value_heads=8\n"
		"intermediate_size=14336\nvocab_size=128256\n") == 0,
	   "%s", p.text);
	counted("dense", 8030261248, 8030261248, 131072);
	near(m.weight_bytes, 2.0 * 8030261248, 0, "weights of 2 bytes");
	is(m.view.name, "[model]", "name");
	ok(load("[model]\nnum_hidden_layers=1\nhidden_size=10\n"
		"num_attention_heads=3\nintermediate_size=4\nvocab_size=1\n"
		"bytes_per_param=1\n") == 0,
	   "%s", p.text);
	ok(m.view.group[0]->head_dim == 3 && m.view.group[0]->n_kv_heads == 3,
	   "a hidden size that the heads do not divide");
	ok(m.view.compute_format == SC_FP8 && m.view.kv_bits == 8 &&
	       m.weight_bytes == (double)m.view.n_params,
	   "one byte for everything");
	ok(load("[model]\nconfig = nope\n") < 0 && p.code == EXIT_USAGE, "%s",
	   p.text);
	ok(load("[model]\nconfig = nope.json\n") < 0 && p.code == EXIT_USAGE,
	   "%s", p.text);
	ok(load("[model]\nnum_hidden_layers=5\nhidden_size=8\n"
		"num_attention_heads=2\nintermediate_size=4\nvocab_size=1\n"
		"layer_types=sliding_attention*2,full_attention\n"
		"sliding_window=7\n") == 0,
	   "%s", p.text);
	ok(m.view.n_groups == 2 && m.view.group[0]->n_layers == 4 &&
	       m.view.group[0]->window == 7 && m.view.group[1]->n_layers == 1,
	   "kinds of layers, repeated");
	ok(load("[model]\nnum_hidden_layers=5\nhidden_size=8\n"
		"num_attention_heads=2\nintermediate_size=4\nvocab_size=1\n"
		"layer_types=half_attention\n") < 0,
	   "%s", p.text);
	ok(load("") == 0 && m.view.n_groups == 0, "no model at all");
	ok(load("[model]\nconfig = llama-3.1-8b\nhidden_size = 2048\n") == 0 &&
	       m.view.hidden == 2048 && m.view.group[0]->n_kv_heads == 8,
	   "a name, and a key over it: %s", p.text);
	is(m.view.name, "llama-3.1-8b", "called by it");
}

static void dense(void)
{
	ok(json("{\"model_type\": \"llama\", " COMMON HEADS
		"\"intermediate_size\": 128.0, \"head_dim\": null}") == 0,
	   "%s", p.text);
	counted("llama", 4 * (64 * 16 * 12 + 3 * 64 * 128 + 128) + 128064,
		4 * (64 * 16 * 12 + 3 * 64 * 128 + 128) + 128064, 4 * 64 * 2);
	ok(json("{\"model_type\": \"qwen2\", " COMMON HEADS
		"\"intermediate_size\": 128, \"tie_word_embeddings\": true, "
		"\"sliding_window\": 9, \"use_sliding_window\": false}\r\n") ==
	       0,
	   "%s", p.text);
	counted("biases, tied",
		4 * (64 * 16 * 12 + 16 * 8 + 3 * 64 * 128 + 128) + 64064,
		4 * (64 * 16 * 12 + 16 * 8 + 3 * 64 * 128 + 128) + 64064,
		4 * 64 * 2);
	ok(m.view.n_groups == 1 && m.view.group[0]->attention == SC_ATTN_FULL,
	   "a window that is not used");
	ok(json("{\"model_type\": \"qwen3\", " COMMON HEADS
		"\"intermediate_size\": 128, \"head_dim\": 32}") == 0,
	   "%s", p.text);
	counted("head_dim, norms of q and k",
		4 * (64 * 32 * 12 + 64 + 3 * 64 * 128 + 128) + 128064,
		4 * (64 * 32 * 12 + 64 + 3 * 64 * 128 + 128) + 128064,
		4 * 128 * 2);
	ok(json("{\"model_type\": \"gemma2\", " COMMON HEADS
		"\"intermediate_size\": 128, \"head_dim\": 16, "
		"\"sliding_window\": 8, \"hidden_act\": "
		"\"gelu_pytorch_tanh\"}") == 0,
	   "%s", p.text);
	ok(m.view.tied_embeddings && m.view.n_groups == 2 &&
	       m.view.group[0]->attention == SC_ATTN_WINDOW &&
	       m.view.group[0]->n_layers == 2,
	   "every second layer a window, tied by default");
	ok(json("{\"model_type\": \"mistral\", " COMMON HEADS
		"\"intermediate_size\": 128, \"sliding_window\": 8, "
		"\"torch_dtype\": \"float16\"}") == 0 &&
	       m.view.n_groups == 1 && m.view.group[0]->window == 8 &&
	       m.view.kv_format == SC_FP16,
	   "windows in all layers, FP16: %s", p.text);
}

static void experts(void)
{
	ok(json("{\"model_type\": \"mixtral\", " COMMON HEADS
		"\"intermediate_size\": 32, \"num_local_experts\": 8, "
		"\"num_experts_per_tok\": 2}") == 0,
	   "%s", p.text);
	counted("mixtral",
		4 * (64 * 16 * 12 + 128 + 64 * 8 + 8 * 3 * 64 * 32) + 128064,
		4 * (64 * 16 * 12 + 128 + 64 * 8 + 2 * 3 * 64 * 32) + 128064,
		4 * 64 * 2);
	ok(json("{\"model_type\": \"deepseek_v3\", " COMMON HEADS
		"\"intermediate_size\": 128, \"moe_intermediate_size\": 32, "
		"\"n_routed_experts\": 8, \"num_experts_per_tok\": 2, "
		"\"n_shared_experts\": 1, \"first_k_dense_replace\": 1, "
		"\"q_lora_rank\": null, \"kv_lora_rank\": 20, "
		"\"qk_nope_head_dim\": 8, \"qk_rope_head_dim\": 4, "
		"\"v_head_dim\": 8, \"topk_method\": \"noaux_tc\", "
		"\"quantization_config\": {\"quant_method\": \"fp8\", "
		"\"weight_block_size\": [128, 128]}}") == 0,
	   "%s", p.text);
	uint64_t attention =
	    64 * 4 * 12 + 64 * 24 + 20 + 20 * 4 * 16 + 4 * 8 * 64 + 128;
	counted("latent attention, shared experts",
		4 * attention + 3 * 64 * 128 +
		    3 * (64 * 8 + 8 + 9 * 3 * 64 * 32) + 128064,
		4 * attention + 3 * 64 * 128 +
		    3 * (64 * 8 + 8 + 3 * 3 * 64 * 32) + 128064,
		4 * 24 * 2);
	ok(m.view.n_groups == 2 && m.view.group[0]->ffn == SC_FFN_GATED &&
	       m.view.group[0]->n_layers == 1 &&
	       m.view.group[1]->attention == SC_ATTN_MLA &&
	       m.view.group[1]->n_shared_experts == 1 &&
	       m.view.group[1]->shared_ffn_dim == 32,
	   "groups");
	ok(m.view.compute_format == SC_FP8 && m.view.kv_format == SC_BF16 &&
	       m.view.group[1]->expert_bits == 8 + 32 / 16384.,
	   "FP8 weights, scales included");
	ok(json("{\"model_type\": \"llama4\", \"vision_config\": "
		"{\"hidden_size\": 9}, \"text_config\": "
		"{\"model_type\": \"llama4_text\", " COMMON HEADS
		"\"intermediate_size\": 32, \"intermediate_size_mlp\": 128, "
		"\"num_local_experts\": 8, \"num_experts_per_tok\": 1, "
		"\"interleave_moe_layer_step\": 2, "
		"\"attention_chunk_size\": 64}}") == 0,
	   "%s", p.text);
	counted("nested, every second layer dense",
		4 * (64 * 16 * 12 + 128) + 2 * 3 * 64 * 128 +
		    2 * (64 * 8 + 9 * 3 * 64 * 32) + 128064,
		4 * (64 * 16 * 12 + 128) + 2 * 3 * 64 * 128 +
		    2 * (64 * 8 + 2 * 3 * 64 * 32) + 128064,
		4 * 64 * 2);
	ok(m.view.n_groups == 3 &&
	       m.view.group[0]->attention == SC_ATTN_CHUNK &&
	       m.view.group[2]->attention == SC_ATTN_FULL,
	   "three of four layers in chunks");
	ok(json("{\"model_type\": \"gpt_oss\", " COMMON HEADS
		"\"intermediate_size\": 32, \"num_local_experts\": 8, "
		"\"num_experts_per_tok\": 2, \"sliding_window\": 8, "
		"\"attention_bias\": true, \"quantization_config\": "
		"{\"quant_method\": \"mxfp4\"}, \"layer_types\": "
		"[\"sliding_attention\", \"full_attention\", "
		"\"sliding_attention\", \"full_attention\"]}") == 0,
	   "%s", p.text);
	uint64_t layer = 64 * 16 * 12 + 16 * 8 + 64 + 4 + 128 + 64 * 8 + 8;
	counted("biases everywhere, sinks",
		4 * (layer + 8 * (3 * 64 * 32 + 64 + 64)) + 128064,
		4 * (layer + 2 * (3 * 64 * 32 + 64 + 64)) + 128064, 4 * 64 * 2);
	ok(m.view.group[0]->attn_bits == 16 &&
	       m.view.group[0]->expert_bits == 4.25 &&
	       m.view.compute_format == SC_BF16,
	   "4-bit experts alone");
	ok(json("{\"model_type\": \"qwen2_moe\", " COMMON HEADS
		"\"intermediate_size\": 128, \"moe_intermediate_size\": 32, "
		"\"num_experts\": 8, \"num_experts_per_tok\": 2, "
		"\"shared_expert_intermediate_size\": 64, "
		"\"mlp_only_layers\": [0]}") == 0,
	   "%s", p.text);
	counted("a shared expert with a gate",
		4 * (64 * 16 * 12 + 128 + 128) + 3 * 64 * 128 +
		    3 * (64 * 8 + 64 + 3 * 64 * 64 + 8 * 3 * 64 * 32) + 128064,
		4 * (64 * 16 * 12 + 128 + 128) + 3 * 64 * 128 +
		    3 * (64 * 8 + 64 + 3 * 64 * 64 + 2 * 3 * 64 * 32) + 128064,
		4 * 64 * 2);
}

static void refused(const char *text, int code, const char *want)
{
	int rc = json(text);
	ok(rc < 0 && p.code == code, "refused with %d", code);
	if (!ok(strstr(p.text, want) != NULL, "%s", want))
		printf("#  got: %s\n", p.text);
}

static void bad(void)
{
	refused("[1]", EXIT_INPUT, "config.json:1: not an object at the top");
	refused("{\n\"a\": 1,\n}", EXIT_INPUT, "config.json:3: ");
	refused("version https://git-lfs.github.com/spec/v1\noid x\n",
		EXIT_INPUT, "config.json:1: is a git-LFS pointer");
	refused("", EXIT_INPUT, "config.json");
	refused("{\"dim\": 4096, \"n_layers\": 32}", EXIT_INPUT, "params.json");
	refused("{\"producer\": {}, \"quantization\": {}}", EXIT_INPUT,
		"hf_quant_config.json");
	refused("{\"hidden_size\": 1}", EXIT_INPUT, "model_type is missing");
	refused("{\"dim\": 1}", EXIT_INPUT, "model_type is missing");
	refused("{\"bits\": 4, \"group_size\": 128}", EXIT_INPUT,
		"quantize_config.json");
	refused("{\"architectures\": [\"FooForCausalLM\"], \"producer\": 1}",
		EXIT_INPUT, "model_type is missing");
	refused("{\"model_type\": \"rwkv\"}", EXIT_USAGE,
		"'rwkv' is not a supported architecture");
	refused("{\"model_type\": \"llama\", \"block_configs\": [1]}",
		EXIT_USAGE, "block_configs makes layers of architecture");
	refused("{\"model_type\": \"llama\"}", EXIT_INPUT,
		"num_hidden_layers is missing");
	refused("{\n\"model_type\": \"llama\",\n \"num_hidden_layers\": 2.5}",
		EXIT_INPUT,
		"config.json:3: num_hidden_layers is not a whole number");
	refused("{\"model_type\": \"llama\", " COMMON HEADS
		"\"intermediate_size\": \"8\"}",
		EXIT_INPUT, "intermediate_size is not a whole number");
	refused("{\"model_type\": \"llama\", " COMMON
		"\"num_attention_heads\": 99999, \"intermediate_size\": 8}",
		EXIT_INPUT, "num_attention_heads = 99999: not an integer in");
	refused("{\"model_type\": \"llama\", " COMMON HEADS
		"\"intermediate_size\": 8, \"quantization_config\": {}}",
		EXIT_USAGE, "the quant_method '', which is none of");
}

int main(void)
{
	if (!mkdtemp(folder))
		bail_out("mkdtemp");
	keys();
	dense();
	experts();
	bad();
	write_file("hf_quant_config.json",
		   "{\"quantization\": {\"quant_algo\": \"NVFP4\"}}");
	ok(json("{\"model_type\": \"llama\", " COMMON HEADS
		"\"intermediate_size\": 8}") == 0 &&
	       m.view.group[0]->attn_bits == 4.5 &&
	       m.view.compute_format == SC_FP4,
	   "quantization said beside it: %s", p.text);
	model_free(&m);
	char command[100];
	snprintf(command, sizeof command, "rm -r %s", folder);
	return system(command) || done();
}
