/* measured_kernels.c -- Makes kernels to price of the rows of tables. */
#include "tables/measured_kernels.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "stepcost/table.h"

enum { CELL = 64 };

/* One cell of a list of kernels, and the column of the table that fills it. */
struct source {
	const double *number;
	const char *const *words;
};

static struct source column_of(const sc_table *t, const char *name)
{
	return (struct source){sc_column(t, name), sc_words(t, name)};
}

static void find_columns(const sc_table *t, const struct kernel_op *kind,
			 struct source from[KERNEL_COLUMNS])
{
	memset(from, 0, KERNEL_COLUMNS * sizeof *from);
	for (int pass = 0; pass < 2; pass++)
		for (const struct kernel_axis *a = pass ? kind->axis
							: kind->key;
		     a->name; a++) {
			if (a->column == KERNEL_NONE)
				continue;
			struct source s = column_of(t, a->name);
			if (!s.number && !s.words && a->other_name)
				s = column_of(t, a->other_name);
			from[a->column] = s;
		}
}

/* Returns the name that a list of kernels has for the kind, its own or that of
 * the first with its op; NULL: none. */
static const char *name_of(const struct kernel_op *kind)
{
	if (!kind || kind->name)
		return kind ? kind->name : NULL;
	for (const struct kernel_op *o = kernel_ops; kind->op && o->table; o++)
		if (o->op == kind->op && o->name)
			return o->name;
	return NULL;
}

static int add_row(struct measured_kernels *to,
		   const struct source from[KERNEL_COLUMNS], const char *op,
		   uint64_t row)
{
	char text[KERNEL_COLUMNS][CELL];
	const char *cell[KERNEL_COLUMNS];
	struct problem why;
	for (int c = 0; c < KERNEL_COLUMNS; c++) {
		cell[c] = "";
		if (from[c].words) {
			cell[c] = from[c].words[row];
		} else if (from[c].number && (from[c].number[row] > 0 ||
					      kernel_column[c].may_be_0)) {
			snprintf(text[c], CELL, "%.0f", from[c].number[row]);
			cell[c] = text[c];
		}
	}
	cell[KERNEL_OP] = op;
	return kernels_add(&to->kernels, cell, &why);
}

/* Returns 0, or -1 if memory is out. */
static int add_table(struct measured_kernels *to, const struct table *t)
{
	const sc_table *view = &t->view;
	const struct kernel_op *kind = kernel_table_find(view->op);
	const char *op = name_of(kind);
	const double *us = sc_column(view, "latency_us");
	struct source from[KERNEL_COLUMNS];
	if (!op || !us) {
		to->n_left_out += view->n_rows;
		return 0;
	}
	size_t most = to->kernels.n + view->n_rows;
	struct measured_kernel *of = realloc(to->of, (most + 1) * sizeof *of);
	if (!of)
		return -1;
	to->of = of;
	find_columns(view, kind, from);
	for (uint64_t i = 0; i < view->n_rows; i++)
		if (us[i] > 0 && add_row(to, from, op, i) == 0)
			of[to->kernels.n - 1] = (struct measured_kernel){
			    op, view->op, t->line[i], us[i]};
		else
			to->n_left_out++;
	return 0;
}

int measured_kernels_of(struct measured_kernels *to,
			const struct table_set *set, struct problem *p)
{
	*to = (struct measured_kernels){0};
	for (uint32_t i = 0; i < set->n; i++)
		if (add_table(to, set->table[i]) < 0)
			return problem_no_memory(p);
	if (to->kernels.n)
		return 0;
	return problem_set(p, EXIT_INPUT,
			   "set %s: no row of it is a kernel that cost models "
			   "are asked for; `stepcost tables list` has others",
			   set->name);
}

void measured_kernels_free(struct measured_kernels *k)
{
	kernels_free(&k->kernels);
	free(k->of);
	*k = (struct measured_kernels){0};
}
