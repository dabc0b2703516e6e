/* stepcost/attention_shapes.h -- header-only helper for plugins: which measured
 * attention kernels tell about one that was not measured.  Shapes are heads,
 * kv heads and head size on one rank.  The scales are the best of a
 * cross-validation (plugins/latency_interp/latency_interp.md). */
#ifndef SC_ATTENTION_SHAPES_H
#define SC_ATTENTION_SHAPES_H
#include <math.h>

/* Kernels of shapes near in these coordinates have like residuals. */
static inline void sc_attention_at(int decode, const double shape[3],
				   double at[4])
{
	double heads = shape[0], kv_heads = shape[1];
	at[2] = 4 * log(shape[2]);
	at[3] = 0;
	if (decode) {
		at[0] = 0.25 * log(heads / kv_heads);
		at[1] = log(kv_heads);
		at[3] = heads == kv_heads ? 3 : 0; /* another kernel */
	} else {
		at[0] = log(heads);
		at[1] = 0.5 * log(kv_heads);
	}
}

/* The weight of a shape at a squared distance. */
static inline double sc_attention_closeness(int decode, double squared)
{
	return pow(fmax(squared, 1e-12), decode ? -1.5 : -1);
}

/* Decode kernels keep as many blocks busy as batch * kv heads: a shape is like
 * another at the batch that makes these equal.  What a batch of `shape` is to
 * `other`. */
static inline double sc_attention_batch(int decode, const double shape[3],
					const double other[3])
{
	return decode ? shape[1] / other[1] : 1;
}

/* ---- a batch halfway between two that were measured far apart ----
 *
 * Attention with twice the heads at half the batch is the same work on as many
 * blocks: where a table has batches 1 and 4, the shape with twice the heads
 * tells about 2. */

#define SC_ATTENTION_GAP 3.0 /* ratio of batches that is worth one between */
#define SC_ATTENTION_FARTHEST 2.2 /* squared distance of a donor */
#define SC_ATTENTION_DONORS 8     /* that are looked at */

/* Squared distance of shapes by what stays different at equal work, or
 * INFINITY: another kernel. */
static inline double sc_attention_strangeness(int decode, const double shape[3],
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

/* The batch at which `other` does the same work. */
static inline double sc_attention_like_batch(int decode, const double shape[3],
					     double batch,
					     const double other[3])
{
	int dim = decode != 0;
	return batch * shape[dim] / other[dim];
}

/* How much of the residual halfway is the donors', the rest being that of
 * linear interpolation. */
static inline double sc_attention_donated(int decode)
{
	return decode ? 0.7 : 0.5;
}
#endif
