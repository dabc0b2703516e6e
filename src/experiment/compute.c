/* compute.c -- Computes the tables of an experiment, and compares them. */
#include "experiment/compute.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/number.h"
#include "experiment/claim.h"
#include "experiment/scope.h"

/* The caller frees the result; NULL: memory is out. */
static char *cell_text(const struct value *v, int digits)
{
	char s[400];
	if (v->text)
		return strdup(v->text);
	if (isnan(v->number))
		return strdup("");
	if (digits < 0)
		number_format(s, v->number);
	else
		snprintf(s, sizeof s, "%.*f", digits, v->number);
	return strdup(s);
}

static int cell_differs(const char *text, const char *want, int digits)
{
	struct value a = scope_cell(text), b = scope_cell(want);
	if (digits < 0 && !a.text && !b.text)
		return a.number < b.number || a.number > b.number;
	return strcmp(text, want) != 0;
}

static void compare_cell(struct xp_table *t, size_t row, size_t column)
{
	const struct xp_column *c = &t->column[column];
	struct xp_cell *cell = &t->cell[row * t->n_columns + column];
	int k = grid_column(&t->expected, c->name);
	if (k >= 0)
		cell->want = grid_cell(&t->expected, row, (size_t)k);
	else if (c->want.n_cols)
		cell->want = grid_cell(&c->want, row, 0);
	else
		return;
	cell->differs = cell_differs(cell->text, cell->want, c->digits);
	if (c->key) {
		t->n_key_differs += (size_t)cell->differs;
	} else if (*cell->want || cell->differs) {
		t->n_cells++;
		t->n_agree += !cell->differs;
	}
}

/* Compares the row variables that the file of expected values has as well. */
static void compare_variables(struct xp_table *t)
{
	for (size_t k = 0; k < t->rows.n_cols; k++) {
		int want = grid_column(&t->expected, t->rows.head[k]);
		for (size_t i = 0; want >= 0 && i < t->rows.n_rows; i++)
			t->n_key_differs += (size_t)cell_differs(
			    grid_cell(&t->rows, i, k),
			    grid_cell(&t->expected, i, (size_t)want), -1);
	}
}

static int compute_cell(struct scope *at, struct xp_table *t, size_t row,
			size_t column, struct problem *p)
{
	struct xp_cell *cell = &t->cell[row * t->n_columns + column];
	const struct xp_column *c = &t->column[column];
	at->in[0].row = row;
	at->in[0].n_columns = column;
	if (scope_value(at, c->is, &cell->value, p) < 0)
		return -1;
	cell->text = cell_text(&cell->value, c->digits);
	if (!cell->text)
		return problem_no_memory(p);
	compare_cell(t, row, column);
	return 0;
}

static int compute_table(const struct experiment *x, struct xp_table *t,
			 struct problem *p)
{
	struct scope at = {.x = x, .in[0].table = t};
	t->cell = calloc(t->rows.n_rows * t->n_columns, sizeof *t->cell);
	if (!t->cell)
		return problem_no_memory(p);
	for (size_t i = 0; i < t->rows.n_rows; i++)
		for (size_t k = 0; k < t->n_columns; k++)
			if (compute_cell(&at, t, i, k, p) < 0)
				return -1;
	compare_variables(t);
	return 0;
}

static int judge(struct experiment *x, struct problem *p)
{
	struct scope at = {.x = x};
	struct value v;
	if (scope_value(&at, x->refuted, &v, p) < 0)
		return -1;
	x->is_refuted = v.number != 0;
	return 0;
}

int experiment_compute(struct experiment *x, struct problem *p)
{
	for (size_t i = 0; i < x->n_tables; i++) {
		struct xp_table *t = &x->table[i];
		if (compute_table(x, t, p) < 0)
			return -1;
		x->n_cells += t->n_cells;
		x->n_agree += t->n_agree;
		x->differs |= t->n_agree < t->n_cells || t->n_key_differs;
	}
	if (x->refuted && judge(x, p) < 0)
		return -1;
	return x->claim.id ? claim_judge(x, p) : 0;
}
