/* arm_gpus.c -- Finds the engine keys of an arm, and counts its GPUs. */
#include "arm/arm_gpus.h"
#include "engine/keys/fill.h"

int config_arm_keys(struct engine_keys *k, const struct config *c, size_t i,
		    uint32_t pool, struct problem *p)
{
	size_t index = i;
	if (pool && config_decode_arm(c, i, &index, p) < 0)
		return -1;
	const struct engine_source from =
	    config_engine_source(c, index, config_pool(c, i, pool));
	return engine_keys_fill(k, &from, p);
}

uint64_t config_arm_gpus(const struct config *c, size_t i)
{
	struct engine_keys k;
	struct problem unused;
	uint64_t n = 0;
	uint32_t n_pools = config_pool(c, i, 0) ? 2 : 1;
	for (uint32_t pool = 0; pool < n_pools; pool++) {
		if (config_arm_keys(&k, c, i, pool, &unused) < 0)
			return 0;
		n += engine_gpus(&k);
	}
	return n;
}
