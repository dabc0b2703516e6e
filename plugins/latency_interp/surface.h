/* surface.h -- measured kernel times of one op, answered everywhere:
 *
 *   t(row, x) = law(row, x) * exp(I[log(t_i / law_i)])
 *
 * law is the reference law of the op, I interpolates the residual of the
 * points: linear in log x along a row, linear in log row between rows, each
 * row clamped to its own range; at a measured point the measured time itself.
 * A shape that was not measured gets the residual of measured ones near it;
 * so does a batch halfway between two measured ones, from shapes that keep the
 * GPU equally busy at a batch that was measured.
 *
 * An atlas and its surfaces belong to whoever built them; built with malloc,
 * asked without. */
#ifndef LATENCY_INTERP_SURFACE_H
#define LATENCY_INTERP_SURFACE_H
#include "stepcost/kernel/kernel_law.h"

/* One shape: rows (batches; one row for a GEMM) of points, both ascending. */
struct surface {
	double shape[3]; /* heads are those of one rank */
	double tp;       /* of a table keyed by a model and its tp, else 0 */
	uint32_t n_rows;
	uint32_t *start;           /* [n_rows + 1] first point of each row */
	unsigned char *made;       /* [n_rows] 1: not measured */
	double *row;               /* [n_rows] */
	double *x, *residual, *us; /* [start[n_rows]]; us rises along a row if
					monotone */
	/* Of a GEMM's weights in the model: bytes, and the peak that they can
	 * be multiplied at, FLOP/us; 0: as the atlas has it. */
	double stored, peak;
	uint32_t provenance; /* of the shape: SC_EXACT, or how it was made */
	char used[64];       /* which shape answered */
};

/* All shapes of an op in one number format. */
struct atlas {
	struct sc_law law;
	/* What the GPU that is simulated can do: FLOP/us, bytes/us; 0: not
	 * known. */
	double peak, bandwidth, l2_bytes;
	uint32_t how; /* SC_SUBSTITUTED: the rows are of another GPU */
	int monotone;
	int announced; /* for the caller that reports missing rows */
	uint32_t n_surfaces;
	struct surface *surface; /* ascending by shape */
	struct surface scratch;  /* for atlas_ask(): room for any blend */
	uint32_t scratch_rows, scratch_points;
	double *knots; /* room for as many places as the table has */
};

struct answer {
	double us;
	uint32_t provenance;
};

/* The rows of `t` in the atlas's format.  t may be NULL: no rows.
 * SC_OK, or what sc_fail() returned. */
int32_t atlas_build(struct atlas *a, const sc_table *t, uint32_t format,
		    sc_error *err);
void atlas_free(struct atlas *a);
/* The same residuals on another law: another number format's. */
void atlas_restate(struct atlas *a, const struct sc_law *law);

/* A surface for any shape, from the nearest measured ones; the caller frees
 * it.  SC_ENOMEM: *err. */
int32_t atlas_resolve(const struct atlas *a, const double shape[3], double tp,
		      struct surface *s, sc_error *err);
/* The same into a->scratch, without allocation. */
const struct surface *atlas_ask(struct atlas *a, const double shape[3],
				double tp);
void surface_free(struct surface *s);

/* The time at (row, x).  An empty surface answers with the law.  Outside of the
 * points it is never below the least time of the kernel
 * (stepcost/kernel/floor.h). */
struct answer surface_at(const struct atlas *a, const struct surface *s,
			 double row, double x);
/* The least time of attention in a step: pairs of a query and a key, tokens
 * that are read from the KV cache. */
double surface_least_us(const struct atlas *a, const struct surface *s,
			double pairs, double cached);
/* surface_at() for a kernel by itself, which finds in the second-level cache
 * what it left there; in a step other kernels displace that. */
struct answer surface_alone_at(const struct atlas *a, const struct surface *s,
			       double row, double x);
#endif
