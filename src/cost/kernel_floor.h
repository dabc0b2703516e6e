/* cost/kernel_floor.h -- the least time that the hardware allows for one
 * kernel, by the work of stepcost/kernel/floor.h.  Weights and KV cache that
 * fit the second-level cache cost no time, because kernels are measured one
 * after another on the same data.  Experts have two matrices, since sc_kernel
 * does not say whether they have a gate. */
#pragma once
#include "cost/floor.h"

/* Returns us; 0: not known for kernels of this op. */
double kernel_floor_us(const struct floor *f, const sc_kernel *k,
		       enum floor_limit *limit);
struct floor_mark kernel_floor_mark(const struct floor *f, const sc_kernel *k,
				    double latency_us);
/* Writes "14.2 us, but reading its data takes 30.1 us".  Returns `to`. */
const char *kernel_floor_text(char to[FLOOR_TEXT],
			      const struct floor_finding *found);
