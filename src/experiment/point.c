/* point.c -- Lists the steps and kernels that an experiment needs. */
#include "experiment/point.h"
#include <stdlib.h>
#include <string.h>
#include "cost/kernel_op.h"
#include "experiment/claim.h"
#include "experiment/scope.h"
#include "experiment/template.h"

/* ---- kernels ---- */

/* Parses "batch=4".  Returns 0, or -1 if it is no size or no whole number that
 * fits. */
static int parse_size(sc_kernel *k, char *word)
{
	char *value = word, *end;
	int size = kernel_size_find(strsep(&value, "="));
	uint64_t v = value ? strtoull(value, &end, 10) : 0;
	if (size < 0 || !value || end == value || *end)
		return -1;
	return kernel_set_size(k, (enum kernel_column)size, v);
}

/* Parses "attention_decode batch=4 context=1024". */
static int parse_kernel(sc_kernel *k, char *text, const char *at,
			struct problem *p)
{
	char names[KERNEL_NAMES], *rest = text, *word = strsep(&rest, " ");
	const struct kernel_op *op = kernel_op_find(word);
	if (!op)
		return problem_set(p, EXIT_USAGE, "%s: kernel %s: not %s", at,
				   word, kernel_op_names(names));
	*k = (sc_kernel){.size = sizeof *k, .op = op->op};
	while ((word = strsep(&rest, " ")))
		if (*word && parse_size(k, word) < 0)
			return problem_set(
			    p, EXIT_USAGE,
			    "%s: kernel: '%s' is not %s = a whole number", at,
			    word, kernel_size_names(names));
	return 0;
}

/* ---- points ---- */

/* "4096;64x0" -> "4096": drops items that are repeated 0 times. */
static void drop_none(char *list)
{
	char *to = list, *rest = list, *item;
	while ((item = strsep(&rest, ";"))) {
		const char *x = strrchr(item, 'x');
		size_t n = strlen(item);
		if (x && !strcmp(x, "x0"))
			continue;
		if (to != list)
			*to++ = ';';
		memmove(to, item, n);
		to += n;
	}
	*to = '\0';
}

/* Fills in the requests of one kind in a step; template NULL: none.  Returns
 * NULL with *p filled in if that fails. */
static char *requests(const char *template, struct scope *at, const char *where,
		      struct problem *p)
{
	char *list = template_fill(template ? template : "", at, where, p);
	if (list)
		drop_none(list);
	return list;
}

static int fill_point(struct xp_point *q, struct scope *at, struct problem *p)
{
	const struct xp_ask *a = q->ask;
	if (a->kernel) {
		char *text = template_fill(a->kernel, at, a->at, p);
		int rc = text ? parse_kernel(&q->kernel, text, a->at, p) : -1;
		free(text);
		return rc;
	}
	q->decode = requests(a->decode, at, a->at, p);
	if (q->decode)
		q->prefill = requests(a->prefill, at, a->at, p);
	return q->prefill ? 0 : -1;
}

static struct xp_point *add_point(struct experiment *x)
{
	if ((x->n_points & (x->n_points + 1)) == 0) {
		struct xp_point *more =
		    realloc(x->point, (2 * x->n_points + 1) * sizeof *more);
		if (!more)
			return NULL;
		x->point = more;
	}
	x->point[x->n_points] = (struct xp_point){0};
	return &x->point[x->n_points++];
}

struct listing {
	struct experiment *x;
	const struct xp_table *table;
};

/* Adds the point for that step or kernel in one row with one arm, once. */
static int want_point(const struct listing *c, const struct answer_name *name,
		      size_t row, struct problem *p)
{
	struct scope at = {.x = c->x, .in[0] = {c->table, row, 0}};
	if (scope_point(&at, name))
		return 0;
	struct xp_point *q = add_point(c->x);
	if (!q || !(q->arm = strndup(name->arm, name->n_arm)))
		return problem_no_memory(p);
	q->table = c->table;
	q->ask = experiment_ask(c->table, name->ask, name->n_ask);
	q->row = row;
	return fill_point(q, &at, p);
}

/* Adds the point that a name of an expression asks for in one row; a name that
 * is no answer of a cost model asks for none. */
static int want_answer(const struct listing *c, const char *name, size_t row,
		       const char *where, struct problem *p)
{
	struct answer_name a;
	if (scope_answer_name(name, &a) < 0)
		return 0;
	if (!experiment_ask(c->table, a.ask, a.n_ask))
		return problem_set(p, EXIT_USAGE,
				   "%s: %s: [table:%s] has no step or kernel "
				   "%.*s",
				   where, name, c->table->name, (int)a.n_ask,
				   a.ask);
	return want_point(c, &a, row, p);
}

/* For a name in a column, in each row, since it may have values of the row in
 * it. */
static int want_points(void *user, const char *name, const char *where,
		       struct problem *p)
{
	const struct listing *c = user;
	int rc = 0;
	for (size_t row = 0; rc == 0 && row < c->table->rows.n_rows; row++) {
		struct scope at = {.x = c->x, .in[0] = {c->table, row, 0}};
		char *full = scope_name(&at, name, p);
		rc = full ? want_answer(c, full, row, where, p) : -1;
		free(full);
	}
	return rc;
}

/* All steps of a table under an arm of the claim. */
static int want_steps(const struct listing *c, const char *arm,
		      struct problem *p)
{
	for (size_t i = 0; i < c->table->n_asks; i++) {
		const struct xp_ask *ask = &c->table->ask[i];
		const struct answer_name name = {.arm = arm,
						 .ask = ask->name,
						 .n_arm = strlen(arm),
						 .n_ask = strlen(ask->name)};
		for (size_t row = 0;
		     !ask->kernel && row < c->table->rows.n_rows; row++)
			if (want_point(c, &name, row, p) < 0)
				return -1;
	}
	return 0;
}

static int want_claim(const struct listing *c, struct problem *p)
{
	struct names arms = {0};
	int rc = claim_arms(&c->x->claim, &arms, p);
	for (size_t i = 0; rc == 0 && i < arms.n; i++)
		rc = want_steps(c, arms.item[i], p);
	names_free(&arms);
	return rc;
}

int experiment_list_points(struct experiment *x, struct problem *p)
{
	for (size_t i = 0; i < x->n_tables; i++) {
		struct listing c = {x, &x->table[i]};
		for (size_t k = 0; k < c.table->n_columns; k++)
			if (expression_names(c.table->column[k].is, 0,
					     want_points, &c, p) < 0)
				return -1;
		if (want_claim(&c, p) < 0)
			return -1;
	}
	return 0;
}
