/* plan.c -- Any lines as the options of a sweep, and any CSV as its points;
 * if they are accepted, they give points of known values, with names that
 * differ, and the same points twice. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "fuzz.h"
#include "sweep/plan.h"
#include "sweep/values.h"

enum { MOST_COMPARED = 100, MOST_POINTS = 3000 };

/* "axis=TEXT", "zip=TEXT", "where=TEXT", "sample=N"; text is cut into lines. */
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
		else if (!strcmp(line, "sample"))
			from->sample = strtol(value, NULL, 10) & 0xffff;
	}
}

/* A plan may be long; a run of the target is short. */
static int is_small(const struct plan_source *from)
{
	struct problem p;
	size_t points = 1;
	for (size_t i = 0; i < from->axis.n && points <= MOST_POINTS; i++) {
		struct names value = {0};
		const char *text = strchr(from->axis.item[i], '=');
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
	struct plan_source from = {.sample_seed = 1};
	struct ini none = {0};
	struct plan l;
	struct problem p;
	char path[FUZZ_PATH];
	size_t second, first = fuzz_split(data, size, &second);
	/* Without points all is options. */
	char *text = fuzz_text(data, first ? first : size, 4096);
	int fd = first ? fuzz_file(data + second, size - second, path) : -1;
	from.points = fd >= 0 ? path : NULL;
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
	if (fd >= 0)
		close(fd);
	return 0;
}
