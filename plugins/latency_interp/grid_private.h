/* grid_private.h -- what the files of a grid and a table index share. */
#ifndef LATENCY_INTERP_GRID_PRIVATE_H
#define LATENCY_INTERP_GRID_PRIVATE_H
#include "stepcost/interp.h"
#include "grid.h"

#define MAX_NEAR 4 /* shapes that a blend is made of */

/* Where a value lies among ascending ones. */
struct bracket {
	uint32_t below, above; /* the same: on a point, or clamped */
	double weight;         /* of above, by logarithms */
	uint32_t provenance;
};

/* Returns the neighbours of v in at[from] ... at[to - 1], which ascend; from <
 * to. */
static inline struct bracket bracket_of(const double *at, uint32_t from,
					uint32_t to, double v)
{
	struct sc_place p = sc_locate(at + from, to - from, v);
	uint32_t lo = from + p.low;
	if (p.how != SC_INTERPOLATED)
		return (struct bracket){lo, lo, 0, p.how};
	return (struct bracket){lo, lo + 1,
				log(v / at[lo]) / log(at[lo + 1] / at[lo]),
				SC_INTERPOLATED};
}

/* log(t / law) of a grid with rows; *provenance: worsened. */
double residual_at(const struct grid *s, double row, double x,
		   uint32_t *provenance);
/* An empty grid with room.  -1: out of memory. */
int grid_reserve(struct grid *s, uint32_t rows, uint32_t points);
/* Sets the point `at` of row number i, which has the value `row`, by its
 * residual. */
void set_point(const struct table_index *a, struct grid *s, uint32_t i,
	       uint32_t at, double row, double x, double residual);

int same_shape(const double a[3], const double b[3]);
/* v into ascending at[n], which has room, unless it is there; the new n. */
uint32_t insert_sorted(double *at, uint32_t n, double v);
/* "H-K-dh" of the shape that answers, the nearest of n. */
void name_shape(const struct table_index *a, const struct grid *of, uint32_t n,
		struct grid *s);
/* Adds rows between distant rows of each grid, from other shapes. */
int32_t table_index_densify(struct table_index *a, sc_error *err);
#endif
