/* base/decimal.h -- reads decimals exactly: a decimal times a power of ten as
 * an int64.  It uses no double in between, because epoch nanoseconds exceed
 * 2^53. */
#pragma once
#include <stddef.h>
#include <stdint.h>

/* Reads s[0 … n-1] times 10^power, rounded half away from zero: "1.5" with
 * power 9 is 1500000000.  Accepts [+-]digits[.digits][e[+-]digits].  Returns 0,
 * or -1 if s is no number or its value does not fit int64. */
int decimal_scaled(const char *s, size_t n, int power, int64_t *out);
/* Reads a whole number that is not negative: digits, or a decimal without a
 * fraction ("374.0").  Returns 0 or -1. */
int decimal_whole(const char *s, size_t n, int64_t *out);
