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
	uint32_t *start;     /* [n_rows + 1] first point of each row */
	unsigned char *made; /* [n_rows] 1: blended, not measured */
	double *row;         /* [n_rows] */
	/* [start[n_rows]] With the knob `monotone`, us never falls along a
	 * row. */
	double *x, *residual, *us;
	/* The weights of a GEMM as the model stores them: bytes, and the peak
	 * rate at which they are multiplied, FLOP/us; 0: as in the table
	 * index. */
	double stored, peak;
	uint32_t provenance; /* of the shape: SC_EXACT, or how it was made */
	char used[64];       /* name of the measured shape that it is from */
};

/* All shapes of an op in one number format. */
struct table_index {
	struct sc_law law;
	/* What the GPU that is simulated can do: FLOP/us, bytes/us; 0: not
	 * known. */
	double peak, bandwidth, l2_bytes;
	uint32_t how;  /* SC_SUBSTITUTED: the rows are of another GPU */
	int monotone;  /* the knob */
	int announced; /* 1: the caller has reported that rows are missing */
	uint32_t n_grids;
	struct grid *grid;   /* ascending by shape */
	struct grid scratch; /* for table_index_find(): room for any blend */
	uint32_t scratch_rows, scratch_points;
	double *knots; /* scratch memory for as many values as the table has */
};

struct answer {
	double us;
	uint32_t provenance;
};

/* Builds the index from the rows of `t` that are in the number format; t may be
 * NULL: no rows.  Returns SC_OK, or what sc_fail() returned. */
int32_t table_index_build(struct table_index *a, const sc_table *t,
			  uint32_t format, sc_error *err);
void table_index_free(struct table_index *a);
/* Replaces the law and keeps the residuals: the times of one number format then
 * stand for those of another. */
void table_index_restate(struct table_index *a, const struct sc_law *law);

/* Makes a grid for any shape from the nearest measured ones.  The caller frees
 * it with grid_free().  Returns SC_OK, or SC_ENOMEM with *err. */
int32_t table_index_resolve(const struct table_index *a, const double shape[3],
			    double tp, struct grid *s, sc_error *err);
/* Returns the same grid in a->scratch, without allocation. */
const struct grid *table_index_find(struct table_index *a,
				    const double shape[3], double tp);
void grid_free(struct grid *s);

/* Returns the time at (row, x).  An empty grid answers with the law.  Outside
 * of the points it is never below the least time of the kernel
 * (stepcost/kernel/floor.h). */
struct answer grid_at(const struct table_index *a, const struct grid *s,
		      double row, double x);
/* Returns the least time of attention in a step with that many pairs of a query
 * and a key, and that many tokens to read from the KV cache. */
double grid_least_us(const struct table_index *a, const struct grid *s,
		     double pairs, double cached);
/* grid_at() for a kernel by itself, which finds in the second-level cache
 * what it left there; in a step other kernels displace that. */
struct answer grid_alone_at(const struct table_index *a, const struct grid *s,
			    double row, double x);
#endif
