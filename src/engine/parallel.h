/* engine/parallel.h -- how the GPUs of a replica share a model: the sizes that
 * are allowed, and what one GPU holds.
 *
 * A replica has tp x dp x pp GPUs.  Layers are dealt out to pp stages; in a
 * stage attention is split tp ways and repeated for dp groups of requests
 * (attention-DP), experts are split over all tp x dp: ep ways by expert, the
 * rest by width.  A dense model has no attention-DP: its data parallelism is
 * replicas.  [any thread] */
#pragma once
#include "base/problem.h"
#include "engine/facts.h"
#include "engine/keys/engine_keys.h"
#include "engine/keys/source.h"
#include "keys/hardware.h"
#include "model/model.h"

/* As the keys say for that model: dp 1 and ep 1 if it is dense. */
sc_parallel parallel_of(const struct engine_keys *k, const struct model *m);
/* tp must divide the query heads, and the KV heads or be a multiple of them; ep
 * the experts (under a preset it is at most their number) and tp x dp; pp is at
 * most the number of layers.  0, or -1 with the key's place, its rule and the
 * sizes that are allowed in *p (EXIT_USAGE). */
int parallel_check(const struct engine_keys *k, const struct model *m,
		   const struct engine_source *from, struct problem *p);

/* Layers [from, to) of a stage: equal counts; the remaining layers go to the
 * stages before the last, one each, as in vLLM. */
struct stage_layers {
	int64_t from, to;
};
struct stage_layers parallel_stage(int64_t layers, uint32_t pp, uint32_t stage);
/* The bytes on one GPU of each stage, share[s->pp], with KV of kv_bits a
 * number. */
void parallel_shares(struct engine_share *share, const sc_parallel *s,
		     const struct model *m, double kv_bits);
/* What its layers keep on one GPU, layers that keep the same together, in order
 * of the first of each, behind the n that are there; states with room for
 * `drafts` speculative tokens.  Returns how many, or 0: it keeps no tokens,
 * more kinds than a cache has groups for, or compressed tokens, because a block
 * holds another number of these. */
uint32_t parallel_kv_layers(struct kv_layers layer[KV_KINDS], uint32_t n,
			    const struct model *m, uint32_t tp, uint32_t drafts,
			    double kv_bits);
/* What the keys do not give of an engine that serves the model on that GPU;
 * seed and from are left to the caller.  *view: the model as a cost model sees
 * it, with the KV cache in the engine's format; the facts point to it. */
struct engine_facts parallel_facts(const struct model *m,
				   const struct hardware *h,
				   const struct engine_keys *k, sc_model *view);
