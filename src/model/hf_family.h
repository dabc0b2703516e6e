/* model/hf_family.h -- properties of an architecture that its config.json does
 * not state.  An architecture that is not in the table is refused; a new one is
 * a new row. */
#pragma once
#include <stddef.h>
#include "model/hf_reader.h"

enum {
	HF_TIED = 1u << 0, /* tie_word_embeddings if absent */
	/* Biases of projections: */
	HF_QKV_BIAS = 1u << 1,     /* q, k and v always have one */
	HF_QKV_BIAS_KEY = 1u << 2, /* attention_bias means q, k and v, not o */
	HF_ALL_BIAS = 1u << 3,     /* q, k, v and o always have one */
	HF_MLP_BIAS = 1u << 4,     /* the FFN always has one */
	/* Norms: */
	HF_QK_NORM = 1u << 5,     /* on queries and keys, per head */
	HF_QK_NORM_KEY = 1u << 6, /* … only if use_qk_norm */
	HF_QK_NORM_ALL = 1u << 7, /* … with a weight per element */
	HF_NORMS_1 = 1u << 8,     /* one norm for attention and FFN together */
	HF_NORMS_4 = 1u << 9,     /* before and after attention and FFN */
	HF_NORM_BIAS = 1u << 10,
	/* Sliding windows: */
	HF_WINDOWS = 1u << 11, /* sliding_window applies to every layer */
	/* … from max_window_layers on, if use_sliding_window */
	HF_LATE_WINDOWS = 1u << 12,
	/* … to every second layer, beginning with the first */
	HF_ALTERNATE = 1u << 13,
	HF_PATTERN_4 = 1u << 14, /* … to three layers of four */
	HF_PATTERN_6 = 1u << 15, /* … to five layers of six */
	/* FFN and experts: */
	HF_PLAIN = 1u << 16, /* up and down, no gate */
	HF_SHARED_GATE = 1u << 17,
	/* The router has a correction, with any topk_method. */
	HF_CORRECTION = 1u << 18,
	HF_WIDE_EXPERTS = 1u << 19, /* intermediate_size is that of an expert */
	HF_GPT_OSS = 1u << 20,
	HF_LLAMA_4 = 1u << 21,
	HF_HEAD_256 = 1u << 22,      /* head_dim if absent */
	HF_POSITIONS = 1u << 23,     /* learned position embeddings */
	HF_FOUR_TIMES = 1u << 24,    /* width of the FFN if absent */
	HF_OWN_NAMES = 1u << 25,     /* `read` handles FFN and windows */
	HF_QK_NORM_JOINT = 1u << 26, /* one norm for all heads */
};

struct hf_family {
	const char *type;               /* model_type */
	unsigned has;                   /* HF_* */
	const struct hf_absent *absent; /* NULL: no defaults */
	/* Reads what no flag covers, after the common fields; NULL: nothing. */
	void (*read)(struct hf_reader *r);
};

/* Defaults of llama and mistral inside a text_config. */
extern const struct hf_absent hf_part_absent[];
/* Returns NULL if the architecture is not in the table. */
const struct hf_family *hf_family_find(const char *model_type);
/* Lists all architectures of the table in text, for a message. */
void hf_family_names(char *text, size_t size);
