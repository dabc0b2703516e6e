/* values.c -- Parses the values of an axis. */
#include "sweep/values.h"
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/number.h"

/* ---- one value ---- */

/* Returns 1 for a decimal number and nothing else, small enough for a double to
 * hold every digit. */
static int is_number(const char *s, double *out)
{
	char *end;
	const char *digits = s + (*s == '-');
	if (!isdigit((unsigned char)*digits) && *digits != '.')
		return 0;
	if (digits[0] == '0' && isalnum((unsigned char)digits[1]))
		return 0;
	errno = 0;
	*out = strtod(s, &end);
	return !*end && !errno && fabs(*out) < 9007199254740992.0;
}

void value_plain(char out[VALUE_SIZE], const char *text, size_t n)
{
	double v;
	for (; n && isspace((unsigned char)*text); n--)
		text++;
	while (n && isspace((unsigned char)text[n - 1]))
		n--;
	n = n < VALUE_SIZE ? n : VALUE_SIZE - 1;
	memcpy(out, text, n);
	out[n] = '\0';
	if (is_number(out, &v))
		number_format(out, v == 0 ? 0 : v);
}

/* ---- lists ---- */

struct list {
	struct names *out;
	const char *option, *axis;
	struct problem *p;
};

static int too_many(struct list *l)
{
	return problem_set(l->p, EXIT_USAGE, "%s %s: more than %d values",
			   l->option, l->axis, VALUES_MOST);
}

static int add(struct list *l, const char *value)
{
	if (l->out->n >= VALUES_MOST)
		return too_many(l);
	return names_add(l->out, value) < 0 ? problem_no_memory(l->p) : 0;
}

struct range {
	double from, to, by;
	int factor;
};

/* Returns 1 if the text is a range. */
static int range_parse(const char *s, struct range *r)
{
	char part[3][64];
	int used = 0;
	if (sscanf(s, "%63[^:]:%63[^:]:%63[^:]%n", part[0], part[1], part[2],
		   &used) != 3 ||
	    s[used])
		return 0;
	r->factor = part[2][0] == '*';
	return is_number(part[0], &r->from) && is_number(part[1], &r->to) &&
	       is_number(part[2] + r->factor, &r->by);
}

/* Returns the number of steps of a range with a step that leads to its end. */
static double steps_of(const struct range *r)
{
	return r->factor ? log(r->to / r->from) / log(r->by)
			 : (r->to - r->from) / r->by;
}

/* Refuses a range of too many values before the first of them is made. */
static int check_range(struct list *l, const struct range *r, const char *text)
{
	int ends = r->factor
		       ? r->from > 0 && r->to > 0 && r->by > 0 && r->by != 1 &&
			     (r->by > 1) == (r->to >= r->from)
		       : r->by != 0 && (r->by > 0) == (r->to >= r->from);
	if (r->from == r->to)
		return 0;
	if (!ends)
		return problem_set(
		    l->p, EXIT_USAGE,
		    "%s %s: %s: the step does not lead from %g to %g",
		    l->option, l->axis, text, r->from, r->to);
	return steps_of(r) > VALUES_MOST ? too_many(l) : 0;
}

static int add_range(struct list *l, const struct range *r, const char *text)
{
	if (check_range(l, r, text) < 0)
		return -1;
	double beyond = 1e-9 * fabs(r->to);
	int up = r->to >= r->from;
	for (int i = 0;; i++) {
		double v =
		    r->factor ? r->from * pow(r->by, i) : r->from + i * r->by;
		char digits[40], value[NUMBER_SIZE];
		if (up ? v > r->to + beyond : v < r->to - beyond)
			return 0;
		/* 3 · 0.1 becomes 0.3, without the rounding errors of a sum. */
		snprintf(digits, sizeof digits, "%.12g", v);
		v = strtod(digits, NULL);
		number_format(value, v == 0 ? 0 : v);
		if (add(l, value) < 0)
			return -1;
		if (r->from == r->to)
			return 0;
	}
}

static int add_item(struct list *l, const char *text, size_t n)
{
	char value[VALUE_SIZE];
	struct range r;
	value_plain(value, text, n);
	if (!*value)
		return problem_set(
		    l->p, EXIT_USAGE,
		    "%s %s: an empty value; write values as a,b,c", l->option,
		    l->axis);
	return range_parse(value, &r) ? add_range(l, &r, value) : add(l, value);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int check_twice(const struct list *l)
{
	size_t n = l->out->n;
	const char **sorted = calloc(n + 1, sizeof *sorted);
	int rc = 0;
	if (!sorted)
		return problem_no_memory(l->p);
	memcpy(sorted, l->out->item, n * sizeof *sorted);
	qsort(sorted, n, sizeof *sorted, by_text);
	for (size_t i = 1; rc == 0 && i < n; i++)
		if (!strcmp(sorted[i - 1], sorted[i]))
			rc = problem_set(l->p, EXIT_USAGE,
					 "%s %s: %s given twice", l->option,
					 l->axis, sorted[i]);
	free(sorted);
	return rc;
}

int values_parse_as(struct names *out, const char *option, const char *axis,
		    const char *text, struct problem *p)
{
	struct list l = {out, option, axis, p};
	char between = strchr(text, ';') ? ';' : ',';
	for (;;) {
		const char *end = strchr(text, between);
		size_t n = end ? (size_t)(end - text) : strlen(text);
		if (add_item(&l, text, n) < 0)
			return -1;
		if (!end)
			break;
		text = end + 1;
	}
	return check_twice(&l);
}

int values_parse(struct names *out, const char *axis, const char *text,
		 struct problem *p)
{
	return values_parse_as(out, "--axis", axis, text, p);
}
