/* Expressions: values, precedence, tables, refusals. */
#include "math/expression.h"
#include <math.h>
#include "tap.h"

static size_t row;

static int name(void *user, const char *n, struct value *out, struct problem *p)
{
	(void)user;
	if (!strcmp(n, "x"))
		out->number = 3;
	else if (!strcmp(n, "a.b2.c"))
		out->number = 7;
	else if (!strcmp(n, "word"))
		out->text = "memory";
	else if (!strcmp(n, "r"))
		out->number = (double)row;
	else
		return problem_set(p, EXIT_USAGE, "nothing is called %s", n);
	return 0;
}
static int rows(void *user, const char *table, size_t *n, struct problem *p)
{
	(void)user;
	*n = 4;
	return strcmp(table, "T") ? problem_set(p, EXIT_USAGE, "no table") : 0;
}
static int enter(void *user, const char *table, size_t r, struct problem *p)
{
	(void)user, (void)table, (void)p;
	row = r;
	return 0;
}
static void leave(void *user)
{
	(void)user;
	row = 99;
}

static const struct expression_scope scope = {NULL, name, rows, enter, leave};
static struct problem p;

static double number(const char *text)
{
	struct value v = {0};
	struct expression *e = expression_parse(text, "f:1", &p);
	if (!e || expression_value(e, &scope, &v, &p) < 0 || v.text)
		v.number = (double)NAN;
	expression_free(e);
	return v.number;
}

static int refused(const char *text, const char *why)
{
	p.text[0] = '\0';
	return isnan(number(text)) && strstr(p.text, why) &&
	       !strncmp(p.text, "f:1: ", 5);
}

static int count(void *user, const char *n, const char *at, struct problem *q)
{
	(void)n, (void)at, (void)q;
	++*(int *)user;
	return 0;
}

static int no_row(void *user, const char *table, size_t r, struct problem *q)
{
	(void)user, (void)table, (void)r;
	return problem_set(q, EXIT_USAGE, "no row");
}

/* What a scope without tables, or without rows, answers. */
static void other_scopes(void)
{
	static const char *const text[] = {"sum(T: 1)", "median(T: 1)",
					   "at(T: 1, 1)"};
	struct expression_scope of = scope;
	struct value v;
	of.enter = no_row;
	for (size_t i = 0; i < 3; i++) {
		struct expression *e = expression_parse(text[i], "f:1", &p);
		of.rows = rows;
		ok(expression_value(e, &of, &v, &p) < 0 &&
		       !strcmp(p.text, "no row"),
		   "%s: a row that cannot be read", text[i]);
		of.rows = NULL;
		ok(expression_value(e, &of, &v, &p) < 0 &&
		       !strcmp(p.text, "f:1: no table T here"),
		   "%s: %s", text[i], p.text);
		expression_free(e);
	}
}

static int stop(void *user, const char *n, const char *at, struct problem *q)
{
	(void)user, (void)n, (void)at, (void)q;
	return -1;
}

static void more(void)
{
	near(number("max(x, 2)"), 3, 0, "a name as the first argument");
	near(number("(0 / 0 == 1) + (1 == 0 / 0) + (0 / 0 == 0 / 0)"), 0, 0,
	     "nothing equals what is no number");
	near(number("(4 != x) + (2 != x)"), 2, 0, "unequal both ways");
	ok(refused("_x", "nothing is called _x"), "%s", p.text);
	ok(refused("x.{a}", "nothing is called x.{a}"), "%s", p.text);
	ok(refused("x. 1", "text after the end"), "%s", p.text);
	ok(refused("x = 3", "equal is written =="), "%s", p.text);
	ok(refused("nope + 1", "nothing is called nope"), "%s", p.text);
	ok(refused("nope < 1", "nothing is called nope"), "%s", p.text);
	ok(refused("1 < nope", "nothing is called nope"), "%s", p.text);
	ok(refused("at(T: nope, 1)", "nothing is called nope"), "%s", p.text);
	ok(refused("nope(T: r)", "no function nope"), "%s", p.text);
	struct expression *e = expression_parse("1 + x", "f:1", &p);
	ok(expression_names(e, 0, stop, NULL, &p) < 0, "a visit that ends");
	expression_free(e);
}

int main(void)
{
	near(number("1 + 2 * 3 - 4 / 2"), 5, 0, "precedence");
	near(number("2 - 3 - 4"), -5, 0, "from the left");
	near(number("2 ^ 3 ^ 2"), 512, 0, "power from the right");
	near(number("-x ^ 2"), -9, 0, "minus of a power");
	near(number("(1 + 2) * 3"), 9, 0, "parentheses");
	near(number("a.b2.c"), 7, 0, "a name with dots");
	near(number("1 < 2 and not 3 <= 2 or 0"), 1, 0, "truths");
	near(number("0 and nothing"), 0, 0, "and stops");
	near(number("x or nothing"), 1, 0, "or stops");
	near(number("if(x > 2, 10, nothing)"), 10, 0, "if evaluates one");
	near(number("word == \"memory\""), 1, 0, "texts are compared");
	near(number("word != \"memory\""), 0, 0, "and found the same");
	near(number("(x == \"\") * 2 + (x != word)"), 1, 0,
	     "a text is no number");
	near(number("max(1, x, 2) - min(1, x, 2)"), 2, 0, "min, max");
	near(number("round(2.5) + floor(-1.5) + abs(-1)"), 2, 0, "functions");
	ok(refused("notx", "nothing is called notx"), "words are whole");
	near(number("sum(T: r) + count(T: r > 0)"), 9, 0, "over a table");
	near(number("mean(T: r)"), 1.5, 0, "mean");
	near(number("mean(T: if(r > 1, r, word))"), 2.5, 0,
	     "mean without texts");
	near(number("at(T: r == 2, r * 10)"), 20, 0, "in one row");
	near(number("at(T: r == 2, if(word == \"memory\", 1, 2))"), 1, 0,
	     "also of texts");
	ok(refused("at(T: r > 1, r)", "2 rows meet the condition"), "%s",
	   p.text);
	ok(refused("at(T: r > 9, r)", "0 rows meet the condition"), "%s",
	   p.text);
	ok(refused("at(T: r)", "no function at of 2"), "%s", p.text);
	ok(refused("max(T: r, 2)", "')' expected"), "%s", p.text);
	ok(refused("{x}.y", "nothing is called {x}.y"), "%s", p.text);
	near(number("max(T: r) - min(T: r)"), 3, 0, "max, min over it");
	near(number("all(T: r < 4) + any(T: r == 9)"), 1, 0, "all, any");
	near(number("median(T: r)"), 1.5, 0, "median");
	near(number("p10(T: r) + p90(T: r)"), 3, 1e-12, "percentiles");
	near(number("median(T: if(r < 2, r, word))"), 0.5, 0,
	     "a row with a text is left out");
	near(number("low(T: 2) + high(T: 2)"), 4, 0,
	     "the interval of a mean without spread");
	ok(number("low(T: r)") < 1.5 && number("high(T: r)") > 1.5,
	   "and with some");
	ok(isnan(number("median(T: word)")), "no numbers, no median");
	ok(refused("median(T: nope)", "nothing is called nope"), "%s", p.text);
	ok(isinf(number("1 / 0")), "division by zero is not hidden");
	ok(refused("1 +", "a value expected"), "%s", p.text);
	ok(refused("(1", "')' expected"), "%s", p.text);
	ok(refused("1 2", "text after the end"), "%s", p.text);
	ok(refused("\"x", "closing quote"), "%s", p.text);
	ok(refused("nope", "nothing is called nope"), "%s", p.text);
	ok(refused("word + 1", "a number is expected"), "%s", p.text);
	ok(refused("word < 1", "compared with a number"), "%s", p.text);
	ok(refused("nope(1)", "no function nope"), "%s", p.text);
	ok(refused("all(U: 1)", "no table"), "%s", p.text);
	char deep[400];
	memset(deep, '(', sizeof deep);
	deep[sizeof deep - 1] = '\0';
	ok(refused(deep, "nested too deeply"), "no end of parentheses");
	memset(deep, '-', sizeof deep - 1);
	ok(refused(deep, "nested too deeply"), "nor of signs");
	char wide[4000];
	for (size_t i = 0; i + 1 < sizeof wide; i++)
		wide[i] = i % 2 ? '+' : '1';
	wide[sizeof wide - 1] = '\0';
	ok(refused(wide, "too long"), "nor of terms");
	near(number("not not 5"), 1, 0, "not, twice");
	int n = 0;
	struct expression *e =
	    expression_parse("x + a.b2.c * sum(T: r)", "f:1", &p);
	ok(expression_names(e, 0, count, &n, &p) == 0 && n == 2,
	   "names outside of a table");
	ok(expression_names(e, 1, count, &n, &p) == 0 && n == 5, "and inside");
	expression_free(e);
	other_scopes();
	more();
	return done();
}
