/* base/whole.h -- arithmetic on whole numbers.  [any thread] */
#pragma once
#include <math.h>
#include <stdint.h>

static inline uint32_t whole_min(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static inline uint32_t whole_max(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

/* Returns a / b, rounded up. */
static inline uint32_t whole_divide_up(uint32_t a, uint32_t b)
{
	return a / b + (a % b != 0);
}

/* Returns llround(x), half away from 0.  No function call unless x is negative
 * or very large. */
static inline int64_t whole_round(double x)
{
	if (!(x >= 0 && x < 0x1p63))
		return llround(x);
	int64_t whole = (int64_t)x;
	return whole + (x - (double)whole >= 0.5);
}
/* Returns the greatest common divisor. */
static inline uint32_t whole_divisor(uint32_t a, uint32_t b)
{
	while (b) {
		uint32_t rest = a % b;
		a = b;
		b = rest;
	}
	return a;
}
