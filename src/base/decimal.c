/* decimal.c -- Reads decimals exactly into int64. */
#include "base/decimal.h"

/* The parts of a decimal.  Digits count exactly while they fit int64; of the
 * digits behind those, only `power` and whether any is not 0 is kept. */
struct parts {
	int64_t digits;
	int power, negative, full, rest;
};

/* Reads digits into d->digits while they fit in 64 bits; further ones only move
 * the power of ten.  Returns the first byte that is no digit. */
static const char *digits(struct parts *d, const char *s, const char *end,
			  int after_point)
{
	for (; s < end && *s >= '0' && *s <= '9'; s++) {
		int64_t v;
		if (!d->full && !__builtin_mul_overflow(d->digits, 10, &v) &&
		    !__builtin_add_overflow(v, *s - '0', &v)) {
			d->digits = v;
			d->power -= after_point;
		} else {
			d->full = 1;
			d->rest |= *s != '0';
			d->power += !after_point;
		}
	}
	return s;
}

/* Splits a decimal number into sign, digits and power of ten.  Returns 0, or -1
 * if it is not a number. */
static int split(struct parts *d, const char *s, size_t n)
{
	const char *end = s + n, *from;
	*d = (struct parts){.negative = n && *s == '-'};
	s += n && (*s == '-' || *s == '+');
	from = s;
	s = digits(d, s, end, 0);
	int any = s > from;
	if (s < end && *s == '.') {
		from = ++s;
		s = digits(d, s, end, 1);
		any |= s > from;
	}
	if (any && s < end && (*s == 'e' || *s == 'E')) {
		int minus = ++s < end && *s == '-', e = 0;
		s += s < end && (*s == '-' || *s == '+');
		from = s;
		for (; s < end && *s >= '0' && *s <= '9'; s++)
			e = e < 10000 ? 10 * e + (*s - '0') : e;
		any = s > from;
		d->power += minus ? -e : e;
	}
	return any && s == end ? 0 : -1;
}

/* Sets *exact to 1 if nothing was rounded away. */
static int scaled(const char *s, size_t n, int power, int64_t *out, int *exact)
{
	struct parts d;
	if (split(&d, s, n) < 0)
		return -1;
	int64_t v = d.digits, last = 0;
	*exact = !d.rest;
	power += d.power;
	if (d.full && power > 0)
		return -1;
	for (; v && power > 0; power--)
		if (__builtin_mul_overflow(v, (int64_t)10, &v))
			return -1;
	for (; (v || last) && power < 0; power++) {
		*exact &= last == 0;
		last = v % 10;
		v /= 10;
	}
	*exact &= last == 0;
	v += last >= 5;
	*out = d.negative ? -v : v;
	return 0;
}

/* Reads up to 18 digits and nothing else, because most numbers look like this.
 * Returns -1 for any other text. */
static int64_t plain(const char *s, size_t n)
{
	int64_t v = 0;
	if (n == 0 || n > 18)
		return -1;
	for (size_t i = 0; i < n; i++) {
		if (s[i] < '0' || s[i] > '9')
			return -1;
		v = 10 * v + (s[i] - '0');
	}
	return v;
}

int decimal_scaled(const char *s, size_t n, int power, int64_t *out)
{
	static const int64_t ten_to[] = {
	    1,      10,      100,      1000,      10000,
	    100000, 1000000, 10000000, 100000000, 1000000000};
	int exact;
	int64_t v = plain(s, n);
	if (v >= 0 && power >= 0 && power <= 9 &&
	    !__builtin_mul_overflow(v, ten_to[power], out))
		return 0;
	return scaled(s, n, power, out, &exact);
}

int decimal_whole(const char *s, size_t n, int64_t *out)
{
	int exact;
	*out = plain(s, n);
	if (*out >= 0)
		return 0;
	return scaled(s, n, 0, out, &exact) == 0 && exact && *out >= 0 ? 0 : -1;
}
