/* cells.c -- Works out the formulas in the texts of rules. */
#include "validate/measured/cells.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "math/expression.h"
#include "validate/measured/condition.h"

enum { LONGEST = 300 };

/* The next formula of *text, without its braces, and the plain text before it:
 * *plain characters.  Moves *text behind it.  Returns 0 if there is none. */
static int next_formula(const char **text, size_t *plain, char formula[LONGEST])
{
	const char *from = *text + strcspn(*text, "{");
	const char *to = *from ? strchr(from, '}') : NULL;
	*plain = to ? (size_t)(from - *text) : strlen(*text);
	if (!to)
		return 0;
	snprintf(formula, LONGEST, "%.*s", (int)(to - from - 1), from + 1);
	*text = to + 1;
	return 1;
}

/* ---- reading ---- */

static int check_name(void *user, const char *name, const char *at,
		      struct problem *p)
{
	(void)user;
	return condition_column(name)
		   ? 0
		   : problem_set(p, EXIT_USAGE,
				 "%s: %s is no column of the measured rows", at,
				 name);
}

int cells_check(const char *text, const char *at, struct problem *p)
{
	char formula[LONGEST];
	size_t plain;
	while (next_formula(&text, &plain, formula)) {
		struct expression *e = expression_parse(formula, at, p);
		int rc = e ? expression_names(e, 0, check_name, NULL, p) : -1;
		expression_free(e);
		if (rc < 0)
			return -1;
	}
	return 0;
}

/* ---- working out ---- */

/* A cell of text that is a number counts as one. */
static int cell_value(void *user, const char *name, struct value *out,
		      struct problem *p)
{
	const struct measured_row *r = user;
	const struct measured_column *c = condition_column(name);
	*out = (struct value){.number = NAN};
	if (c->type == MEASURED_NUMBER) {
		memcpy(&out->number, (const char *)r + c->offset,
		       sizeof out->number);
	} else {
		memcpy(&out->text, (const char *)r + c->offset,
		       sizeof out->text);
		if (out->text && measured_number(out->text, &out->number) == 0)
			out->text = NULL;
	}
	return out->text || !isnan(out->number)
		   ? 0
		   : problem_set(p, EXIT_USAGE, "no %s", name);
}

static int work_out(const char *formula, const struct measured_row *r,
		    char *out, size_t size)
{
	const struct expression_scope scope = {.user = (void *)(uintptr_t)r,
					       .name = cell_value};
	struct problem unused;
	struct value v;
	struct expression *e = expression_parse(formula, "", &unused);
	int has = e && expression_value(e, &scope, &v, &unused) == 0 &&
		  (v.text || isfinite(v.number));
	if (has && v.text)
		snprintf(out, size, "%s", v.text);
	else if (has)
		snprintf(out, size, "%.15g", v.number);
	expression_free(e);
	return has;
}

int cells_fill(const char *text, const struct measured_row *r, char *out,
	       size_t size)
{
	char formula[LONGEST];
	size_t plain, at = 0;
	int more;
	do {
		const char *from = text;
		more = next_formula(&text, &plain, formula);
		plain = plain < size - at - 1 ? plain : size - at - 1;
		memcpy(out + at, from, plain);
		at += plain;
		out[at] = '\0';
		if (more && !work_out(formula, r, out + at, size - at))
			return 0;
		at += strlen(out + at);
	} while (more);
	return 1;
}
