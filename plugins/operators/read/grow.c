/* grow.c -- Makes grids with more points than were measured. */
#include "read/grow.h"

int grow(struct growing *g, struct arena *a, const struct sc_grid *from,
	 struct sc_grid *to, size_t rows, size_t points)
{
	*g =
	    (struct growing){.s = to,
			     .start = arena_take(a, rows + 1, sizeof *g->start),
			     .row = arena_take(a, rows, sizeof *g->row),
			     .log_row = arena_take(a, rows, sizeof *g->row),
			     .x = arena_take(a, points, sizeof *g->x),
			     .log_x = arena_take(a, points, sizeof *g->x),
			     .residual = arena_take(a, points, sizeof *g->x),
			     .how = arena_take(a, points, 1)};
	*to = *from;
	if (!g->start || !g->row || !g->log_row || !g->x || !g->log_x ||
	    !g->residual || !g->how)
		return -1;
	to->n_rows = 0;
	to->start = g->start;
	to->row = g->row;
	to->log_row = g->log_row;
	to->x = g->x;
	to->log_x = g->log_x;
	to->residual = g->residual;
	to->how = g->how;
	return 0;
}

void grow_point(struct growing *g, struct sc_logged x, double residual,
		uint32_t how)
{
	uint32_t at = g->start[g->s->n_rows]++;
	g->x[at] = x.v;
	g->log_x[at] = x.log;
	g->residual[at] = residual;
	g->how[at] = (unsigned char)how;
}

void grow_row(struct growing *g, double row)
{
	uint32_t n = g->s->n_rows++;
	g->row[n] = row;
	g->log_row[n] = log(row);
	g->start[n + 1] = g->start[n];
}

/* start[n] counted up while row n grew: afterwards it is the row's end. */
void grow_end(struct growing *g)
{
	for (uint32_t i = g->s->n_rows; i > 0; i--)
		g->start[i] = g->start[i - 1];
	g->start[0] = 0;
}
