/* sim/policy/sglang/sglang_prompts.h -- steps of policy sglang that compute
 * prompts. [one thread] */
#pragma once
#include "sim/policy/sglang/sglang_state.h"

/* Adds prompts to the step while seats, tokens and memory last, and takes pages
 * for them; with enable_mixed_chunk running requests decode beside them. */
void sglang_form_prompts(struct sglang *s);
