/* downsample.c -- Leaves points out of a table that lie near lines between
 * others. */
#include "tables/downsample.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/csv.h"

/* The choice of the rows of a table that are kept. */
struct thinning {
	const struct checked_table *c;
	/* [rows] The rows of a line are neighbours, ascending along its axis.
	 * A point's index is its place in this order. */
	uint64_t *order;
	int along; /* index of the last axis */
	double tolerance;
	char *is_kept;
};

static double place(const struct thinning *t, uint64_t i)
{
	return checked_value(&t->c->axis[t->along], t->order[i]);
}

/* Returns log(time of point i / time on the line between two others). */
static double off_line(const struct thinning *t, uint64_t i, uint64_t low,
		       uint64_t high)
{
	const double *us = t->c->latency;
	double from = log(us[t->order[low]]), to = log(us[t->order[high]]);
	double at = log(place(t, i) / place(t, low)) /
		    log(place(t, high) / place(t, low));
	return log(us[t->order[i]]) - (from + at * (to - from));
}

/* Keeps the point between two that is farthest from their line, if it is
 * farther than the tolerance, and goes on at both of its sides. */
static void keep_between(const struct thinning *t, uint64_t low, uint64_t high)
{
	double most = t->tolerance;
	uint64_t at = low;
	for (uint64_t i = low + 1; i < high; i++) {
		double off = fabs(off_line(t, i, low, high));
		if (off > most) {
			most = off;
			at = i;
		}
	}
	if (at == low)
		return;
	t->is_kept[t->order[at]] = 1;
	keep_between(t, low, at);
	keep_between(t, at, high);
}

/* Returns the end of the line that begins at i. */
static uint64_t end_of_line(const struct thinning *t, uint64_t i)
{
	const struct slot *other = &t->c->axis[t->along ? 0 : 1];
	uint64_t n = t->c->t.view.n_rows, end = i + 1;
	for (; end < n; end++) {
		uint64_t a = t->order[end - 1], b = t->order[end];
		if (checked_compare_keys(t->c, a, b) != 0 ||
		    (t->along &&
		     checked_value(other, a) != checked_value(other, b)) ||
		    !(place(t, end) > place(t, end - 1)) ||
		    !(place(t, end - 1) > 0))
			break;
	}
	return end;
}

static uint64_t count_kept(const struct thinning *t)
{
	uint64_t kept = 0;
	for (uint64_t i = 0; i < t->c->t.view.n_rows; i++)
		kept += t->is_kept[i] != 0;
	return kept;
}

/* Chooses the points of all lines with t->tolerance.  Returns how many points
 * are kept. */
static uint64_t choose_kept(const struct thinning *t)
{
	uint64_t n = t->c->t.view.n_rows;
	memset(t->is_kept, 0, n);
	for (uint64_t i = 0, end; i < n; i = end) {
		end = end_of_line(t, i);
		t->is_kept[t->order[i]] = t->is_kept[t->order[end - 1]] = 1;
		keep_between(t, i, end - 1);
	}
	return count_kept(t);
}

/* A tolerance above this leaves only ends. */
static const double most_off = 10;

/* Finds the smallest tolerance that keeps at most that share of the points, by
 * bisection, and chooses them. */
static void find_tolerance(struct thinning *t, double share)
{
	double low = 0, high = most_off;
	double room = share * (double)t->c->t.view.n_rows;
	t->tolerance = 0;
	if ((double)choose_kept(t) <= room)
		return;
	for (int i = 0; i < 40; i++) {
		t->tolerance = (low + high) / 2;
		if ((double)choose_kept(t) <= room)
			high = t->tolerance;
		else
			low = t->tolerance;
	}
	t->tolerance = high;
	choose_kept(t);
}

/* Adds up how far the points of a line that are left out are from the line
 * between their neighbours low and high, which are kept. */
static void score_line(const struct thinning *t, uint64_t i, uint64_t end,
		       struct downsampled *out)
{
	uint64_t low = i, high = i;
	for (; i < end; i++) {
		if (t->is_kept[t->order[i]]) {
			low = i;
			continue;
		}
		if (high <= i)
			for (high = i + 1; !t->is_kept[t->order[high]];)
				high++;
		double off = fabs(expm1(-off_line(t, i, low, high)));
		out->mean += off;
		if (off > out->worst) {
			out->worst = off;
			out->worst_line = t->c->t.line[t->order[i]];
		}
	}
}

static void score(const struct thinning *t, struct downsampled *out)
{
	uint64_t n = t->c->t.view.n_rows;
	*out = (struct downsampled){.n = n, .kept = count_kept(t)};
	for (uint64_t i = 0, end; i < n; i = end) {
		end = end_of_line(t, i);
		score_line(t, i, end, out);
	}
	if (out->kept < n)
		out->mean /= (double)(n - out->kept);
}

int downsample_table(const struct checked_table *c, double share, char *is_kept,
		     struct downsampled *out)
{
	uint64_t n = c->t.view.n_rows;
	struct thinning t = {
	    .c = c, .along = c->kind->axis[1].name != NULL, .is_kept = is_kept};
	*out = (struct downsampled){.n = n, .kept = n};
	memset(is_kept, 1, n);
	if (!c->kind->axis[0].name)
		return 0;
	t.order = checked_order(c, 0);
	if (!t.order)
		return -1;
	find_tolerance(&t, share);
	score(&t, out);
	free(t.order);
	return 0;
}

static void write_cell(const struct table *t, uint32_t column, uint64_t row,
		       FILE *f)
{
	if (t->text[column])
		csv_text(f, t->text[column][row]);
	else
		csv_number(f, t->col[column][row]);
}

void downsample_write(const struct checked_table *c, const char *is_kept,
		      FILE *f)
{
	const struct table *t = &c->t;
	for (uint32_t i = 0; i < t->view.n_cols; i++)
		fprintf(f, "%s%s", i ? "," : "", t->head[i]);
	putc('\n', f);
	for (uint64_t r = 0; r < t->view.n_rows; r++) {
		for (uint32_t i = 0; is_kept[r] && i < t->view.n_cols; i++) {
			if (i)
				putc(',', f);
			write_cell(t, i, r, f);
		}
		if (is_kept[r])
			putc('\n', f);
	}
}
