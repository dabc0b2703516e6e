/* record/shapes.h -- differences by the shape of steps: the number of decodes,
 * of prompts and their tokens, the longest context. [one thread]; no
 * printing. */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include "record/frozen.h"
#include "stepcost/plugin.h"

/* Each number is rounded up to a power of two. */
struct step_shape {
	uint32_t n_decode, n_prefill;
	uint32_t prefill_tokens, longest_kv;
};
struct step_shape step_shape_of(const sc_step *s);

/* Steps of one shape. */
struct shape_difference {
	struct step_shape shape;
	uint64_t steps;
	double ns[N_ATTRIBUTED];
	/* The step of them that differs most, to try with `eval`: */
	uint64_t example; /* its entry in the log */
	double example_ns;
};

/* Zeroed at first. */
struct step_shapes {
	struct shape_difference *item; /* open addressing */
	size_t cap, n;
};
/* Adds a step that differs by ns, which moves metric m by weight[m] times that.
 * Returns 0, or -1 if memory is out. */
int shapes_add(struct step_shapes *s, const struct step_shape *shape,
	       uint64_t place, double ns, const double weight[N_ATTRIBUTED]);
/* Writes the shapes with the largest difference in step time to to[room],
 * largest first.  Returns how many.  Nothing can be added after that. */
uint32_t shapes_largest(struct step_shapes *s, struct shape_difference *to,
			uint32_t room);
void shapes_free(struct step_shapes *s);
