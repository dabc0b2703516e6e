/* setup/hf_family.h -- what an architecture has that its config.json need not
 * say.  An architecture that is not in the table is refused: a new one is a row
 * there. */
#ifndef SC_SETUP_HF_FAMILY_H
#define SC_SETUP_HF_FAMILY_H
#include <stddef.h>

enum {
	HF_TIED = 1,     /* tie_word_embeddings, if absent                  */
	HF_QKV_BIAS = 2, /* always                                          */
	HF_QKV_BIAS_KEY = 4, /* attention_bias means q, k and v; else also o */
	HF_QK_NORM = 8, /* a norm over each head                           */
	HF_QK_NORM_KEY = 16, /* … if use_qk_norm */
	HF_NORMS_4 = 32, /* before and after attention and FFN              */
	HF_WINDOWS = 64, /* sliding_window holds for every layer            */
	HF_LATE_WINDOWS =
	    128, /* … from max_window_layers, if use_sliding_window */
	HF_ALTERNATE = 256, /* … for every second layer, the first among them */
	HF_PATTERN_6 = 512, /* … for five of six */
	HF_SHARED_GATE = 1024,
	HF_CORRECTION =
	    2048, /* the router has a correction, whatever topk_method */
	HF_WIDE_EXPERTS = 4096, /* intermediate_size is the experts' */
	HF_GPT_OSS = 8192,
	HF_LLAMA_4 = 16384,
	HF_HEAD_256 = 32768, /* head_dim, if absent */
};

/* HF_* of a model_type.  0, or -1: not in the table. */
int hf_family_find(const char *model_type, unsigned *has);
/* Into text: all that are in the table, for a message. */
void hf_family_names(char *text, size_t size);
#endif
