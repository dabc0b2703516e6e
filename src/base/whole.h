/* base/whole.h -- whole numbers.  [any thread] */
#ifndef SC_BASE_WHOLE_H
#define SC_BASE_WHOLE_H
#include <math.h>
#include <stdint.h>

static inline uint32_t whole_min(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* How many of b there are for all of a. */
static inline uint32_t whole_divide_up(uint32_t a, uint32_t b)
{
	return a / b + (a % b != 0);
}

/* llround(x), half away from 0; without a call for what is not below 0. */
static inline int64_t whole_round(double x)
{
	if (!(x >= 0 && x < 0x1p63))
		return llround(x);
	int64_t whole = (int64_t)x;
	return whole + (x - (double)whole >= 0.5);
}
#endif
