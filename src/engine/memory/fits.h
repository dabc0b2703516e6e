/* engine/memory/fits.h -- on which larger sizes a model fits that the memory
 * has no room for.
 *
 * A size fits if engine_resolve() accepts it.  [any thread]; no printing. */
#pragma once
#include "base/problem.h"
#include "engine/keys/engine_keys.h"
#include "keys/hardware.h"
#include "model/model.h"

struct fits_of {
	const struct engine_keys *keys;
	const struct model *model;
	const struct model *draft; /* view.n_groups 0: none */
	const struct hardware *hardware;
};

/* Appends to the problem the least tensor_parallel_size and
 * pipeline_parallel_size that fit, each alone, else both together; the longest
 * max_model_len that fits, rounded down to a multiple of 1024; and the smallest
 * GPU in etc/hardware that fits. */
void fits_say(struct problem *p, const struct fits_of *q);
