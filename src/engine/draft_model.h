/* engine/draft_model.h -- the model of a drafter: which it is, how the GPUs of
 * a replica share it, and what it keeps on them.
 *
 * Every GPU of a stage takes its part of it, as of the model that it drafts
 * for; of a pipeline, those of the last stage.  Its KV has blocks of the same
 * cache.  Source: vLLM, config/speculative.py, v1/spec_decode. [any thread] */
#pragma once
#include "base/problem.h"
#include "engine/facts.h"
#include "engine/keys/engine_keys.h"
#include "engine/keys/source.h"
#include "model/model.h"

/* The model that draft_model_config names; without it, with mtp and a
 * draft_cost_model, the target's last layer.  view.n_groups is 0 if there is no
 * drafter, or if it is not known.  The model must not outlive *target.  Returns
 * 0, or -1 with *p if it cannot be read or its heads cannot be split.
 * model_free() in either case. */
int draft_model_load(struct model *m, const struct engine_keys *k,
		     const struct model *target,
		     const struct engine_source *from, struct problem *p);
sc_parallel draft_model_parallel(const struct engine_keys *k,
				 const struct model *m);
/* Adds its weights, and its KV at kv_bits a number, to the bytes on each GPU.
 * With eagle the embedding is the target's, with mtp the head, too. */
void draft_model_add(struct engine_facts *f, const struct model *m,
		     const struct engine_keys *k, double kv_bits);
