/* engine/offload.h -- what the keys of KV offloading come to.  [any thread] */
#pragma once
#include "engine/engine.h"
#include "engine/facts.h"
#include "engine/keys/engine_keys.h"

/* Fills in e->offload, behind the KV-cache groups.  Returns 0, or -1 with *p
 * filled in for an engine with which offloading is not simulated. */
int offload_resolve(struct engine *e, const struct engine_keys *k,
		    const struct engine_facts *f, struct problem *p);
