/* arm/arm_gpus.h -- the GPUs of an arm.  Arms of one configuration can have
 * different numbers of them, because each may set its own engine keys. */
#pragma once
#include "arm/configuration.h"

/* Fills in the engine keys of arm i in a pool (0; 1: the one that generates),
 * without those that follow from the GPU.  Returns 0, or -1 with *p filled
 * in. */
int config_arm_keys(struct engine_keys *k, const struct config *c, size_t i,
		    uint32_t pool, struct problem *p);
/* Returns the GPUs of all replicas of arm i, in both pools; 0: its keys are
 * refused. */
uint64_t config_arm_gpus(const struct config *c, size_t i);
