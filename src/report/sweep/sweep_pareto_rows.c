/* sweep_pareto_rows.c -- Finds the Pareto front of each group of rows. */
#include "report/sweep/sweep_pareto_rows.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/grow.h"
#include "base/text.h"
#include "math/pareto.h"

struct candidate {
	char *group;
	size_t place;
	struct pareto_point at;
};
struct front {
	struct reader *r;
	size_t x, y;
	int better_x, better_y;
	const struct names *by;
	struct candidate *row;
	size_t n, cap;
	struct problem *p;
};

long sweep_decision_column(const struct reader *r, const char *name,
			   int *better, struct problem *p)
{
	long column = reader_column(r, name, p);
	if (column < 0)
		return -1;
	const struct reader_head *h = reader_head(r, (size_t)column);
	*better = h->role == READER_NUMBER ? h->is.better : 0;
	return *better ? column
		       : problem_set(p, EXIT_USAGE,
				     "--by %s: neither more nor less of this "
				     "figure is better; choose another",
				     name);
}

/* Returns the texts in the columns of `by`, joined. */
static char *group_of(const struct front *f)
{
	char number[32];
	struct text t;
	FILE *out = text_begin(&t);
	/* check_groups() made sure that the columns exist */
	struct problem ignored;
	if (!out)
		return NULL;
	for (size_t i = 0; i < f->by->n; i++) {
		long c = reader_column(f->r, f->by->item[i], &ignored);
		fprintf(out, "%s\n", reader_text(f->r, (size_t)c, number));
	}
	return text_end(&t);
}

static int check_groups(const struct front *f)
{
	for (size_t i = 0; i < f->by->n; i++)
		if (reader_column(f->r, f->by->item[i], f->p) < 0)
			return -1;
	return 0;
}

static int add_row(struct front *f)
{
	if (!MAKE_ROOM(f->row, f->n, f->cap))
		return problem_no_memory(f->p);
	f->row[f->n] =
	    (struct candidate){.group = group_of(f),
			       .place = f->n,
			       .at = {reader_cell(f->r, f->x)->number,
				      reader_cell(f->r, f->y)->number, 0}};
	return f->row[f->n++].group ? 0 : problem_no_memory(f->p);
}

static int by_group(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;
	int order = strcmp(x->group, y->group);
	return order ? order : (x->place > y->place) - (x->place < y->place);
}

/* Sets chosen[] for the rows that are on the Pareto front of their group. */
static int choose(struct front *f, unsigned char *chosen)
{
	struct pareto_point *point = calloc(f->n + 1, sizeof *point);
	int rc = point ? 0 : problem_no_memory(f->p);
	if (f->n)
		qsort(f->row, f->n, sizeof *f->row, by_group);
	for (size_t from = 0, to; rc == 0 && from < f->n; from = to) {
		for (to = from;
		     to < f->n && !strcmp(f->row[to].group, f->row[from].group);
		     to++)
			point[to - from] = f->row[to].at;
		if (pareto_front(point, to - from, f->better_x, f->better_y) <
		    0)
			rc = problem_no_memory(f->p);
		for (size_t i = from; i < to; i++)
			chosen[f->row[i].place] = point[i - from].on_front != 0;
	}
	free(point);
	return rc;
}

static int collect(struct front *f, unsigned char **chosen)
{
	int rc;
	while ((rc = reader_next(f->r, f->p)) == 1)
		if (add_row(f) < 0)
			return -1;
	if (rc < 0)
		return -1;
	*chosen = calloc(f->n + 1, 1);
	return *chosen ? choose(f, *chosen) : problem_no_memory(f->p);
}

int sweep_pareto_rows(struct reader *r, const char *x, const char *y,
		      const struct names *by, unsigned char **chosen,
		      size_t *blank, struct problem *p)
{
	struct front f = {.r = r, .by = by, .p = p};
	long cx = sweep_decision_column(r, x, &f.better_x, p);
	long cy = cx < 0 ? -1 : sweep_decision_column(r, y, &f.better_y, p);
	*chosen = NULL;
	if (cy < 0 || check_groups(&f) < 0)
		return -1;
	f.x = (size_t)cx;
	f.y = (size_t)cy;
	int rc = collect(&f, chosen);
	*blank = 0;
	for (size_t i = 0; i < f.n; i++) {
		*blank += isnan(f.row[i].at.x) || isnan(f.row[i].at.y);
		free(f.row[i].group);
	}
	free(f.row);
	return rc;
}
