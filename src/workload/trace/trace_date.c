/* trace_date.c -- Reads ISO dates. */
#include "workload/trace/trace_date.h"

/* Returns the days since 1970-01-01 (proleptic Gregorian); years begin in March
 * here. */
static int64_t days(int y, int m, int d)
{
	y -= m <= 2;
	int era = y / 400, year = y % 400;
	int day = (153 * (m + (m > 2 ? -3 : 9)) + 2) / 5 + d - 1;
	return (int64_t)era * 146097 + year * 365 + year / 4 - year / 100 +
	       day - 719468;
}

/* Reads exactly n digits. */
static int digits(const char **s, int n, int *out)
{
	*out = 0;
	for (int i = 0; i < n; i++, ++*s) {
		if (**s < '0' || **s > '9')
			return 0;
		*out = 10 * *out + (**s - '0');
	}
	return 1;
}

static int take(const char **s, char c)
{
	return **s == c ? ++*s, 1 : 0;
}

/* Reads up to 9 digits of a second as ns, behind '.' or ',' (ISO 8601, and
 * Python's logging). */
static int fraction(const char **s, int64_t *ns)
{
	int64_t unit = 1000000000;
	*ns = 0;
	if (!take(s, '.') && !take(s, ','))
		return 1;
	for (; **s >= '0' && **s <= '9'; ++*s) {
		if (unit == 1)
			return 0;
		unit /= 10;
		*ns += unit * (**s - '0');
	}
	return unit < 1000000000;
}

/* Reads nothing, Z, or +hh:mm, as seconds east. */
static int zone(const char **s, int *east)
{
	int h, m, sign = **s == '-' ? -1 : 1;
	*east = 0;
	if (take(s, 'Z') || !**s)
		return 1;
	if ((!take(s, '+') && !take(s, '-')) || !digits(s, 2, &h))
		return 0;
	take(s, ':');
	if (!digits(s, 2, &m) || h > 23 || m > 59)
		return 0;
	*east = sign * (3600 * h + 60 * m);
	return 1;
}

int trace_date_ns(const char *s, int64_t *ns)
{
	static const int length[] = {31, 29, 31, 30, 31, 30,
				     31, 31, 30, 31, 30, 31};
	int year, month, day, h, m, sec, east;
	int64_t part;
	if (!digits(&s, 4, &year) || !take(&s, '-') || !digits(&s, 2, &month) ||
	    !take(&s, '-') || !digits(&s, 2, &day) ||
	    (!take(&s, ' ') && !take(&s, 'T')) || !digits(&s, 2, &h) ||
	    !take(&s, ':') || !digits(&s, 2, &m) || !take(&s, ':') ||
	    !digits(&s, 2, &sec) || !fraction(&s, &part) || !zone(&s, &east) ||
	    *s)
		return 0;
	if (year < 1700 || year > 2200 || month < 1 || month > 12 || day < 1 ||
	    day > length[month - 1] || h > 23 || m > 59 || sec > 59)
		return 0;
	*ns = 1000000000 * (86400 * days(year, month, day) + 3600 * h + 60 * m +
			    sec - east) +
	      part;
	return 1;
}
