/* draw/axis.h -- one axis of a drawing: the range of its data, widened to round
 * numbers with a tick at each, and the place of a value between the ends.
 *
 * Call axis_empty(), axis_add() for every value, axis_finish(); then
 * axis_place() and the ticks are ready.  Values that are not finite, or not
 * positive on a logarithmic axis, have no place on it. */
#pragma once

enum { AXIS_TICKS = 24 };

struct axis {
	double lo, hi; /* range of the data; axis_finish() widens it to ticks */
	int log;
	int from, to; /* pixels of the two ends, where lo and hi are */
	double tick[AXIS_TICKS];
	int n_ticks;
};

/* Returns 1 if values from `least` to `most` belong on a logarithmic axis: they
 * are positive and span more than two decades. */
static inline int axis_wants_log(double least, double most)
{
	return least > 0 && most > 100 * least;
}
struct axis axis_empty(int from, int to, int log);
/* Widens the range to v if v has a place on the axis. */
void axis_add(struct axis *a, double v);
/* Chooses the ticks: about six, at 1, 2 or 5 times a power of ten; on a
 * logarithmic axis whole decades, and also 2 and 5 if there are few decades.  A
 * linear axis of positive values begins at zero, unless these differ by less
 * than a fifth. */
void axis_finish(struct axis *a);
/* Returns a remark for the label of an axis of positive values that does not
 * begin at zero, so that lengths on it tell no ratios; "" of others. */
const char *axis_note(const struct axis *a);
int axis_has(const struct axis *a, double v);
/* Returns the pixel of v; v must have a place. */
double axis_place(const struct axis *a, double v);
