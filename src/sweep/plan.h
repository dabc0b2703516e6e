/* sweep/plan.h -- the points of a sweep: axes, and which of its values each
 * point has on every axis.
 *
 * A point's name depends on its axes and values alone, not on its place nor on
 * the order of the axes: a widened axis adds points and renames none.  Names
 * are unique.  Knows nothing of cost models. */
#ifndef SC_SWEEP_PLAN_H
#define SC_SWEEP_PLAN_H
#include <stdint.h>
#include "base/ini.h"
#include "base/names.h"
#include "base/problem.h"

enum { POINT_NAME = 17 }; /* 16 hex digits and a NUL                         */

/* What was asked for: --axis, --zip, --points, --sample, --where. */
struct plan_source {
	struct names axis;  /* "SECTION.KEY=VALUES"                           */
	struct names zip;   /* "A,B": these go together                       */
	const char *points; /* a CSV instead; NULL: none                     */
	int64_t sample;     /* 0: all                                         */
	int64_t sample_seed;
	const char *where; /* NULL: all                                      */
};

struct plan_axis {
	char *name; /* "section.key"                                        */
	size_t dot; /* between section and key                              */
	struct names value;
};
struct plan {
	struct plan_axis *axis;
	size_t n_axes;
	uint32_t *at; /* [n_points][n_axes], which value                     */
	size_t n_points;
	char sha256[65]; /* of the points' names, in order                   */
	const char *option; /* that gave the values, for messages             */
};
/* cfg: names of `where` that are no axes are keys there.  0, or -1 with *p;
 * plan_free() in either case. */
int plan_make(struct plan *l, const struct plan_source *from,
	      const struct ini *cfg, struct problem *p);
void plan_free(struct plan *l);

/* The axis "section.key"; -1: there is none. */
long plan_axis_named(const struct plan *l, const char *name);
const char *plan_value(const struct plan *l, size_t point, size_t axis);
/* The first 16 hex digits of the SHA-256 of "axis=value" a line, sorted. */
void plan_point_name(const struct plan *l, size_t point, char out[POINT_NAME]);
/* Axes, and what else makes the plan, as JSON; free() it.  NULL: out of
 * memory. */
char *plan_text(const struct plan *l, const struct plan_source *from);
#endif
