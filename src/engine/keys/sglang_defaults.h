/* engine/keys/sglang_defaults.h -- SGLang's defaults that depend on the memory
 * of the GPU.
 *
 * Source: SGLang, server_args.py, of 0.5.6 and of July 2026.  [any thread] */
#pragma once
#include "engine/keys/engine_keys.h"
#include "engine/usage.h"

/* Sets the keys that are 0, which stands for "by the GPU's memory".  The memory
 * is known. */
void sglang_defaults_set(struct engine_keys *k, const struct engine_usage *u);
/* Returns the number of prompt sizes that SGLang of July 2026 captures up to
 * that many tokens. */
uint32_t sglang_prompt_sizes(int64_t most_tokens);
