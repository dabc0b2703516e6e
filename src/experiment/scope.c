/* scope.c -- Looks up names for the expressions of an experiment. */
#include "experiment/scope.h"
#include <stdlib.h>
#include <string.h>
#include "base/text.h"
#include "cost/breakdown.h"
#include "base/number.h"
#include "cost/work.h"

struct value scope_cell(const char *text)
{
	char *end;
	double v = strtod(text, &end);
	if (end == text || *end)
		return (struct value){0, text};
	return (struct value){v, NULL};
}

/* ---- ARM.STEP.FIELD ---- */

int scope_answer_name(const char *name, struct answer_name *out)
{
	const char *dot = strchr(name, '.');
	const char *last = strrchr(name, '.');
	if (!dot || dot == last)
		return -1;
	*out = (struct answer_name){.arm = name,
				    .ask = dot + 1,
				    .field = last + 1,
				    .n_arm = (size_t)(dot - name),
				    .n_ask = (size_t)(last - dot - 1)};
	return 0;
}

const struct xp_point *scope_point(const struct scope *at,
				   const struct answer_name *name)
{
	const struct xp_table *t = at->in[at->depth].table;
	const struct xp_ask *ask = experiment_ask(t, name->ask, name->n_ask);
	for (size_t i = 0; ask && i < at->x->n_points; i++) {
		const struct xp_point *q = &at->x->point[i];
		if (q->ask == ask && q->row == at->in[at->depth].row &&
		    !strncmp(q->arm, name->arm, name->n_arm) &&
		    !q->arm[name->n_arm])
			return q;
	}
	return NULL;
}

static int kernel_field(const sc_kernel_result *r, const char *field,
			struct value *out)
{
	if (!strcmp(field, "latency_us"))
		out->number = r->latency_us;
	else if (!strcmp(field, "mfu"))
		out->number = r->mfu;
	else if (!strcmp(field, "used"))
		out->text = r->used;
	else if (!strcmp(field, "provenance"))
		out->text = provenance_name[r->provenance];
	else
		return -1;
	return 0;
}

static int step_field(const struct xp_point *q, const char *field,
		      struct value *out)
{
	const struct {
		const char *name;
		double is;
	} batch[] = {{"n_decode", q->n_decode},
		     {"n_prefill", q->n_prefill},
		     {"min_kv", q->min_kv},
		     {"max_kv", q->max_kv}};
	for (size_t i = 0; i < sizeof batch / sizeof *batch; i++)
		if (!strcmp(batch[i].name, field)) {
			out->number = batch[i].is;
			return 0;
		}
	if (strcmp(field, "bound"))
		return breakdown_column(&q->result, field, &out->number) < 0
			   ? work_column(&q->result, field, &out->number)
			   : 0;
	out->text = breakdown_bound(&q->result);
	return 0;
}

static int answer_value(const struct scope *at, const char *name,
			struct value *out, struct problem *p)
{
	struct answer_name a;
	if (scope_answer_name(name, &a) < 0)
		return problem_set(p, EXIT_USAGE, "nothing is called %s", name);
	const struct xp_point *q = scope_point(at, &a);
	if (!q)
		return problem_set(p, EXIT_USAGE,
				   "%s: no such arm, step or kernel", name);
	int rc = q->ask->kernel ? kernel_field(&q->kernel_result, a.field, out)
				: step_field(q, a.field, out);
	return rc < 0 ? problem_set(p, EXIT_USAGE, "%s: no field %s", name,
				    a.field)
		      : 0;
}

/* ---- callbacks of math/expression.h ---- */

/* Looks a name up in the row of one table.  Returns 1 if the row has it. */
static int value_in_row(const struct scope *at, int depth, const char *name,
			struct value *out)
{
	const struct xp_table *t = at->in[depth].table;
	size_t row = at->in[depth].row;
	for (size_t i = 0; t && i < at->in[depth].n_columns; i++)
		if (!strcmp(t->column[i].name, name)) {
			*out = t->cell[row * t->n_columns + i].value;
			return 1;
		}
	int k = t ? grid_column(&t->rows, name) : -1;
	if (k >= 0)
		*out = scope_cell(grid_cell(&t->rows, row, (size_t)k));
	return k >= 0;
}

static int plain_value(const struct scope *at, const char *name,
		       struct value *out, struct problem *p)
{
	if (!at->in[at->depth].table)
		return problem_set(p, EXIT_USAGE,
				   "%s: name a table, as in all(TABLE: %s …)",
				   name, name);
	for (int depth = at->depth; depth >= 0; depth--)
		if (value_in_row(at, depth, name, out))
			return 0;
	return answer_value(at, name, out, p);
}

/* Writes the value of a variable of the row, or of a row around it. */
static int put_variable(FILE *f, const struct scope *at, const char *name,
			struct problem *p)
{
	struct value v;
	char digits[NUMBER_SIZE];
	int depth = at->depth;
	while (depth >= 0 && !value_in_row(at, depth, name, &v))
		depth--;
	if (depth < 0)
		return problem_set(p, EXIT_USAGE, "{%s}: no such variable",
				   name);
	if (!v.text)
		number_format(digits, v.number);
	fputs(v.text ? v.text : digits, f);
	return 0;
}

char *scope_fill(const char *text, scope_put_fn *put, void *user,
		 struct problem *p)
{
	struct text t;
	FILE *f = text_begin(&t);
	int rc = f ? 0 : problem_no_memory(p);
	for (const char *s = text; rc == 0 && *s; s++) {
		const char *end = *s == '{' ? strchr(s, '}') : NULL;
		if (!end) {
			putc(*s, f);
			continue;
		}
		rc = put(f, user, s + 1, (size_t)(end - s - 1), p);
		s = end;
	}
	if (f && fclose(f) != 0)
		rc = problem_no_memory(p);
	if (rc == 0)
		return t.s;
	free(t.s);
	return NULL;
}

/* A scope_put_fn: the value of a variable. */
static int put_name(FILE *f, void *user, const char *inner, size_t n,
		    struct problem *p)
{
	char *name = strndup(inner, n);
	int rc = name ? put_variable(f, user, name, p) : problem_no_memory(p);
	free(name);
	return rc;
}

char *scope_name(const struct scope *at, const char *name, struct problem *p)
{
	struct scope row = *at;
	return scope_fill(name, put_name, &row, p);
}

static int name_value(void *user, const char *name, struct value *out,
		      struct problem *p)
{
	const struct scope *at = user;
	if (!strchr(name, '{'))
		return plain_value(at, name, out, p);
	char *full = scope_name(at, name, p);
	int rc = full ? plain_value(at, full, out, p) : -1;
	free(full);
	return rc;
}

static int rows_of(void *user, const char *table, size_t *n, struct problem *p)
{
	const struct scope *at = user;
	const struct xp_table *t = experiment_table(at->x, table);
	if (!t || !t->cell)
		return problem_set(p, EXIT_USAGE,
				   "no table %s, or not computed yet", table);
	*n = t->rows.n_rows;
	return 0;
}

static int enter(void *user, const char *table, size_t row, struct problem *p)
{
	struct scope *at = user;
	const struct xp_table *t = experiment_table(at->x, table);
	if (at->depth + 1 == SCOPE_NEST)
		return problem_set(p, EXIT_USAGE, "tables nested too deeply");
	at->depth++;
	at->in[at->depth].table = t;
	at->in[at->depth].row = row;
	at->in[at->depth].n_columns = t->n_columns;
	return 0;
}

static void leave(void *user)
{
	((struct scope *)user)->depth--;
}

int scope_value(struct scope *at, const struct expression *e, struct value *out,
		struct problem *p)
{
	const struct expression_scope scope = {at, name_value, rows_of, enter,
					       leave};
	return expression_value(e, &scope, out, p);
}
