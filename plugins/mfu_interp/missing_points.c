/* missing_points.c -- Fills points that a table of attention leaves out.  MFU
 * is no straight line over a wide gap, but the time of a kernel is nearly one
 * in its FLOPs. */
#include "missing_points.h"
#include <math.h>

/* Points along an axis of a block, `stride` cells apart. */
struct line {
	const double *axis;
	uint32_t n;
	double *cell;
	uint32_t stride;
	double power;
};

static double flops(const struct line *l, uint32_t i)
{
	return pow(l->axis[i], l->power);
}

static double *mfu(const struct line *l, uint32_t i)
{
	return &l->cell[(size_t)i * l->stride];
}

/* MFU is FLOPs by time; the peak cancels. */
static void fill_between(const struct line *l, uint32_t low, uint32_t high)
{
	double start = flops(l, low), end = flops(l, high);
	double start_time = start / *mfu(l, low),
	       end_time = end / *mfu(l, high);
	for (uint32_t i = low + 1; i < high; i++) {
		double t = (flops(l, i) - start) / (end - start);
		*mfu(l, i) =
		    flops(l, i) / ((1 - t) * start_time + t * end_time);
	}
}

static void fill_line(const struct line *l)
{
	uint32_t last = l->n;
	for (uint32_t i = 0; i < l->n; i++) {
		if (isnan(*mfu(l, i)))
			continue;
		if (last < l->n)
			fill_between(l, last, i);
		last = i;
	}
}

static void fill_block(struct sc_mfu_block *b, double power)
{
	for (uint32_t i = 0; i < b->nx; i++)
		fill_line(&(const struct line){b->y, b->ny, b->cell + i, b->nx,
					       power});
	for (uint32_t i = 0; i < b->ny; i++)
		fill_line(&(const struct line){
		    b->x, b->nx, b->cell + (size_t)i * b->nx, 1, 1});
}

void missing_points_fill(struct sc_mfu_table *t, double power)
{
	for (uint32_t i = 0; i < t->n; i++)
		fill_block(&t->block[i], power);
}
