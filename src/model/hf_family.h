/* model/hf_family.h -- what an architecture has that its config.json need not
 * say.  An architecture that is not in the table is refused: a new one is a row
 * there. */
#ifndef SC_MODEL_HF_FAMILY_H
#define SC_MODEL_HF_FAMILY_H
#include <stddef.h>
#include "model/hf_reader.h"

enum {
	HF_TIED = 1u << 0, /* tie_word_embeddings, if absent */
	/* biases of projections */
	HF_QKV_BIAS = 1u << 1,     /* of q, k and v always */
	HF_QKV_BIAS_KEY = 1u << 2, /* attention_bias means them; else also o */
	HF_ALL_BIAS = 1u << 3,     /* of q, k, v and o always */
	HF_MLP_BIAS = 1u << 4,     /* of the FFN always */
	/* norms */
	HF_QK_NORM = 1u << 5,     /* over each head */
	HF_QK_NORM_KEY = 1u << 6, /* … if use_qk_norm */
	HF_QK_NORM_ALL = 1u << 7, /* … a weight for each element */
	HF_NORMS_1 = 1u << 8,     /* one for attention and FFN together */
	HF_NORMS_4 = 1u << 9,     /* before and after attention and FFN */
	HF_NORM_BIAS = 1u << 10,
	/* windows */
	HF_WINDOWS = 1u << 11,      /* sliding_window holds for every layer */
	HF_LATE_WINDOWS = 1u << 12, /* … from max_window_layers, if
				       use_sliding_window */
	HF_ALTERNATE = 1u << 13, /* … for every second layer, the first among
				    them */
	HF_PATTERN_4 = 1u << 14, /* … for three of four */
	HF_PATTERN_6 = 1u << 15, /* … for five of six */
	/* FFN and experts */
	HF_PLAIN = 1u << 16, /* up and down, no gate */
	HF_SHARED_GATE = 1u << 17,
	HF_CORRECTION = 1u << 18,   /* the router has a correction, whatever
				       topk_method */
	HF_WIDE_EXPERTS = 1u << 19, /* intermediate_size is the experts' */
	HF_GPT_OSS = 1u << 20,
	HF_LLAMA_4 = 1u << 21,
	HF_HEAD_256 = 1u << 22,   /* head_dim, if absent */
	HF_POSITIONS = 1u << 23,  /* learned embeddings of positions */
	HF_FOUR_TIMES = 1u << 24, /* the FFN's width, if absent */
	HF_OWN_NAMES = 1u << 25,  /* `read` finds FFN and windows itself */
};

struct hf_family {
	const char *type;               /* model_type */
	unsigned has;                   /* HF_* */
	const struct hf_absent *absent; /* NULL: none */
	/* What no flag says, after the fields that all have; NULL: nothing. */
	void (*read)(struct hf_reader *r);
};

/* Of llama and mistral inside a text_config. */
extern const struct hf_absent hf_part_absent[];
/* NULL: not in the table. */
const struct hf_family *hf_family_find(const char *model_type);
/* Into text: all that are in the table, for a message. */
void hf_family_names(char *text, size_t size);
#endif
