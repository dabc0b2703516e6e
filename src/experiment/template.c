/* template.c -- Fills in the expressions of a text. */
#include "experiment/template.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/number.h"

struct filling {
	struct scope *at;
	const char *where;
};

/* A scope_put_fn: the value of an expression. */
static int put_value(FILE *f, void *user, const char *text, size_t n,
		     struct problem *p)
{
	const struct filling *x = user;
	char *inner = strndup(text, n), digits[NUMBER_SIZE];
	if (!inner)
		return problem_no_memory(p);
	struct expression *e = expression_parse(inner, x->where, p);
	struct value v;
	int rc = e ? scope_value(x->at, e, &v, p) : -1;
	if (rc == 0 && v.text) {
		fputs(v.text, f);
	} else if (rc == 0) {
		number_format(digits, v.number);
		fputs(digits, f);
	}
	expression_free(e);
	free(inner);
	return rc;
}

char *template_fill(const char *template, struct scope *at, const char *where,
		    struct problem *p)
{
	struct filling x = {at, where};
	return scope_fill(template, put_value, &x, p);
}
