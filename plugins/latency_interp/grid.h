/* grid.h -- measured kernel times of one op, answered everywhere:
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
 * A table index and its grids belong to whoever built them; built with malloc,
 * asked without. */
#ifndef LATENCY_INTERP_GRID_H
#define LATENCY_INTERP_GRID_H
#include "stepcost/kernel/kernel_law.h"

/* One shape: rows (batches; one row for a GEMM) of points, both ascending. */
struct grid {
	double shape[3]; /* heads are those of one rank */
	double tp;       /* of a table keyed by a model and its tp, else 0 */
	uint32_t n_rows;
	uint32_t *start;           /* [n_rows + 1] first point of each row */
	unsigned char *made;       /* [n_rows] 1: not measured */
	double *row;               /* [n_rows] */
	double *x, *residual, *us; /* [start[n_rows]]; us rises along a row if
					monotone */
	/* Of a GEMM's weights in the model: bytes, and the peak that they can
	 * be multiplied at, FLOP/us; 0: as the table index has it. */
	double stored, peak;
	uint32_t provenance; /* of the shape: SC_EXACT, or how it was made */
	char used[64];       /* which shape answered */
};

/* All shapes of an op in one number format. */
struct table_index {
	struct sc_law law;
	/* What the GPU that is simulated can do: FLOP/us, bytes/us; 0: not
	 * known. */
	double peak, bandwidth, l2_bytes;
	uint32_t how; /* SC_SUBSTITUTED: the rows are of another GPU */
	int monotone;
	int announced; /* for the caller that reports missing rows */
	uint32_t n_grids;
	struct grid *grid;   /* ascending by shape */
	struct grid scratch; /* for table_index_find(): room for any blend */
	uint32_t scratch_rows, scratch_points;
	double *knots; /* room for as many places as the table has */
};

struct answer {
	double us;
	uint32_t provenance;
};

/* The rows of `t` in the index's format.  t may be NULL: no rows.
 * SC_OK, or what sc_fail() returned. */
int32_t table_index_build(struct table_index *a, const sc_table *t,
			  uint32_t format, sc_error *err);
void table_index_free(struct table_index *a);
/* The same residuals on another law: another number format's. */
void table_index_restate(struct table_index *a, const struct sc_law *law);

/* A grid for any shape, from the nearest measured ones; the caller frees
 * it.  SC_ENOMEM: *err. */
int32_t table_index_resolve(const struct table_index *a, const double shape[3],
			    double tp, struct grid *s, sc_error *err);
/* The same into a->scratch, without allocation. */
const struct grid *table_index_find(struct table_index *a,
				    const double shape[3], double tp);
void grid_free(struct grid *s);

/* The time at (row, x).  An empty grid answers with the law.  Outside of the
 * points it is never below the least time of the kernel
 * (stepcost/kernel/floor.h). */
struct answer grid_at(const struct table_index *a, const struct grid *s,
		      double row, double x);
/* The least time of attention in a step: pairs of a query and a key, tokens
 * that are read from the KV cache. */
double grid_least_us(const struct table_index *a, const struct grid *s,
		     double pairs, double cached);
/* grid_at() for a kernel by itself, which finds in the second-level cache
 * what it left there; in a step other kernels displace that. */
struct answer grid_alone_at(const struct table_index *a, const struct grid *s,
			    double row, double x);
#endif
