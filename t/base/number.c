/* Shortest: reads back the same, and no shorter text does. */
#include "base/number.h"
#include <stdint.h>
#include <inttypes.h>
#include "tap.h"

static void written(double v, const char *want)
{
	char s[NUMBER_SIZE];
	int n = number_format(s, v);
	is(s, want, "%a is %s", v, want);
	if (n != (int)strlen(want))
		ok(0, "its length");
}

static int n_digits(const char *s)
{
	int n = 0, zeros = 0;
	for (; *s && *s != 'e'; s++) {
		if (*s < '0' || *s > '9' || (n == 0 && *s == '0'))
			continue;
		n++;
		zeros = *s == '0' ? zeros + 1 : 0;
	}
	return n - zeros;
}

/* The C library rounds to the nearest number with n digits; above a power of
 * two a number that is not the nearest may read back, too. */
static int shortest(double v)
{
	char s[NUMBER_SIZE], t[64];
	number_format(s, v);
	if (strtod(s, NULL) != v)
		return 0;
	int e, n = n_digits(s);
	if (n <= 1 || fabs(frexp(v, &e)) == 0.5)
		return 1;
	snprintf(t, sizeof t, "%.*e", n - 2, v);
	if (strtod(t, NULL) == v)
		return 0;
	snprintf(t, sizeof t, "%.*e", n - 1, v); /* of n digits the nearest */
	return fabs(strtod(t, NULL) - v) == 0;
}

static uint64_t state = 42;
static uint64_t bits(void)
{
	uint64_t z = (state += 0x9e3779b97f4a7c15u);
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

static double any(void)
{
	union {
		uint64_t u;
		double d;
	} x;
	do
		x.u = bits();
	while (!isfinite(x.d));
	return x.d;
}

static void many(const char *what, double (*make)(void), int n)
{
	int bad = 0;
	for (int i = 0; i < n; i++) {
		double v = make();
		if (!shortest(v) && bad++ < 3)
			printf("# %a %.17g\n", v, v);
	}
	ok(bad == 0, "%d %s", n, what);
}

static double ordinary(void)
{
	return (double)(bits() >> 11) * pow(2, (int)(bits() % 64) - 60);
}
static double subnormal(void)
{
	return (double)(bits() >> (12 + bits() % 50)) * 0x1p-1074;
}
static double decimal(void)
{
	return (double)(bits() % 1000000007) / 1e6;
}
static double whole(void)
{
	return (double)(bits() >> (bits() % 60));
}

static void points(void)
{
	written(0, "0");
	written(-0.0, "-0");
	written(100, "100");
	written(0.1, "0.1");
	written(0.3, "0.3");
	written(0.1 + 0.2, "0.30000000000000004");
	written(1 / 3., "0.3333333333333333");
	written(2 / 3., "0.6666666666666666");
	written(267.5, "267.5");
	written(1e15, "1000000000000000");
	written(9999999999999998, "9999999999999998");
	written(1e16, "1e+16");
	written(123456789012345678., "1.2345678901234568e+17");
	written(1e22, "1e+22");
	written(1e23, "1e+23");
	written(-2.5e30, "-2.5e+30");
	written(0.0001, "0.0001");
	written(0.00012345, "0.00012345");
	written(0.00001, "1e-05");
	written(0x1p-44, "5.684341886080802e-14");
	written(0x1p-1074, "5e-324");
	written(0x1p-1022, "2.2250738585072014e-308");
	written(0x1.fffffffffffffp1023, "1.7976931348623157e+308");
	written(1125899906842624.25, "1125899906842624.2");
	written(1125899906842624.75, "1125899906842624.8");
	written(9007199254740992, "9007199254740992");
	written(INFINITY, "inf");
	written(-INFINITY, "-inf");
	written(NAN, "nan");
}

static int64_t whole_of(const char *s, const char *left)
{
	int64_t n = -77;
	is(number_parse_whole(s, &n), left, "%s", s);
	return n;
}

static void decimal_alone(void)
{
	static const char *const hex[] = {"0x10", "-0X1p3", " 0x.8"};
	double v = 7;
	for (size_t i = 0; i < sizeof hex / sizeof *hex; i++)
		ok(number_parse(hex[i], &v) == strpbrk(hex[i], "xX") &&
		       v >= 0 && v <= 0,
		   "%s: a 0 before text", hex[i]);
	ok(!*number_parse("-1.5e3", &v) && v == -1500, "decimal is");
}

static void whole_numbers(void)
{
	ok(whole_of("17", "") == 17 && whole_of("-3x", "x") == -3, "digits");
	ok(whole_of("9223372036854775807", "") == INT64_MAX, "the greatest");
	ok(whole_of("9223372036854775808", "9223372036854775808") == -77,
	   "one more does not fit");
	ok(whole_of("1e6", "") == 1000000 && whole_of("2.5E3,", ",") == 2500 &&
	       whole_of("-1e2", "") == -100,
	   "with an exponent");
	ok(whole_of("1e19", "1e19") == -77 && whole_of("1e999", "1e999") == -77,
	   "exponents that do not fit");
	ok(whole_of("1.5e0", "1.5e0") == -77 && whole_of("1e-1", "1e-1") == -77,
	   "fractions");
	ok(whole_of("1.5", ".5") == 1 && whole_of("1e", "e") == 1,
	   "a point or an e is not part of it");
	ok(whole_of(" 1", " 1") == -77 && whole_of("0x10", "x10") == 0 &&
	       whole_of("inf", "inf") == -77 && whole_of("", "") == -77,
	   "blanks, hexadecimal, words");
}

/* ---- for people ---- */

static void is_short(double v, const char *want)
{
	char s[NUMBER_SIZE];
	is(number_short(s, v), want, "%.17g is short", v);
}

static void short_numbers(void)
{
	is_short(0.00012345, "0.0001234");
	is_short(12.3456, "12.35");
	is_short(9999.4, "9999");
	is_short(9999.5, "10000");
	is_short(-14410.7, "-14411");
	is_short(2e15, "2e+15");
	is_short(0, "0");
}

static void to_a_file(void)
{
	char text[64] = "";
	FILE *f = fmemopen(text, sizeof text, "w");
	const uint64_t v[] = {0, 10, 4294967296, UINT64_MAX};
	for (int i = 0; f && i < 4; i++) {
		number_write(f, v[i]);
		putc(' ', f);
	}
	if (f)
		fclose(f);
	is(text, "0 10 4294967296 18446744073709551615 ", "to a file");
}

int main(void)
{
	int bad = 0;
	to_a_file();
	short_numbers();
	points();
	decimal_alone();
	whole_numbers();
	many("random bits", any, 100000);
	many("of ordinary size", ordinary, 100000);
	many("subnormals", subnormal, 20000);
	many("of few decimals", decimal, 50000);
	many("whole numbers", whole, 50000);
	for (int e = -1074; e < 1024; e++)
		bad += !shortest(ldexp(1, e)) + !shortest(-ldexp(1, e)) +
		       !shortest(nextafter(ldexp(1, e), 0));
	ok(bad == 0, "powers of two and what is next to them");
	return done();
}
