/* trace_unit.c -- Names and guesses units of time. */
#include "workload/trace/trace_unit.h"
#include <ctype.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

static const char *const name_of[] = {"", "s", "ms", "us", "ns", "date"};

enum trace_unit trace_unit_named(const char *name)
{
	for (int i = UNIT_S; i <= UNIT_DATE; i++)
		if (!strcmp(name, name_of[i]))
			return (enum trace_unit)i;
	return UNIT_UNKNOWN;
}

const char *trace_unit_name(enum trace_unit unit)
{
	return name_of[unit];
}

int trace_unit_power(enum trace_unit unit)
{
	return unit == UNIT_S    ? 9
	       : unit == UNIT_MS ? 6
	       : unit == UNIT_US ? 3
				 : 0;
}

void trace_times_add(struct trace_times *t, double time)
{
	if (!t->n || time < t->min)
		t->min = time;
	if (!t->n || time > t->max)
		t->max = time;
	t->has_fractions |= time != floor(time);
	t->n++;
}

/* ---- guessing ---- */

static double mean_gap(const struct trace_times *t)
{
	return t->n > 1 ? (t->max - t->min) / (double)(t->n - 1) : 0;
}

/* Times since 1970 of the years 1998 to 2128, a day apart at most. */
static enum trace_unit by_epoch(const struct trace_times *t)
{
	double unit = 1;
	for (int i = UNIT_S; i <= UNIT_NS; i++, unit *= 1000)
		if (t->n && t->min >= 9e8 * unit && t->max <= 5e9 * unit &&
		    mean_gap(t) <= 86400 * unit)
			return (enum trace_unit)i;
	return UNIT_UNKNOWN;
}

/* Returns the place of the last word: "Ms" in "arrivalMs", "s" in "t (s)". */
static size_t last_word(const char *s, size_t *n)
{
	size_t end = strlen(s);
	while (end && ispunct((unsigned char)s[end - 1]))
		end--;
	size_t from = end;
	while (from && !isspace((unsigned char)s[from - 1]) &&
	       !ispunct((unsigned char)s[from - 1])) {
		from--;
		if (from && isupper((unsigned char)s[from]) &&
		    islower((unsigned char)s[from - 1]))
			break;
	}
	*n = end - from;
	return from;
}

enum trace_unit trace_unit_of_column(const char *column)
{
	static const struct {
		const char *word;
		enum trace_unit unit;
	} known[] = {
	    {"s", UNIT_S},
	    {"sec", UNIT_S},
	    {"secs", UNIT_S},
	    {"second", UNIT_S},
	    {"seconds", UNIT_S},
	    {"ms", UNIT_MS},
	    {"msec", UNIT_MS},
	    {"msecs", UNIT_MS},
	    {"millis", UNIT_MS},
	    {"millisecond", UNIT_MS},
	    {"milliseconds", UNIT_MS},
	    {"us", UNIT_US},
	    {"\xc2\xb5s", UNIT_US}, /* the micro sign */
	    {"\xce\xbcs", UNIT_US}, /* the Greek letter */
	    {"usec", UNIT_US},
	    {"usecs", UNIT_US},
	    {"micros", UNIT_US},
	    {"microsecond", UNIT_US},
	    {"microseconds", UNIT_US},
	    {"ns", UNIT_NS},
	    {"nsec", UNIT_NS},
	    {"nsecs", UNIT_NS},
	    {"nanos", UNIT_NS},
	    {"nanosecond", UNIT_NS},
	    {"nanoseconds", UNIT_NS},
	};
	size_t n, from = last_word(column, &n);
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (strlen(known[i].word) == n &&
		    !strncasecmp(column + from, known[i].word, n))
			return known[i].unit;
	return UNIT_UNKNOWN;
}

/* A file with fractions is likely in a larger unit. */
static enum trace_unit by_rate(const struct trace_times *t)
{
	double longest = t->has_fractions ? 100 : 10, gap = mean_gap(t);
	int i = UNIT_S;
	while (i < UNIT_NS && gap > longest) {
		longest *= 1000;
		i++;
	}
	return (enum trace_unit)i;
}

enum trace_unit trace_unit_estimate(const char *column,
				    const struct trace_times *t)
{
	enum trace_unit unit = by_epoch(t);
	if (!unit)
		unit = trace_unit_of_column(column);
	return unit ? unit : by_rate(t);
}
