/* An axis is logarithmic if its positive values span more than two decades. */
#include "draw/figure.h"
#include <math.h>
#include "tap.h"

static int log_y_of(const double *y, size_t n, enum figure_scale scale)
{
	const struct figure_series s = {.x = y, .y = y, .n = n};
	const struct figure g = {.scale_x = SCALE_LOG,
				 .scale_y = scale,
				 .series = &s,
				 .n_series = 1};
	ok(figure_log_x(&g), "x is logarithmic, as asked for");
	return figure_log_y(&g);
}

int main(void)
{
	const double near_[] = {1, 100}, far[] = {1, NAN, 101};
	const double zero[] = {0, 1, 1000};
	ok(!log_y_of(near_, 2, SCALE_BY_RANGE), "two decades: linear");
	ok(log_y_of(far, 3, SCALE_BY_RANGE), "more: logarithmic");
	ok(!log_y_of(far, 3, SCALE_LINEAR), "unless linear is asked for");
	ok(!log_y_of(zero, 3, SCALE_BY_RANGE), "zero has no logarithm");
	ok(!log_y_of(NULL, 0, SCALE_BY_RANGE), "no values");
	return done();
}
