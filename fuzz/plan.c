/* plan.c -- Any lines as the options of a sweep, and any CSV as its points;
 * if they are accepted, they give points of known values, with names that
 * differ, and the same points twice. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "fuzz.h"
#include "sweep/plan.h"
#include "sweep/values.h"

enum { MOST_COMPARED = 100, MOST_POINTS = 400 };

/* "axis=TEXT", "zip=TEXT", "where=TEXT"; text is cut into lines. */
static void read_source(struct plan_source *from, char *text)
{
	for (char *line; (line = strsep(&text, "\n"));) {
		char *value = strchr(line, '=');
		if (!value)
			continue;
		*value++ = '\0';
		if (!strcmp(line, "axis"))
			names_add(&from->axis, value);
		else if (!strcmp(line, "zip"))
			names_add(&from->zip, value);
		else if (!strcmp(line, "where"))
			from->where = value;
	}
}

/* Whether it has a range of more values than an input may take, and of fewer
 * than are refused at sight. */
static int has_long_range(const char *text)
{
	double from, to, by;
	for (; text; text = strpbrk(text + 1, "=,;")) {
		int sum = sscanf(text + 1, "%lf:%lf:%lf", &from, &to, &by) == 3;
		if (!sum &&
		    sscanf(text + 1, "%lf:%lf:*%lf", &from, &to, &by) != 3)
			continue;
		double steps =
		    sum ? (to - from) / by : log(to / from) / log(by);
		if (steps > MOST_POINTS && steps < 1.1 * VALUES_MOST)
			return 1;
	}
	return 0;
}

/* A plan may be long; a run of the target is short. */
static int is_small(const struct plan_source *from)
{
	struct problem p;
	size_t points = 1;
	for (size_t i = 0; i < from->zip.n; i++)
		if (has_long_range(strchr(from->zip.item[i], '=')))
			return 0;
	for (size_t i = 0; i < from->axis.n && points <= MOST_POINTS; i++) {
		struct names value = {0};
		const char *text = strchr(from->axis.item[i], '=');
		if (has_long_range(text))
			return 0;
		if (text && values_parse(&value, "a", text + 1, &p) == 0)
			points *= value.n;
		names_free(&value);
	}
	return points <= MOST_POINTS;
}

static void check_values(const struct plan *l)
{
	for (size_t i = 0; i < l->n_points * l->n_axes; i++)
		if (l->at[i] >= l->axis[i % l->n_axes].value.n)
			abort();
}

static void check_names(const struct plan *l)
{
	static char name[MOST_COMPARED][POINT_NAME];
	size_t n = l->n_points < MOST_COMPARED ? l->n_points : MOST_COMPARED;
	for (size_t i = 0; i < n; i++) {
		plan_point_name(l, i, name[i]);
		for (size_t k = 0; k < i; k++)
			if (!strcmp(name[i], name[k]))
				abort();
	}
}

static void check(const struct plan *l, const struct plan_source *from,
		  const struct ini *none)
{
	struct plan again;
	struct problem p;
	check_values(l);
	check_names(l);
	if (plan_make(&again, from, none, &p) < 0 ||
	    strcmp(l->sha256, again.sha256) != 0)
		abort();
	plan_free(&again);
	char *text = plan_text(l, from);
	if (!text)
		abort();
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct plan_source from = {0};
	struct ini none = {0};
	struct plan l;
	struct problem p;
	size_t second, first = fuzz_split(data, size, &second);
	/* Without points all is options. */
	char *text = fuzz_text(data, first ? first : size, 4096);
	if (first)
		from.points = fuzz_file(data + second, size - second);
	if (text) {
		read_source(&from, text);
		if (is_small(&from)) {
			if (plan_make(&l, &from, &none, &p) == 0)
				check(&l, &from, &none);
			plan_free(&l);
		}
	}
	names_free(&from.axis);
	names_free(&from.zip);
	free(text);
	return 0;
}
