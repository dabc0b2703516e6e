/* stepcost/kernel/attention_shapes.h -- header-only helper for plugins: how to
 * estimate an attention kernel that was not measured from kernels that were.  A
 * shape is heads, KV heads and head size on one rank.  The scales below won a
 * cross-validation (plugins/latency_interp/latency_interp.md). */
#ifndef SC_ATTENTION_SHAPES_H
#define SC_ATTENTION_SHAPES_H
#include <math.h>

/* Coordinates of a shape: kernels of shapes that are near each other in these
 * coordinates have similar residuals. */
static inline void sc_attention_at(int decode, const double shape[3],
				   double at[4])
{
	double heads = shape[0], kv_heads = shape[1];
	at[2] = 4 * log(shape[2]);
	at[3] = 0;
	if (decode) {
		at[0] = 0.25 * log(heads / kv_heads);
		at[1] = log(kv_heads);
		/* multi-head attention: another kernel */
		at[3] = heads == kv_heads ? 3 : 0;
	} else {
		at[0] = log(heads);
		at[1] = 0.5 * log(kv_heads);
	}
}

/* Weight of a neighbour shape at a squared distance. */
static inline double sc_attention_weight(int decode, double squared)
{
	return pow(fmax(squared, 1e-12), decode ? -1.5 : -1);
}

/* A decode kernel keeps batch * kv_heads blocks busy, so one shape behaves like
 * another at the batch that makes these products equal.  Returns the factor
 * from a batch of `shape` to that batch of `other`. */
static inline double sc_attention_batch(int decode, const double shape[3],
					const double other[3])
{
	return decode ? shape[1] / other[1] : 1;
}

/* ---- a batch halfway between two that were measured far apart ----
 *
 * Attention with twice the heads at half the batch is the same work on the same
 * number of blocks.  So where a table has batches 1 and 4, a shape with twice
 * the heads tells about batch 2. */

#define SC_ATTENTION_GAP 3.0 /* ratio of batches wide enough to fill */
#define SC_ATTENTION_FARTHEST                                                  \
	2.2                       /* largest squared distance of a neighbour   \
				   */
#define SC_ATTENTION_NEIGHBOURS 8 /* neighbours that are looked at */

/* Squared distance of two shapes by what still differs at equal work.  Returns
 * INFINITY if another kernel runs `other`. */
static inline double sc_attention_distance(int decode, const double shape[3],
					   const double other[3])
{
	int dim = decode != 0;
	double work = log(other[dim] / shape[dim]);
	double group =
	    log(other[1 - dim] / other[dim] * shape[dim] / shape[1 - dim]);
	if (shape[2] != other[2] ||
	    (shape[0] == shape[1]) != (other[0] == other[1]))
		return (double)INFINITY;
	return work * work + 0.25 * group * group;
}

/* Returns the batch at which `other` does the same work as `shape` at
 * `batch`. */
static inline double sc_attention_like_batch(int decode, const double shape[3],
					     double batch,
					     const double other[3])
{
	int dim = decode != 0;
	return batch * shape[dim] / other[dim];
}

/* Returns the neighbours' share of the residual at the halfway batch; linear
 * interpolation has the rest. */
static inline double sc_attention_donated(int decode)
{
	return decode ? 0.7 : 0.5;
}
#endif
