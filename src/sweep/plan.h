/* sweep/plan.h -- the points of a sweep: its axes, and the value of each point
 * on every axis.
 *
 * The name of a point depends only on its axes and values, not on its index or
 * on the order of the axes: extending an axis adds points and renames none.
 * Names are unique.  Knows nothing of cost models. */
#pragma once
#include <stdint.h>
#include "base/ini.h"
#include "base/names.h"
#include "base/problem.h"

enum { POINT_NAME = 17 }; /* 16 hex digits and a NUL */

/* The options --axis, --zip, --points, --where, or a list of points
 * that the program made. */
struct plan_source {
	struct names axis;  /* "SECTION.KEY=VALUES" */
	struct names zip;   /* "A,B": these vary together */
	const char *points; /* a CSV in place of axes; NULL: none */
	/* The content of such a CSV; NULL: none.  A point does not have the
	 * keys that are empty in its row. */
	const char *list;
	const char *list_from; /* with list: the option behind it */
	size_t
	    most; /* rows of points or list; 0: as many as a sweep may have */
	const char *where; /* NULL: all points */
};

struct plan_axis {
	char *name; /* "section.key" */
	size_t dot; /* between section and key */
	struct names value;
};
struct plan {
	struct plan_axis *axis;
	size_t n_axes;
	uint32_t *at; /* [n_points][n_axes] index of a value */
	size_t n_points;
	char sha256[65];    /* of the names of all points, in order */
	const char *option; /* the option that gave the values, for messages */
};
/* cfg: a name in `where` that is no axis is a key there.  Returns 0, or -1 with
 * *p filled in.  The caller calls plan_free() in either case. */
int plan_make(struct plan *l, const struct plan_source *from,
	      const struct ini *cfg, struct problem *p);
void plan_free(struct plan *l);

/* Returns the index of the axis "section.key", or -1. */
long plan_axis_named(const struct plan *l, const char *name);
/* Returns "" where the point leaves the key out. */
const char *plan_value(const struct plan *l, size_t point, size_t axis);
/* Writes the first 16 hex digits of the SHA-256 of sorted lines
 * "axis=value". */
void plan_point_name(const struct plan *l, size_t point, char out[POINT_NAME]);
/* Returns axes and everything else in the plan as JSON; the caller frees it.
 * NULL: memory is out. */
char *plan_text(const struct plan *l, const struct plan_source *from);
