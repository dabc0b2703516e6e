/* number.c -- Finds the shortest decimal that reads back as the same double.
 * */
#include "base/number.h"
#include <errno.h>
#include <fenv.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef unsigned __int128 u128;

/* A decimal: digits * 10^exponent. */
struct decimal {
	uint64_t digits;
	int exponent;
};

static const uint64_t power_of_ten[] = {
    1ull,
    10ull,
    100ull,
    1000ull,
    10000ull,
    100000ull,
    1000000ull,
    10000000ull,
    100000000ull,
    1000000000ull,
    10000000000ull,
    100000000000ull,
    1000000000000ull,
    10000000000000ull,
    100000000000000ull,
    1000000000000000ull,
    10000000000000000ull,
    100000000000000000ull,
};

static u128 ten_to(int k)
{
	u128 p = power_of_ten[k > 17 ? 17 : k];
	return k > 17 ? p * power_of_ten[k - 17] : p;
}

/* Returns value / step rounded to nearest, ties to even. */
static uint64_t divide(u128 value, u128 step)
{
	uint64_t q = (uint64_t)(value / step);
	u128 rest = value - q * step, half = step / 2;
	return q + (rest > half || (rest == half && (q & 1)));
}

/* v = m * 2^e, and every number between the midpoints to its two neighbours
 * reads back as v.  For 1e-4 <= v < 1e16, these three times 10^k (so that v has
 * 17 digits before the point) are whole multiples of 2^(e-2) that fit 128 bits,
 * so nothing is rounded.  Digits are dropped while the interval still contains
 * a decimal without them. */
static struct decimal shortest_exact(double v)
{
	static const double below_one[] = {1, 1e-1, 1e-2, 1e-3};
	int e, k = 16, drop = 0;
	uint64_t m = (uint64_t)ldexp(frexp(v, &e), 53);
	int shift = 2 - (e - 53); /* 1 .. 68 */
	while (v >= (double)power_of_ten[17 - k])
		k--;
	for (int i = 0; i < 4 && v < below_one[i]; i++)
		k++;
	u128 scale = ten_to(k), value = 4 * m * scale;
	/* the neighbour below is nearer than the one above */
	int narrow = m == 1ull << 52;
	u128 low = value - (narrow ? 1 : 2) * scale, high = value + 2 * scale;
	u128 unit = (u128)1 << shift;
	/* 1: m is odd, and a midpoint reads as the even neighbour */
	int open = m & 1;
	uint64_t lo = (uint64_t)((low + unit - !open) >> shift);
	uint64_t hi = (uint64_t)((high - (unsigned)open) >> shift);
	for (; (lo + 9) / 10 <= hi / 10; drop++) {
		lo = (lo + 9) / 10;
		hi /= 10;
	}
	uint64_t digits = divide(value, (u128)power_of_ten[drop] << shift);
	digits = digits < lo ? lo : digits > hi ? hi : digits;
	return (struct decimal){digits, drop - k};
}

/* Asks the C library for v with n_digits digits.  Returns 1 if that reads back
 * as v. */
static int by_printf(struct decimal *d, double v, int n_digits, int rounding)
{
	char s[NUMBER_SIZE];
	fesetround(rounding);
	snprintf(s, sizeof s, "%.*e", n_digits - 1, v);
	fesetround(FE_TONEAREST);
	if (strtod(s, NULL) != v)
		return 0;
	d->exponent = atoi(strchr(s, 'e') + 1) - (n_digits - 1);
	d->digits = 0;
	for (const char *c = s; *c != 'e'; c++)
		if (*c != '.')
			d->digits = 10 * d->digits + (uint64_t)(*c - '0');
	return 1;
}

static struct decimal shortest_searched(double v)
{
	struct decimal d = {0, 0};
	/* In normal doubles, any two decimals of 15 digits differ. */
	int n = v < 0x1p-1022 ? 1 : 15;
	/* Above a power of two the interval is twice as wide as below.  So if
	 * the nearest decimal is below and outside, the next one up may be
	 * inside. */
	while (!by_printf(&d, v, n, FE_TONEAREST) &&
	       !by_printf(&d, v, n, FE_UPWARD))
		n++;
	for (; d.digits % 10 == 0; d.digits /= 10)
		d.exponent++;
	return d;
}

static int write_digits(char *s, uint64_t digits)
{
	char text[20], *first = text + sizeof text;
	do
		*--first = (char)('0' + digits % 10);
	while (digits /= 10);
	size_t n = (size_t)(text + sizeof text - first);
	memcpy(s, first, n);
	return (int)n;
}

void number_write(FILE *f, uint64_t v)
{
	char s[20];
	fwrite_unlocked(s, 1, (size_t)write_digits(s, v), f);
}

/* s holds n digits; the first one stands for 10^x.  Inserts point and
 * exponent. */
static int place_point(char *s, int n, int x)
{
	if (x >= 16 || x < -4) {
		if (n > 1) {
			memmove(s + 2, s + 1, (size_t)n - 1);
			s[1] = '.';
			n++;
		}
		return n + sprintf(s + n, "e%c%02d", x < 0 ? '-' : '+', abs(x));
	}
	if (x < 0) {
		memmove(s + 1 - x, s, (size_t)n);
		memset(s, '0', (size_t)(1 - x));
		s[1] = '.';
		return n + 1 - x;
	}
	if (x >= n - 1) {
		memset(s + n, '0', (size_t)(x + 1 - n));
		return x + 1;
	}
	memmove(s + x + 2, s + x + 1, (size_t)(n - x - 1));
	s[x + 1] = '.';
	return n + 1;
}

int number_format(char buf[NUMBER_SIZE], double v)
{
	char *s = buf;
	if (!isfinite(v))
		return sprintf(buf, "%s",
			       isnan(v) ? "nan"
			       : v > 0  ? "inf"
					: "-inf");
	if (signbit(v))
		*s++ = '-';
	v = fabs(v);
	struct decimal d = v == 0                  ? (struct decimal){0, 0}
			   : v >= 1e-4 && v < 1e16 ? shortest_exact(v)
						   : shortest_searched(v);
	int n = write_digits(s, d.digits);
	n = place_point(s, n, d.exponent + n - 1);
	s[n] = '\0';
	return (int)(s - buf) + n;
}

const char *number_digits(char buf[NUMBER_SIZE], double v, int digits)
{
	double size = fabs(v), large = 1;
	for (int i = 0; i < digits; i++)
		large *= 10;
	int is_large = size >= large - 0.5 && size < 1e15;
	snprintf(buf, NUMBER_SIZE, "%.*f", 0, v);
	if (!is_large)
		snprintf(buf, NUMBER_SIZE, "%.*g", digits, v);
	return buf;
}

const char *number_short(char buf[NUMBER_SIZE], double v)
{
	return number_digits(buf, v, 4);
}

/* ---- reading ---- */

/* A double holds every whole number of up to 15 digits and every power of ten
 * up to 10^22, so their quotient is rounded only once, as strtod() does. */
const char *number_parse(const char *s, double *v)
{
	uint64_t digits = 0;
	int n = 0, after_point = 0;
	const char *c = s;
	for (; *c >= '0' && *c <= '9'; c++, n++)
		digits = 10 * digits + (uint64_t)(*c - '0');
	if (n && *c == '.')
		for (c++; *c >= '0' && *c <= '9'; c++, n++, after_point++)
			digits = 10 * digits + (uint64_t)(*c - '0');
	if (n == 0 || n > 15 || *c) {
		char *end;
		*v = strtod(s, &end);
		/* Hexadecimal is no number here: 0x10 is 0, then x10. */
		for (c = s; c < end && *c != 'x' && *c != 'X'; c++)
			;
		if (c < end)
			*v = 0;
		return c;
	}
	*v = (double)digits / (double)power_of_ten[after_point];
	return c;
}

const char *number_parse_whole(const char *s, int64_t *n)
{
	const char *digits = s + (*s == '-' || *s == '+');
	const char *c = digits + strspn(digits, "0123456789.");
	char *end;
	if (*digits < '0' || *digits > '9')
		return s;
	if (*c == 'e' || *c == 'E') {
		double d = strtod(s, &end);
		if (!(fabs(d) < 0x1p63) || d != floor(d))
			return s;
		*n = (int64_t)d;
		return end;
	}
	errno = 0;
	long long whole = strtoll(s, &end, 10);
	if (errno)
		return s;
	*n = whole;
	return end;
}
