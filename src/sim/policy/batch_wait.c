/* batch_wait.c -- Decides whether prompts wait for more of them. */
#include "sim/policy/batch_wait.h"

int batch_wait_holds(uint32_t *waited, const struct trtllm_rules *rules,
		     uint64_t tokens)
{
	if (tokens < rules->wait_tokens && *waited < rules->wait_steps) {
		++*waited;
		return 1;
	}
	*waited = 0;
	return 0;
}
