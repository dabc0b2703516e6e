/* base/whole.h -- whole numbers.  [any thread] */
#ifndef SC_BASE_WHOLE_H
#define SC_BASE_WHOLE_H
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
#endif
