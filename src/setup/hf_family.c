/* hf_family.c -- The architectures that can be expressed. */
#include <config.h>
#include "setup/hf_family.h"
#include <stdio.h>
#include <string.h>

static const struct family {
	const char *type;
	unsigned has;
} families[] = {
    {"deepseek_v2", 0},
    {"deepseek_v3", 0},
    {"gemma", HF_TIED | HF_HEAD_256},
    {"gemma2", HF_TIED | HF_NORMS_4 | HF_ALTERNATE | HF_HEAD_256},
    {"gemma3_text",
     HF_TIED | HF_NORMS_4 | HF_QK_NORM | HF_PATTERN_6 | HF_HEAD_256},
    {"glm4_moe", HF_QKV_BIAS_KEY | HF_QK_NORM_KEY | HF_CORRECTION},
    {"gpt_oss", HF_GPT_OSS | HF_WIDE_EXPERTS | HF_ALTERNATE},
    {"granite", 0},
    {"kimi_k2", 0},
    {"llama", 0},
    {"llama4_text", HF_LLAMA_4 | HF_WIDE_EXPERTS},
    {"mistral", HF_WINDOWS},
    {"mixtral", HF_WINDOWS | HF_WIDE_EXPERTS},
    {"phi3", HF_WINDOWS},
    {"qwen2", HF_QKV_BIAS | HF_LATE_WINDOWS},
    {"qwen2_moe", HF_QKV_BIAS | HF_LATE_WINDOWS | HF_SHARED_GATE},
    {"qwen3", HF_QK_NORM | HF_LATE_WINDOWS},
    {"qwen3_moe", HF_QK_NORM | HF_LATE_WINDOWS},
    {"seed_oss", HF_QKV_BIAS_KEY},
};
enum { N_FAMILIES = sizeof families / sizeof *families };

int hf_family_find(const char *model_type, unsigned *has)
{
	for (int i = 0; i < N_FAMILIES; i++)
		if (!strcmp(families[i].type, model_type)) {
			*has = families[i].has;
			return 0;
		}
	return -1;
}

void hf_family_names(char *text, size_t size)
{
	size_t n = 0;
	for (int i = 0; i < N_FAMILIES && n < size; i++)
		n += (size_t)snprintf(text + n, size - n, "%s%s", i ? ", " : "",
				      families[i].type);
}
