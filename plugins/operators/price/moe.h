/* price/moe.h -- The price of the routed experts of a layer on one rank. */
#ifndef OPERATORS_PRICE_MOE_H
#define OPERATORS_PRICE_MOE_H
#include "choose/choose.h"
#include "choose/formats.h"
#include "price/answer.h"

struct moe {
	struct kernels by;
	struct sc_moe shape;
	struct sc_blend blend;
	/* The law of Marlin's kernel: time to start, time of an expert's row,
	 * and the rows by which each expert in use is filled up.  row_us 0:
	 * another kernel runs. */
	double marlin_us, marlin_row_us, marlin_rows;
	double
	    padded_us; /* of all experts of the rank; 0: those in use count */
};

/* The shape that a grid of experts is of. */
static inline struct sc_moe moe_shape_of(const double *key)
{
	return (struct sc_moe){key[0], key[1], key[2], key[3],
			       key[4], key[5], key[6]};
}
/* What a shape at a distance counts. */
static inline double moe_weight(const struct numbers *n, double distance)
{
	double apart = distance + n->least_moe_distance;
	return 1 / (apart * apart);
}
struct moe moe_for(struct inst *s, struct dtype dtype, const char *routing,
		   const struct sc_moe *shape);
/* Whether the kernel that the knob expert_kernel names was measured in the
 * dtype that was asked for, on this GPU or another. */
int moe_has_kernel(const struct inst *s, const struct moe *m,
		   const char *dtype);
struct answer moe_us(const struct moe *m, double tokens);
#endif
