/* template.c -- Fills in the expressions of a text. */
#include <config.h>
#include "experiment/template.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/number.h"

/* Writes the value of the expression in n bytes of text. */
static int put_value(FILE *f, const char *text, size_t n, struct scope *at,
		     const char *where, struct problem *p)
{
	char *inner = strndup(text, n), digits[NUMBER_SIZE];
	if (!inner)
		return problem_no_memory(p);
	struct expression *e = expression_parse(inner, where, p);
	struct value v;
	int rc = e ? scope_value(at, e, &v, p) : -1;
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
	char *out = NULL;
	size_t n;
	FILE *f = open_memstream(&out, &n);
	int rc = f ? 0 : problem_no_memory(p);
	for (const char *s = template; rc == 0 && *s; s++) {
		const char *end = *s == '{' ? strchr(s, '}') : NULL;
		if (!end) {
			putc(*s, f);
			continue;
		}
		rc = put_value(f, s + 1, (size_t)(end - s - 1), at, where, p);
		s = end;
	}
	if (f && fclose(f) != 0)
		rc = problem_no_memory(p);
	if (rc == 0)
		return out;
	free(out);
	return NULL;
}
