/* invariant.c -- Holds the priced steps of a claim against what must be so. */
#include "experiment/invariant.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cost/breakdown.h"
#include "cost/work.h"
#include "experiment/scope.h"

/* What an invariant is held against: one point, or two of one step. */
struct looking {
	struct xp_invariant *i;
	const struct experiment *x;
	size_t n; /* steps that it says something about */
	struct problem *p;
};

static int is_close(double a, double b, double within)
{
	return (isnan(a) && isnan(b)) ||
	       fabs(a - b) <= within * fmax(fabs(a), fabs(b));
}

/* Says which step fails, as a row for `eval`, and both figures.  Keeps the
 * first. */
static int fails(struct looking *l, const struct xp_point *q, const char *what,
		 double a, const char *against, double b)
{
	if (l->i->why)
		return 0;
	if (asprintf(&l->i->why,
		     "step,decode,prefill: %s.%zu.%s,%s,%s: %s %.12g, %s %.12g",
		     q->table->name, q->row, q->ask->name, q->decode,
		     q->prefill, what, a, against, b) < 0) {
		l->i->why = NULL;
		return problem_no_memory(l->p);
	}
	return 0;
}

/* "decode_attention" or "decode_attention_us", any column of `eval`. */
static int part_value(const struct xp_point *q, const char *part, double *out,
		      struct problem *p)
{
	char name[80];
	snprintf(name, sizeof name, "%s_us", part);
	if (breakdown_column(&q->result, part, out) == 0 ||
	    breakdown_column(&q->result, name, out) == 0 ||
	    work_column(&q->result, part, out) == 0)
		return 0;
	return problem_set(p, EXIT_USAGE, "no part %s", part);
}

static const struct xp_point *
same_step(const struct looking *l, const struct xp_point *q, const char *arm)
{
	struct scope at = {.x = l->x, .in[0] = {q->table, q->row, 0}};
	const struct answer_name name = {.arm = arm,
					 .ask = q->ask->name,
					 .n_arm = strlen(arm),
					 .n_ask = strlen(q->ask->name)};
	return scope_point(&at, &name);
}

/* The value of the invariant's expression in the row of a step. */
static int row_value(const struct looking *l, const struct xp_point *q,
		     double *out)
{
	struct scope at = {.x = l->x,
			   .in[0] = {q->table, q->row, q->table->n_columns}};
	struct value v;
	if (scope_value(&at, l->i->is, &v, l->p) < 0)
		return -1;
	*out = v.text ? (double)NAN : v.number;
	return 0;
}

/* ---- the kinds; each looks at one point of its first arm ---- */

static int mfu_within(struct looking *l, const struct xp_point *q)
{
	const sc_result *r = &q->result;
	for (int phase = 0; phase < 2; phase++) {
		double mfu = r->attention_mfu[phase];
		double low = r->attention_mfu_low[phase];
		double high = r->attention_mfu_high[phase];
		if (isnan(mfu) || isnan(low) || isnan(high))
			continue;
		l->n++;
		if (mfu < low * (1 - 1e-12) &&
		    fails(l, q, "MFU in effect", mfu, "least looked up", low))
			return -1;
		if (mfu > high * (1 + 1e-12) &&
		    fails(l, q, "MFU in effect", mfu, "greatest looked up",
			  high))
			return -1;
	}
	return 0;
}

static int equal_batch(struct looking *l, const struct xp_point *q)
{
	const char *b = l->i->arg.item[1], *part = l->i->arg.item[2];
	const struct xp_point *other = same_step(l, q, b);
	double x, y;
	if (!other || q->min_kv != q->max_kv || q->n_prefill > 1 ||
	    !(q->n_decode || q->n_prefill))
		return 0;
	l->n++;
	if (part_value(q, part, &x, l->p) < 0 ||
	    part_value(other, part, &y, l->p) < 0)
		return -1;
	return is_close(x, y, 1e-9) ? 0 : fails(l, q, q->arm, x, b, y);
}

static int is_named(const struct names *parts, const char *part)
{
	char with_unit[80];
	snprintf(with_unit, sizeof with_unit, "%s_us", part);
	return names_have(parts, part) || names_have(parts, with_unit);
}

/* The compute of a phase is the sum of its GEMMs and its attention. */
static int may_move(const struct names *parts, enum part part)
{
	static const enum part of[2][2] = {
	    {PART_PREFILL_GEMM, PART_PREFILL_ATTENTION},
	    {PART_DECODE_GEMM, PART_DECODE_ATTENTION}};
	int is_sum =
	    part == PART_PREFILL_COMPUTE || part == PART_DECODE_COMPUTE;
	const enum part *terms = of[part == PART_DECODE_COMPUTE];
	return is_named(parts, part_name[part]) ||
	       (is_sum && (is_named(parts, part_name[terms[0]]) ||
			   is_named(parts, part_name[terms[1]])));
}

static int moves_only(struct looking *l, const struct xp_point *q)
{
	const struct xp_claim *c = &l->x->claim;
	const struct xp_point *other = same_step(l, q, c->counterfactual);
	if (!other)
		return 0;
	l->n++;
	for (int i = 0; i < N_PARTS; i++) {
		double x = part_of(&q->result, (enum part)i);
		double y = part_of(&other->result, (enum part)i);
		char what[100];
		snprintf(what, sizeof what, "%s_us of %s", part_name[i],
			 q->arm);
		if (!may_move(&l->i->arg, (enum part)i) &&
		    !is_close(x, y, 1e-12) &&
		    fails(l, q, what, x, other->arm, y))
			return -1;
	}
	return 0;
}

static int ratio_at_most(struct looking *l, const struct xp_point *q)
{
	const struct xp_claim *c = &l->x->claim;
	const struct xp_point *other = same_step(l, q, c->counterfactual);
	const char *part = l->i->arg.item[0];
	double x, y, most;
	if (!other)
		return 0;
	if (part_value(q, part, &x, l->p) < 0 ||
	    part_value(other, part, &y, l->p) < 0 || row_value(l, q, &most) < 0)
		return -1;
	if (isnan(x) || isnan(y) || !(x > 0 || y > 0))
		return 0;
	l->n++;
	return x / y <= most * (1 + 1e-12)
		   ? 0
		   : fails(l, q, "ratio", x / y, "at most", most);
}

static int above_floor(struct looking *l, const struct xp_point *q)
{
	l->n++;
	return q->is_below
		   ? fails(l, q, "us", q->us, "hardware takes", q->least_us)
		   : 0;
}

/* Returns 1 if two rows differ in the axis alone, and the second has more. */
static int is_next(const struct grid *g, int axis, size_t a, size_t b)
{
	for (size_t k = 0; k < g->n_cols; k++)
		if ((int)k != axis &&
		    strcmp(grid_cell(g, a, k), grid_cell(g, b, k)) != 0)
			return 0;
	return scope_cell(grid_cell(g, a, (size_t)axis)).number <
	       scope_cell(grid_cell(g, b, (size_t)axis)).number;
}

/* Checks that a point costs no less than its neighbour with less along the
 * axis. */
static int monotone(struct looking *l, const struct xp_point *q)
{
	const struct grid *rows = &q->table->rows;
	int axis = grid_column(rows, l->i->arg.item[0]);
	for (size_t i = 0; axis >= 0 && i < l->x->n_points; i++) {
		const struct xp_point *o = &l->x->point[i];
		double x = breakdown_exact_us(&q->result);
		double y = breakdown_exact_us(&o->result);
		if (o->ask != q->ask || strcmp(o->arm, q->arm) != 0 ||
		    !is_next(rows, axis, q->row, o->row))
			continue;
		l->n++;
		if (y < x * (1 - 1e-12) &&
		    fails(l, o, "us", y, "with less of the axis", x))
			return -1;
	}
	return 0;
}

/* Checks that the FLOPs of a part are those that the experiment expects. */
static int flops(struct looking *l, const struct xp_point *q)
{
	const char *part = l->i->arg.item[1];
	int phase = strncmp(part, "decode", 6) ? SC_PREFILL : SC_DECODE;
	int is_gemm = strstr(part, "_gemm") != NULL;
	double want, is = is_gemm ? q->result.gemm_flops[phase]
				  : q->result.attention_flops[phase];
	if (!is_gemm && !strstr(part, "_attention"))
		return problem_set(l->p, EXIT_USAGE,
				   "flops: %s is none of prefill_gemm, "
				   "prefill_attention, decode_gemm, "
				   "decode_attention",
				   part);
	if (isnan(is) || (phase == SC_DECODE ? !q->n_decode : !q->n_prefill))
		return 0;
	l->n++;
	if (row_value(l, q, &want) < 0)
		return -1;
	return is_close(is, want, 1e-9)
		   ? 0
		   : fails(l, q, "FLOPs", is, "expected", want);
}

/* arm: the argument that names the arm of the points to look at; -1: base. */
static const struct {
	const char *name;
	int n_args, arm, second_arm, has_expression;
	int (*look)(struct looking *l, const struct xp_point *q);
} kind[] = {
    {"mfu_within", 1, 0, -1, 0, mfu_within},
    {"equal_batch", 3, 0, 1, 0, equal_batch},
    {"moves_only", 0, -1, -1, 0, moves_only}, /* any number */
    {"ratio_at_most", 1, -1, -1, 1, ratio_at_most},
    {"above_floor", 1, 0, -1, 0, above_floor},
    {"monotone", 2, 1, -1, 0, monotone},
    {"flops", 2, 0, -1, 1, flops},
};
enum { N_KINDS = sizeof kind / sizeof *kind };

/* ---- reading ---- */

static int find_kind(const char *text)
{
	size_t n = strcspn(text, "(");
	for (int i = 0; i < N_KINDS; i++)
		if (text[n] && strlen(kind[i].name) == n &&
		    !strncmp(text, kind[i].name, n))
			return i;
	return -1;
}

/* Takes the words before the expression; *rest is behind them. */
static int take_words(struct xp_invariant *i, char **rest, int n)
{
	int rc = 0;
	for (int k = 0; rc == 0 && *rest && (n == 0 || k < n); k++) {
		char *word = strsep(rest, n ? "," : ", ");
		word += strspn(word, " ");
		word[strcspn(word, " ")] = '\0';
		if (*word)
			rc = names_add(&i->arg, word);
	}
	return rc;
}

int invariant_parse(struct xp_invariant *i, struct problem *p)
{
	i->kind = find_kind(i->text);
	if (i->kind < 0) {
		i->is = expression_parse(i->text, i->at, p);
		return i->is ? 0 : -1;
	}
	int n = kind[i->kind].n_args, has = kind[i->kind].has_expression;
	char *args = strdup(strchr(i->text, '(') + 1), *rest = args;
	char *end = args ? strrchr(args, ')') : NULL;
	int ok = end && !end[1 + strspn(end + 1, " ")];
	if (ok)
		*end = '\0';
	int rc = args ? take_words(i, &rest, n) : -1;
	ok = ok && (n ? i->arg.n == (size_t)n : i->arg.n > 0) &&
	     (rest != NULL) == has;
	if (rc == 0 && ok && has) {
		i->is = expression_parse(rest, i->at, p);
		rc = i->is ? 0 : -1;
	} else if (rc < 0) {
		problem_no_memory(p);
	}
	free(args);
	if (rc < 0 || ok)
		return rc;
	return problem_set(
	    p, EXIT_USAGE, "%s: %s: %s takes %s%d words%s in its brackets",
	    i->at, i->text, kind[i->kind].name, n ? "" : "more than ", n,
	    has ? " and an expression" : "");
}

int invariant_arms(const struct xp_invariant *i, struct names *arms)
{
	if (i->kind < 0)
		return 0;
	const int at[] = {kind[i->kind].arm, kind[i->kind].second_arm};
	for (int k = 0; k < 2; k++)
		if (at[k] >= 0 && names_add_new(arms, i->arg.item[at[k]]) < 0)
			return -1;
	return 0;
}

/* ---- judging ---- */

static int judge_expression(struct xp_invariant *i, const struct experiment *x,
			    struct problem *p)
{
	struct scope at = {.x = x};
	struct value v;
	if (scope_value(&at, i->is, &v, p) < 0)
		return -1;
	if (!v.text && v.number != 0)
		return 0;
	i->why = strdup("its value is 0");
	return i->why ? 0 : problem_no_memory(p);
}

int invariant_judge(struct xp_invariant *i, const struct experiment *x,
		    struct problem *p)
{
	struct looking l = {.i = i, .x = x, .p = p};
	if (i->kind < 0)
		return judge_expression(i, x, p);
	int at = kind[i->kind].arm;
	const char *arm = at < 0 ? x->claim.base : i->arg.item[at];
	for (size_t k = 0; k < x->n_points; k++) {
		const struct xp_point *q = &x->point[k];
		if (!q->ask->kernel && !strcmp(q->arm, arm) &&
		    kind[i->kind].look(&l, q) < 0)
			return -1;
	}
	if (l.n == 0 && !i->why)
		i->why = strdup("no step of the tables can show it");
	return l.n || i->why ? 0 : problem_no_memory(p);
}
