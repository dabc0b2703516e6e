/* base/decimal.h -- numbers in text, exactly: a decimal times a power of ten as
 * an int64, with no double on the way (epoch nanoseconds exceed 2^53). */
#ifndef SC_BASE_DECIMAL_H
#define SC_BASE_DECIMAL_H
#include <stddef.h>
#include <stdint.h>

/* s[0 … n-1] times 10^power, half away from zero: "1.5" with power 9 is
 * 1500000000.  Takes [+-]digits[.digits][e[+-]digits].  0, or -1: not a
 * number, or beyond int64. */
int decimal_scaled(const char *s, size_t n, int power, int64_t *out);
/* A whole number of at least 0: digits, or a decimal without a fraction
 * ("374.0").  0 or -1. */
int decimal_whole(const char *s, size_t n, int64_t *out);
#endif
