/* check_points.c -- Compares points with their neighbours. */
#include "tables/check_points.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Clean tables stay below 1.3 and 1.2. */
static const double far_off = 1.5, much_faster = 1.3;
static const double not_chosen_well = 3;

/* ---- kernels that are missing ---- */

static int has_op(const struct checked_table *c, char *const *of,
		  const char *op, size_t n)
{
	for (uint64_t r = 0; r < c->t.view.n_rows; r++)
		if (strlen(of[r]) == n && !strncmp(of[r], op, n))
			return 1;
	return 0;
}

static void check_ops(const struct checked_table *c)
{
	char lacks[100] = "";
	int at = table_column(&c->t, "op");
	if (at < 0 || !c->t.text[at] || !c->kind->ops)
		return;
	for (const char *op = c->kind->ops + 1; *op;) {
		size_t n = strcspn(op, " "), used = strlen(lacks);
		if (!has_op(c, c->t.text[at], op, n))
			snprintf(lacks + used, sizeof lacks - used, "%s%.*s",
				 used ? ", " : "", (int)n, op);
		op += n + 1;
	}
	if (lacks[0])
		checked_tell(c, -1, "incomplete", 0,
			     "lacks kernels that a layer needs: %s", lacks);
}

/* ---- neighbours ---- */

/* Rows in an order in which neighbours differ along one axis. */
struct lines {
	const struct checked_table *c;
	uint64_t *order;
	int same, along; /* axes */
};

static double place(const struct lines *l, uint64_t i)
{
	return checked_value(&l->c->axis[l->along], l->order[i]);
}

static double us(const struct lines *l, uint64_t i)
{
	return l->c->latency[l->order[i]];
}

/* Returns 1 if point i follows the one before it. */
static int follows(const struct lines *l, uint64_t i)
{
	const struct slot *same = &l->c->axis[l->same];
	uint64_t a = l->order[i - 1], b = l->order[i];
	return checked_compare_keys(l->c, a, b) == 0 &&
	       (l->same == l->along ||
		checked_value(same, a) == checked_value(same, b)) &&
	       place(l, i - 1) < place(l, i);
}

/* Returns how many times a point is above or below both of its neighbours;
 * below 1: between them. */
static double spike(const struct lines *l, uint64_t i)
{
	double a = us(l, i - 1), b = us(l, i), c = us(l, i + 1);
	return fmax(b / fmax(a, c), fmin(a, c) / b);
}

static void check_spikes(const struct lines *l)
{
	uint64_t n = l->c->t.view.n_rows, far = 0, worst = 0, points = 0;
	double most = 0;
	for (uint64_t i = 1; i + 1 < n; i++) {
		if (!follows(l, i) || !follows(l, i + 1))
			continue;
		double by = spike(l, i);
		points++;
		far += by >= far_off;
		if (by > most) {
			most = by;
			worst = i;
		}
	}
	if (far)
		checked_tell(l->c, (int64_t)l->order[worst], "outlier", 0,
			     "%llu of %llu points are %.1f times off both of "
			     "their neighbours in %s, or more; most here, %.1f "
			     "times",
			     (unsigned long long)far,
			     (unsigned long long)points, far_off,
			     l->c->axis[l->along].name, most);
}

/* A kernel that was tuned pads, or takes the way of more work, before it takes
 * three times as long. */
static void check_untuned(const struct lines *l)
{
	uint64_t n = l->c->t.view.n_rows, found = 0, worst = 0;
	double most = 0;
	for (uint64_t i = 0; i + 1 < n; i++) {
		if (!follows(l, i + 1))
			continue;
		double by = us(l, i) / us(l, i + 1);
		found += by >= not_chosen_well;
		if (by > most) {
			most = by;
			worst = i;
		}
	}
	if (found)
		checked_tell(
		    l->c, (int64_t)l->order[worst], "untuned", 0,
		    "%llu points take %g times as long as the next larger %s, "
		    "or more; most here, %.1f times line %llu: not tuned there",
		    (unsigned long long)found, not_chosen_well,
		    l->c->axis[l->along].name, most,
		    (unsigned long long)l->c->t.line[l->order[worst + 1]]);
}

/* The time of a linear kernel does not grow faster than its work. */
static void check_jumps(const struct lines *l)
{
	uint64_t n = l->c->t.view.n_rows, jumps = 0, worst = 0;
	double most = 0;
	for (uint64_t i = 1; i < n; i++) {
		if (!follows(l, i))
			continue;
		double by =
		    us(l, i) / us(l, i - 1) * place(l, i - 1) / place(l, i);
		jumps += by >= much_faster;
		if (by > most) {
			most = by;
			worst = i;
		}
	}
	if (jumps)
		checked_tell(
		    l->c, (int64_t)l->order[worst], "jump", 0,
		    "from one %s to the next the time grows %.1f times faster "
		    "than the work, %llu times; most here, %.1f times line "
		    "%llu: another kernel or clock, or no longer in the cache",
		    l->c->axis[l->along].name, much_faster,
		    (unsigned long long)jumps, most,
		    (unsigned long long)l->c->t.line[l->order[worst - 1]]);
}

static int check_along(const struct checked_table *c, int along)
{
	int both = c->kind->axis[1].name != NULL;
	struct lines l = {.c = c, .same = both ? 1 - along : 0, .along = along};
	l.order = checked_order(c, l.same);
	if (!l.order)
		return -1;
	check_spikes(&l);
	check_untuned(&l);
	if (c->kind->ops)
		check_jumps(&l);
	free(l.order);
	return 0;
}

int tables_check_points(const struct checked_table *c, struct problem *p)
{
	check_ops(c);
	for (int i = 0; i < KERNEL_MAX_AXES && c->kind->axis[i].name; i++)
		if (check_along(c, i) < 0)
			return problem_no_memory(p);
	return 0;
}
