/* draw/axis.h -- one axis of a drawing: the range of its data, widened to round
 * numbers with a tick at each, and where a value stands between its ends.
 *
 * axis_empty(), axis_add() for every value, axis_finish(); then axis_place()
 * and the ticks.  Values that are not finite, or not positive on a logarithmic
 * axis, have no place on it. */
#ifndef SC_DRAW_AXIS_H
#define SC_DRAW_AXIS_H

enum { AXIS_TICKS = 24 };

struct axis {
	double lo, hi; /* of the data, then widened to ticks                 */
	int log;
	int from, to; /* the ends, where lo and hi stand                     */
	double tick[AXIS_TICKS];
	int n_ticks;
};

struct axis axis_empty(int from, int to, int log);
/* Widens the range to v, if v has a place. */
void axis_add(struct axis *a, double v);
/* Chooses the ticks: 1, 2 or 5 times a power of ten, about six of them; on a
 * logarithmic axis whole decades, with 2 and 5 between few of them.  A range
 * that begins near zero begins at zero. */
void axis_finish(struct axis *a);
int axis_has(const struct axis *a, double v);
/* v must have a place. */
double axis_place(const struct axis *a, double v);
#endif
