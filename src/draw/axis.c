/* axis.c -- Chooses the range of an axis and its ticks. */
#include "draw/axis.h"
#include <math.h>

struct axis axis_empty(int from, int to, int log)
{
	return (struct axis){.lo = INFINITY,
			     .hi = -INFINITY,
			     .log = log,
			     .from = from,
			     .to = to};
}

int axis_has(const struct axis *a, double v)
{
	return isfinite(v) && (!a->log || v > 0);
}

double axis_place(const struct axis *a, double v)
{
	double lo = a->log ? log10(a->lo) : a->lo;
	double hi = a->log ? log10(a->hi) : a->hi;
	double at = a->log ? log10(v) : v;
	return a->from + (at - lo) / (hi - lo) * (a->to - a->from);
}

void axis_add(struct axis *a, double v)
{
	if (!axis_has(a, v))
		return;
	a->lo = v < a->lo ? v : a->lo;
	a->hi = v > a->hi ? v : a->hi;
}

/* Returns 1, 2 or 5 times a power of ten, so that about six steps fit. */
static double nice_step(double span)
{
	double raw = span / 6, power = pow(10, floor(log10(raw)));
	double times = raw / power;
	return power * (times <= 1 ? 1 : times <= 2 ? 2 : times <= 5 ? 5 : 10);
}

static void linear_ticks(struct axis *a)
{
	double step = nice_step(a->hi - a->lo);
	a->lo = floor(a->lo / step) * step;
	a->hi = ceil(a->hi / step) * step;
	for (int i = 0; i < AXIS_TICKS; i++) {
		double v = a->lo + i * step;
		if (v > a->hi + step / 2)
			break;
		/* exactly 0, not a rounding error near it */
		a->tick[a->n_ticks++] = fabs(v) < step / 1e6 ? 0 : v;
	}
}

/* Returns 1, 2 or 5 times a power of ten: the largest that is not above v, or
 * the least that is not below v. */
static double round_to_125(double v, int up)
{
	static const double times[] = {1, 2, 5, 10};
	double power = pow(10, floor(log10(v)));
	int k = up ? 0 : 2;
	while (up ? power * times[k] < v * (1 - 1e-12)
		  : power * times[k] > v * (1 + 1e-12))
		k += up ? 1 : -1;
	return power * times[k];
}

/* Ticks at whole decades; if there are few decades, also at 2 and 5. */
static void log_ticks(struct axis *a)
{
	static const double times[] = {1, 2, 5};
	int is_short = a->hi <= 1000 * a->lo;
	int lo = (int)floor(log10(a->lo)), hi = (int)ceil(log10(a->hi));
	int every = 1 + (hi - lo) / 10;
	if (is_short) {
		a->lo = round_to_125(a->lo, 0);
		a->hi = round_to_125(a->hi, 1);
	} else {
		a->lo = pow(10, lo);
		a->hi = pow(10, hi);
	}
	for (int e = lo; e <= hi; e += every)
		for (int k = 0; k < 3 && a->n_ticks < AXIS_TICKS; k++) {
			double v = times[k] * pow(10, e);
			if ((k == 0 || is_short) && v >= a->lo * (1 - 1e-9) &&
			    v <= a->hi * (1 + 1e-9))
				a->tick[a->n_ticks++] = v;
		}
}

void axis_finish(struct axis *a)
{
	if (!(a->lo <= a->hi)) { /* no data */
		a->lo = a->log ? 1 : 0;
		a->hi = a->log ? 10 : 1;
	}
	if (a->log && a->lo == a->hi) {
		a->lo /= 2;
		a->hi *= 2;
	}
	if (a->log) {
		log_ticks(a);
		return;
	}
	if (a->lo == a->hi) {
		double around = a->lo == 0 ? 1 : fabs(a->lo) / 2;
		a->lo -= around;
		a->hi += around;
	}
	/* From zero, unless that leaves less than a fifth of it to the data. */
	if (a->lo > 0 && a->lo < 0.8 * a->hi)
		a->lo = 0;
	linear_ticks(a);
}

const char *axis_note(const struct axis *a)
{
	return !a->log && a->lo > 0 ? " (axis not from 0)" : "";
}
