/* engine/pools.h -- prefill and decode apart: which replicas do what, and how
 * KV caches get from one to another.  [any thread] */
#pragma once
#include "base/problem.h"
#include "engine/engine.h"
#include "engine/facts.h"
#include "engine/keys/engine_keys.h"
#include "engine/keys/source.h"

/* Makes the fields of *e that say how many replicas compute prompts, and what a
 * transfer takes; its replicas and ranks are there.  0, or -1 with EXIT_USAGE
 * in *p. */
int pools_resolve(struct engine *e, const struct engine_keys *k,
		  const struct engine_facts *f, struct problem *p);
/* e, of a pool that computes prompts, and *decode, of one that generates and
 * outlives it, become the engine of both.  0, or -1 with *p: they do not fit
 * together. */
int engine_join(struct engine *e, const struct engine *decode,
		const struct engine_source *from, struct problem *p);
