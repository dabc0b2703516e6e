/* setup/model.h -- the model that is served: the keys of [model], and what a
 * cost model is told of it.
 *
 * The keys are Hugging Face's, one name each; hf_config.h turns a config.json
 * with its many spellings into them, a name under etc/models is an INI file
 * that has them, and [model] overrides either. */
#ifndef SC_SETUP_MODEL_H
#define SC_SETUP_MODEL_H
#include <stdint.h>
#include "base/ini.h"
#include "base/problem.h"
#include "stepcost/plugin.h"

enum attention_bias { BIAS_NONE, BIAS_QKV, BIAS_ALL };
enum quantized_layers { QUANTIZED_LINEAR, QUANTIZED_EXPERTS };

struct model_keys {
	const char *config; /* a name or a path; "": the keys alone */
	int64_t num_hidden_layers, hidden_size, num_attention_heads;
	int64_t num_key_value_heads, head_dim, intermediate_size, vocab_size;
	int64_t max_position_embeddings, tie_word_embeddings;
	/* number formats */
	double bytes_per_param; /* of everything; 0: by the keys below */
	int64_t torch_dtype, quantization, quantized_layers;
	double quantized_bits;
	/* small parts */
	int64_t gated_mlp, attention_bias, mlp_bias, qk_norm, attention_sinks;
	int64_t norms_per_layer;
	/* mixture of experts */
	int64_t num_experts, num_experts_per_tok, moe_intermediate_size;
	int64_t n_shared_experts, shared_expert_intermediate_size;
	int64_t shared_expert_gate, router_bias, expert_bias;
	/* latent attention */
	int64_t q_lora_rank, kv_lora_rank;
	int64_t qk_nope_head_dim, qk_rope_head_dim, v_head_dim;
	/* kinds of layers, "sliding_attention*3,full_attention": repeated over
	 * the layers from the first to the last */
	const char *layer_types, *mlp_layer_types;
	int64_t sliding_window, attention_chunk_size;
};
extern const sc_knob *const model_key[];
extern const uint32_t model_n_keys;

/* Not to be moved once read: the view points into it. */
struct model {
	struct model_keys keys;
	char *name;        /* of the config, or "[model]" */
	uint32_t max_len;  /* max_position_embeddings; 0: unknown */
	sc_model view;     /* n_groups 0: there is no [model] */
	sc_layers *layers; /* [view.n_groups] */
	const sc_layers **group;
	uint64_t n_active;   /* parameters that a token passes through */
	double weight_bytes; /* of all parameters, all ranks */
	struct ini from;     /* what the keys were read from */
};

/* From the keys of [model] in *c, whose `config` may name more.  0, or -1 with
 * *p: EXIT_USAGE for the keys, a name not found and a model that cannot be
 * expressed, EXIT_INPUT for the content of a config.json.  model_free() in
 * either case. */
int model_load(struct model *m, const struct ini *c, struct problem *p);
void model_free(struct model *m);
#endif
