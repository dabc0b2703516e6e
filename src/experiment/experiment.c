/* experiment.c -- Finds the parts of an experiment by name, and frees it. */
#include "experiment/experiment.h"
#include <stdlib.h>
#include <string.h>

static int is(const char *whole, const char *name, size_t n)
{
	return strlen(whole) == n && !strncmp(whole, name, n);
}

struct xp_table *experiment_table(const struct experiment *x, const char *name)
{
	for (size_t i = 0; i < x->n_tables; i++)
		if (!strcmp(x->table[i].name, name))
			return &x->table[i];
	return NULL;
}

struct xp_ask *experiment_ask(const struct xp_table *t, const char *name,
			      size_t n)
{
	for (size_t i = 0; i < t->n_asks; i++)
		if (is(t->ask[i].name, name, n))
			return &t->ask[i];
	return NULL;
}

struct xp_column *experiment_column(const struct xp_table *t, const char *name,
				    size_t n)
{
	for (size_t i = 0; i < t->n_columns; i++)
		if (is(t->column[i].name, name, n))
			return &t->column[i];
	return NULL;
}

const char *experiment_word(const char *s, size_t *n)
{
	s += strspn(s, ", ");
	*n = strcspn(s, ", ");
	return *n ? s : NULL;
}

int experiment_shows(const struct xp_table *t, const char *variable)
{
	size_t n;
	for (const char *s = t->hide; s && (s = experiment_word(s, &n)); s += n)
		if (is(variable, s, n))
			return 0;
	return 1;
}

static void table_free(struct xp_table *t)
{
	for (size_t i = 0; t->cell && i < t->rows.n_rows * t->n_columns; i++)
		free(t->cell[i].text);
	for (size_t i = 0; i < t->n_columns; i++) {
		expression_free(t->column[i].is);
		grid_free(&t->column[i].want);
	}
	free(t->cell);
	free(t->column);
	free(t->ask);
	grid_free(&t->rows);
	grid_free(&t->expected);
}

void experiment_free(struct experiment *x)
{
	for (size_t i = 0; i < x->n_tables; i++)
		table_free(&x->table[i]);
	for (size_t i = 0; i < x->n_points; i++) {
		free(x->point[i].arm);
		free(x->point[i].decode);
		free(x->point[i].prefill);
	}
	for (size_t i = 0; i < x->claim.n_invariants; i++) {
		expression_free(x->claim.invariant[i].is);
		names_free(&x->claim.invariant[i].arg);
		free(x->claim.invariant[i].why);
	}
	free(x->claim.invariant);
	expression_free(x->claim.effect);
	free(x->table);
	free(x->point);
	expression_free(x->refuted);
	*x = (struct experiment){0};
}
