/* engine/lora.h -- what the keys of adapters (LoRA) come to.  [any thread] */
#pragma once
#include "engine/engine.h"
#include "engine/facts.h"
#include "engine/keys/engine_keys.h"

/* Fills in e->lora, behind the other fields of scheduling.  Returns 0, or -1
 * with *p filled in for an engine with which adapters are not simulated. */
int lora_resolve(struct engine *e, const struct engine_keys *k,
		 const struct engine_facts *f, struct problem *p);
