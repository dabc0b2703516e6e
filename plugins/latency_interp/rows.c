/* rows.c -- Adds rows between measured rows that are far apart.
 *
 * Attention with twice the heads at half the batch is the same work on as many
 * blocks: where a table has batches 1 and 4, the shape with twice the heads
 * tells about 2.  Held out, that halves the error of decode. */
#include "grid.h"
#include <stdlib.h>
#include "stepcost/fail.h"
#include "grid_private.h"

#define MAX_NEIGHBOURS 8
#define LEAST_GAP 3.0 /* ratio of rows that is worth a row between them */
#define FARTHEST 2.2  /* squared distance of a neighbour */

struct neighbour {
	const struct grid *of;
	double row, distance;
};
struct gap {
	uint32_t below;
	uint32_t n;
	double row;
	struct neighbour neighbour[MAX_NEIGHBOURS];
};

/* Squared distance of shapes by what stays different at equal work, or
 * INFINITY: another kernel. */
static double shape_distance(const struct table_index *a, const double shape[3],
			     const double other[3])
{
	int dim = a->law.op == SC_OP_DECODE;
	double work = log(other[dim] / shape[dim]);
	double group =
	    log(other[1 - dim] / other[dim] * shape[dim] / shape[1 - dim]);
	if (shape[2] != other[2] ||
	    (shape[0] == shape[1]) != (other[0] == other[1]))
		return INFINITY;
	return work * work + 0.25 * group * group;
}

/* The measured row of `of` that is the same work as `row` of shape. */
static int find_equivalent_row(const struct table_index *a,
			       const double shape[3], double row,
			       const struct grid *of, struct neighbour *d)
{
	int dim = a->law.op == SC_OP_DECODE;
	*d = (struct neighbour){of, row * shape[dim] / of->shape[dim],
				shape_distance(a, shape, of->shape)};
	if (!(d->distance > 0) || d->distance > FARTHEST)
		return 0;
	struct bracket b = bracket_of(of->row, 0, of->n_rows, d->row);
	return b.provenance == SC_EXACT;
}

static void find_neighbours(const struct table_index *a, const struct grid *s,
			    struct gap *g)
{
	struct neighbour d;
	g->n = 0;
	for (uint32_t i = 0; i < a->n_grids; i++) {
		if (!find_equivalent_row(a, s->shape, g->row, &a->grid[i], &d))
			continue;
		uint32_t to = g->n < MAX_NEIGHBOURS ? g->n++ : MAX_NEIGHBOURS;
		for (; to > 0 && g->neighbour[to - 1].distance > d.distance;
		     to--)
			if (to < MAX_NEIGHBOURS)
				g->neighbour[to] = g->neighbour[to - 1];
		if (to < MAX_NEIGHBOURS)
			g->neighbour[to] = d;
	}
}

/* The residual halfway: a mean of the neighbours' and of linear interpolation,
 * with weights from cross-validation. */
static double between(const struct table_index *a, const struct grid *s,
		      const struct gap *g, double x)
{
	uint32_t used = 0, unused = 0;
	double sum = 0, weights = 0;
	double share = a->law.op == SC_OP_DECODE ? 0.7 : 0.5;
	double linear = residual_at(s, g->row, x, &unused);
	for (uint32_t i = 0; i < g->n && used < MAX_NEAR; i++) {
		uint32_t provenance = SC_EXACT;
		double r = residual_at(g->neighbour[i].of, g->neighbour[i].row,
				       x, &provenance);
		double weight = 1 / fmax(0.01, g->neighbour[i].distance);
		if (provenance == SC_CLAMPED)
			continue;
		sum += weight * r;
		weights += weight;
		used++;
	}
	return used ? linear + share * (sum / weights - linear) : linear;
}

static void copy_row(const struct grid *from, uint32_t row, struct grid *to)
{
	uint32_t at = to->start[to->n_rows], first = from->start[row];
	uint32_t n = from->start[row + 1] - first;
	memcpy(to->x + at, from->x + first, n * sizeof *to->x);
	memcpy(to->us + at, from->us + first, n * sizeof *to->x);
	memcpy(to->residual + at, from->residual + first, n * sizeof *to->x);
	to->row[to->n_rows++] = from->row[row];
	to->start[to->n_rows] = at + n;
}

/* Points where the narrower of its neighbours, the row above, has them. */
static void make_row(const struct table_index *a, const struct grid *from,
		     const struct gap *g, struct grid *to)
{
	uint32_t at = to->start[to->n_rows];
	for (uint32_t j = from->start[g->below + 1];
	     j < from->start[g->below + 2]; j++, at++)
		set_point(a, to, to->n_rows, at, g->row, from->x[j],
			  between(a, from, g, from->x[j]));
	to->made[to->n_rows] = 1;
	to->row[to->n_rows++] = g->row;
	to->start[to->n_rows] = at;
}

static int32_t densify_one(const struct table_index *a, const struct grid *from,
			   struct grid *to, sc_error *err)
{
	uint32_t points = from->start[from->n_rows];
	if (grid_reserve(to, 2 * from->n_rows, 2 * points) < 0)
		return sc_fail(err, SC_ENOMEM, "out of memory");
	memcpy(to->shape, from->shape, sizeof to->shape);
	to->tp = from->tp;
	memcpy(to->used, from->used, sizeof to->used);
	for (uint32_t row = 0; row < from->n_rows; row++) {
		struct gap g = {.below = row};
		copy_row(from, row, to);
		if (row + 1 == from->n_rows ||
		    from->row[row + 1] < LEAST_GAP * from->row[row])
			continue;
		g.row = sqrt(from->row[row] * from->row[row + 1]);
		find_neighbours(a, from, &g);
		if (g.n)
			make_row(a, from, &g, to);
	}
	return SC_OK;
}

int32_t table_index_densify(struct table_index *a, sc_error *err)
{
	int32_t rc = SC_OK;
	if (a->law.op != SC_OP_PREFILL && a->law.op != SC_OP_DECODE)
		return SC_OK;
	struct grid *dense = calloc(a->n_grids + 1, sizeof *dense);
	if (!dense)
		return sc_fail(err, SC_ENOMEM, "out of memory");
	for (uint32_t i = 0; rc == SC_OK && i < a->n_grids; i++)
		rc = densify_one(a, &a->grid[i], &dense[i], err);
	for (uint32_t i = 0; i < a->n_grids; i++)
		grid_free(&a->grid[i]);
	free(a->grid);
	a->grid = dense;
	return rc;
}
