/* grow.h -- Copies a grid and adds points that were not measured.  The copy
 * lies in the arena; a row's points are told ascending, then the row. */
#ifndef OPERATORS_GROW_H
#define OPERATORS_GROW_H
#include "stepcost/kernel/grid.h"
#include "read/arena.h"

struct growing {
	struct sc_grid *s;
	uint32_t *start;
	double *row, *log_row, *x, *log_x, *residual;
	unsigned char *how;
};

/* Begins *to as an empty copy of *from with room for these rows and points. -1:
 * the arena is full, and *to equals *from. */
int grow(struct growing *g, struct arena *a, const struct sc_grid *from,
	 struct sc_grid *to, size_t rows, size_t points);
/* how: SC_EXACT: it was measured. */
void grow_point(struct growing *g, struct sc_logged x, double residual,
		uint32_t how);
/* Ends the row of the points that were told since the last. */
void grow_row(struct growing *g, double row);
void grow_end(struct growing *g);

/* Where a grid's point is. */
static inline struct sc_logged grid_point(const struct sc_grid *s, uint32_t at)
{
	return (struct sc_logged){s->x[at], s->log_x[at]};
}
#endif
