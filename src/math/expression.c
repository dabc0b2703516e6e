/* expression.c -- Parses and evaluates expressions. */
#include "math/expression.h"
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "math/aggregate.h"

enum { MAX_ARGS = 8, MAX_DEPTH = 64, MAX_NODES = 1000 };
enum kind { NUMBER, TEXT, NAME, OPERATOR, CALL, OVER };

/* One node.  OPERATOR: text is the operator.  CALL: text is the function.
 * OVER: text is the function, arg[0] is a NAME (the table), arg[1] is evaluated
 * in each row of it; of at() arg[2] in the row for which arg[1] holds. */
struct expression {
	enum kind kind;
	double number;
	char *text;
	const char *at;
	struct expression *arg[MAX_ARGS];
	int n_args;
};

/* ---- parsing ---- */

struct parser {
	const char *all, *s, *at;
	int depth, n_nodes;
	struct problem *p;
};

static struct expression *fail(struct parser *r, const char *what)
{
	problem_set(r->p, EXIT_USAGE,
		    *r->s ? "%s: %s at '%.20s' in: %s"
			  : "%s: %s at the end%s of: %s",
		    r->at, what, r->s, r->all);
	return NULL;
}

static struct expression *node(struct parser *r, enum kind kind,
			       const char *text, size_t n)
{
	if (++r->n_nodes > MAX_NODES)
		return fail(r, "too long");
	struct expression *e = calloc(1, sizeof *e);
	if (!e || (text && !(e->text = strndup(text, n)))) {
		free(e);
		return fail(r, out_of_memory);
	}
	e->kind = kind;
	e->at = r->at;
	return e;
}

void expression_free(struct expression *e)
{
	if (!e)
		return;
	for (int i = 0; i < e->n_args; i++)
		expression_free(e->arg[i]);
	free(e->text);
	free(e);
}

static void blanks(struct parser *r)
{
	while (isspace((unsigned char)*r->s))
		r->s++;
}

static int is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* If the token comes next, consumes it and returns 1.  A word must match
 * whole. */
static int take_token(struct parser *r, const char *token)
{
	size_t n = strlen(token);
	blanks(r);
	if (strncmp(r->s, token, n) || (is_word(*token) && is_word(r->s[n])))
		return 0;
	r->s += n;
	return 1;
}

static struct expression *parse_or(struct parser *r);

static struct expression *operator2(struct parser *r, const char *token,
				    struct expression *a, struct expression *b)
{
	struct expression *e =
	    a && b ? node(r, OPERATOR, token, strlen(token)) : NULL;
	if (!e) {
		expression_free(a);
		expression_free(b);
		return NULL;
	}
	e->arg[0] = a;
	e->arg[1] = b;
	e->n_args = 2;
	return e;
}

static struct expression *parse_number(struct parser *r)
{
	char *end;
	double v = strtod(r->s, &end);
	struct expression *e = node(r, NUMBER, NULL, 0);
	r->s = end;
	if (e)
		e->number = v;
	return e;
}

static struct expression *parse_text(struct parser *r)
{
	const char *end = strchr(r->s + 1, '"');
	if (!end)
		return fail(r, "a text without a closing quote");
	struct expression *e =
	    node(r, TEXT, r->s + 1, (size_t)(end - r->s - 1));
	r->s = end + 1;
	return e;
}

/* e: OVER. */
static int is_at(const struct expression *e)
{
	return !strcmp(e->text, "at");
}

/* Parses name(a, b) or name(table: a); the name and "(" are consumed
 * already. */
static struct expression *parse_args(struct parser *r, struct expression *e)
{
	e->kind = CALL;
	do {
		if (e->n_args == MAX_ARGS) {
			expression_free(e);
			return fail(r, "too many arguments");
		}
		struct expression *a = parse_or(r);
		if (!a) {
			expression_free(e);
			return NULL;
		}
		e->arg[e->n_args++] = a;
		if (e->n_args == 1 && a->kind == NAME && take_token(r, ":")) {
			e->kind = OVER;
			if (!(a = parse_or(r))) {
				expression_free(e);
				return NULL;
			}
			e->arg[e->n_args++] = a;
		}
	} while ((e->kind == CALL || (is_at(e) && e->n_args == 2)) &&
		 take_token(r, ","));
	if (take_token(r, ")"))
		return e;
	expression_free(e);
	return fail(r, "')' expected");
}

/* A name may have the values of others in it: "{arm}.step.total_us". */
static int is_in_name(const char *s)
{
	return is_word(*s) || *s == '{' || *s == '}' ||
	       (*s == '.' && (is_word(s[1]) || s[1] == '{'));
}

static struct expression *parse_name(struct parser *r)
{
	const char *start = r->s;
	while (is_in_name(r->s))
		r->s++;
	struct expression *e = node(r, NAME, start, (size_t)(r->s - start));
	return e && take_token(r, "(") ? parse_args(r, e) : e;
}

static struct expression *parse_primary(struct parser *r)
{
	blanks(r);
	if (take_token(r, "(")) {
		struct expression *e = parse_or(r);
		if (!e || take_token(r, ")"))
			return e;
		expression_free(e);
		return fail(r, "')' expected");
	}
	if (isdigit((unsigned char)*r->s))
		return parse_number(r);
	if (*r->s == '"')
		return parse_text(r);
	if (is_word(*r->s) || *r->s == '{')
		return parse_name(r);
	return fail(r, "a value expected");
}

static struct expression *parse_unary(struct parser *r)
{
	struct expression *e;
	if (++r->depth > MAX_DEPTH)
		return fail(r, "nested too deeply");
	if (take_token(r, "-")) {
		e = node(r, NUMBER, NULL, 0);
		e = operator2(r, "-", e, parse_unary(r));
	} else {
		e = parse_primary(r);
		if (e && take_token(r, "^"))
			e = operator2(r, "^", e, parse_unary(r));
	}
	r->depth--;
	return e;
}

/* Parses a op b op c, left to right.  In token[] a longer token comes before
 * its prefix. */
static struct expression *
parse_chain(struct parser *r, const char *const *token,
	    struct expression *(*part)(struct parser *r))
{
	struct expression *e = part(r);
	for (int i = 0; e && token[i];)
		if (take_token(r, token[i])) {
			e = operator2(r, token[i], e, part(r));
			i = 0;
		} else {
			i++;
		}
	return e;
}

static struct expression *parse_product(struct parser *r)
{
	static const char *const token[] = {"*", "/", NULL};
	return parse_chain(r, token, parse_unary);
}

static struct expression *parse_sum(struct parser *r)
{
	static const char *const token[] = {"+", "-", NULL};
	return parse_chain(r, token, parse_product);
}

static struct expression *parse_comparison(struct parser *r)
{
	static const char *const token[] = {
	    "<=", ">=", "==", "!=", "<", ">", NULL};
	return parse_chain(r, token, parse_sum);
}

static struct expression *parse_not(struct parser *r)
{
	int times = 0;
	while (take_token(r, "not"))
		times++;
	struct expression *e = parse_comparison(r);
	if (times) /* not x is (x == 0); not not x is ((x == 0) == 0) */
		e = operator2(r, "==", e, node(r, NUMBER, NULL, 0));
	if (times && times % 2 == 0)
		e = operator2(r, "==", e, node(r, NUMBER, NULL, 0));
	return e;
}

static struct expression *parse_and(struct parser *r)
{
	static const char *const token[] = {"and", NULL};
	return parse_chain(r, token, parse_not);
}

static struct expression *parse_or(struct parser *r)
{
	static const char *const token[] = {"or", NULL};
	if (++r->depth > MAX_DEPTH)
		return fail(r, "nested too deeply");
	struct expression *e = parse_chain(r, token, parse_and);
	r->depth--;
	return e;
}

struct expression *expression_parse(const char *text, const char *at,
				    struct problem *p)
{
	struct parser r = {text, text, at, 0, 0, p};
	struct expression *e = parse_or(&r);
	blanks(&r);
	if (!e || !*r.s)
		return e;
	expression_free(e);
	return fail(&r, *r.s == '=' ? "equal is written =="
				    : "text after the end of the expression");
}

/* ---- evaluation ---- */

/* Adds the place to the caller's error message. */
static int add_place(const struct expression *e, struct problem *p)
{
	struct problem why = *p;
	return problem_set(p, why.code, "%s: %.900s", e->at, why.text);
}

static int number_of(const struct expression *e,
		     const struct expression_scope *s, double *out,
		     struct problem *p)
{
	struct value v;
	if (expression_value(e, s, &v, p) < 0)
		return -1;
	*out = v.number;
	if (v.text)
		return problem_set(p, EXIT_USAGE,
				   "%s: \"%s\" is a text, a number is expected",
				   e->at, v.text);
	return 0;
}

/* Compares two numbers or two texts. */
static int compare(const struct expression *e, const struct value *a,
		   const struct value *b, double *out, struct problem *p)
{
	const char *op = e->text;
	if ((a->text == NULL) != (b->text == NULL)) {
		*out = op[0] == '!';
		return strchr("=!", op[0])
			   ? 0
			   : problem_set(p, EXIT_USAGE,
					 "%s: a text is compared with a number",
					 e->at);
	}
	double x = a->number, y = b->number;
	if (a->text) {
		x = strcmp(a->text, b->text);
		y = 0;
	}
	if (op[0] == '=')
		*out = x <= y && x >= y; /* not of NaN */
	else if (op[0] == '!')
		*out = x < y || x > y;
	else if (op[0] == '<')
		*out = op[1] ? x <= y : x < y;
	else
		*out = op[1] ? x >= y : x > y;
	return 0;
}

/* Computes an operator: a comparison, arithmetic, `and` or `or`. */
static int operate(const struct expression *e, const struct expression_scope *s,
		   double *out, struct problem *p)
{
	struct value a, b;
	double x, y;
	char op = e->text[0];
	if (strchr("=!<>", op))
		return expression_value(e->arg[0], s, &a, p) < 0 ||
			       expression_value(e->arg[1], s, &b, p) < 0
			   ? -1
			   : compare(e, &a, &b, out, p);
	if (number_of(e->arg[0], s, &x, p) < 0)
		return -1;
	if ((op == 'a' && x == 0) || (op == 'o' && x != 0)) {
		*out = op == 'o';
		return 0;
	}
	if (number_of(e->arg[1], s, &y, p) < 0)
		return -1;
	switch (op) {
	case '+':
		*out = x + y;
		break;
	case '-':
		*out = x - y;
		break;
	case '*':
		*out = x * y;
		break;
	case '/':
		*out = x / y;
		break;
	case '^':
		*out = pow(x, y);
		break;
	default: /* and, or: the right operand decides */
		*out = y != 0;
	}
	return 0;
}

static const struct {
	const char *name;
	double (*fn)(double);
} function1[] = {{"abs", fabs},    {"floor", floor}, {"ceil", ceil},
		 {"round", round}, {"sqrt", sqrt},   {"log", log},
		 {"log2", log2},   {"exp", exp}};

static int unknown(const struct expression *e, struct problem *p)
{
	return problem_set(p, EXIT_USAGE,
			   "%s: no function %s of %d argument(s); there are "
			   "if min max abs floor ceil round sqrt log log2 exp, "
			   "and over a table all any count sum min max mean "
			   "median p10 p90 low high, and at(TABLE: "
			   "CONDITION, VALUE)",
			   e->at, e->text, e->n_args);
}

static int call_least(const struct expression *e,
		      const struct expression_scope *s, double *out,
		      struct problem *p)
{
	int most = !strcmp(e->text, "max");
	for (int i = 0; i < e->n_args; i++) {
		double x;
		if (number_of(e->arg[i], s, &x, p) < 0)
			return -1;
		if (i == 0 || (most ? x > *out : x < *out))
			*out = x;
	}
	return 0;
}

/* Computes a function of numbers. */
static int call(const struct expression *e, const struct expression_scope *s,
		struct value *out, struct problem *p)
{
	double x;
	if (!strcmp(e->text, "if") && e->n_args == 3) {
		if (number_of(e->arg[0], s, &x, p) < 0)
			return -1;
		return expression_value(e->arg[x != 0 ? 1 : 2], s, out, p);
	}
	if (!strcmp(e->text, "min") || !strcmp(e->text, "max"))
		return call_least(e, s, &out->number, p);
	for (size_t i = 0; i < sizeof function1 / sizeof *function1; i++)
		if (e->n_args == 1 && !strcmp(e->text, function1[i].name)) {
			if (number_of(e->arg[0], s, &x, p) < 0)
				return -1;
			out->number = function1[i].fn(x);
			return 0;
		}
	return unknown(e, p);
}

/* Rows with a text in place of a number are not in the sample. */
static int over_sample(const struct expression *e,
		       const struct expression_scope *s, size_t n, double *out,
		       struct problem *p)
{
	double *v = calloc(n + 1, sizeof *v);
	size_t used = 0;
	int rc = v ? 0 : problem_no_memory(p);
	for (size_t i = 0; rc == 0 && i < n; i++) {
		struct value x;
		rc = s->enter(s->user, e->arg[0]->text, i, p);
		if (rc < 0)
			break;
		rc = expression_value(e->arg[1], s, &x, p);
		s->leave(s->user);
		if (rc == 0 && !x.text)
			v[used++] = x.number;
	}
	if (rc == 0)
		*out = aggregate_sample(e->text, v, used);
	free(v);
	return rc;
}

/* The value in the one row for which the condition holds. */
static int at_row(const struct expression *e, const struct expression_scope *s,
		  size_t n, struct value *out, struct problem *p)
{
	const char *table = e->arg[0]->text;
	size_t found = 0;
	for (size_t i = 0; i < n; i++) {
		double is = 0;
		if (s->enter(s->user, table, i, p) < 0)
			return -1;
		int rc = number_of(e->arg[1], s, &is, p);
		if (rc == 0 && is != 0 && !found++)
			rc = expression_value(e->arg[2], s, out, p);
		s->leave(s->user);
		if (rc < 0)
			return -1;
	}
	return found == 1 ? 0
			  : problem_set(p, EXIT_USAGE,
					"%s: at(%s: ...): %zu rows meet the "
					"condition; one must",
					e->at, table, found);
}

/* Computes a function of the rows of a table, such as a sum of an expression
 * over them. */
static int over(const struct expression *e, const struct expression_scope *s,
		struct value *to, struct problem *p)
{
	const char *table = e->arg[0]->text;
	double *out = &to->number;
	size_t n;
	if (!s->rows)
		return problem_set(p, EXIT_USAGE, "%s: no table %s here", e->at,
				   table);
	if (s->rows(s->user, table, &n, p) < 0)
		return add_place(e, p);
	if (is_at(e))
		return e->n_args == 3 ? at_row(e, s, n, to, p) : unknown(e, p);
	if (aggregate_is_of_sample(e->text))
		return over_sample(e, s, n, out, p);
	*out = 0;
	for (size_t i = 0; i < n; i++) {
		double x;
		if (s->enter(s->user, table, i, p) < 0)
			return -1;
		int rc = number_of(e->arg[1], s, &x, p);
		s->leave(s->user);
		if (rc < 0)
			return -1;
		if (aggregate_add(e->text, x, i, out) < 0)
			return unknown(e, p);
	}
	return 0;
}

int expression_value(const struct expression *e,
		     const struct expression_scope *s, struct value *out,
		     struct problem *p)
{
	*out = (struct value){0};
	switch (e->kind) {
	case NUMBER:
		out->number = e->number;
		return 0;
	case TEXT:
		out->text = e->text;
		return 0;
	case NAME:
		if (s->name(s->user, e->text, out, p) == 0)
			return 0;
		return add_place(e, p);
	case OPERATOR:
		return operate(e, s, &out->number, p);
	case CALL:
		return call(e, s, out, p);
	default:
		return over(e, s, out, p);
	}
}

int expression_holds(const struct expression *e,
		     const struct expression_scope *s, struct problem *p)
{
	struct value v;
	if (expression_value(e, s, &v, p) < 0)
		return -1;
	if (v.text)
		return problem_set(
		    p, EXIT_USAGE,
		    "--where: is a text; it must be a comparison");
	return !isnan(v.number) && v.number != 0;
}

int expression_names(const struct expression *e, int in_tables,
		     int (*fn)(void *user, const char *name, const char *at,
			       struct problem *p),
		     void *user, struct problem *p)
{
	int is_over = e->kind == OVER;
	if (e->kind == NAME)
		return fn(user, e->text, e->at, p);
	for (int i = is_over; (in_tables || !is_over) && i < e->n_args; i++)
		if (expression_names(e->arg[i], in_tables, fn, user, p) < 0)
			return -1;
	return 0;
}
