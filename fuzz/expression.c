/* expression.c -- Any text as an expression of an experiment; may be refused,
 * must not crash, and has the same value twice. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "fuzz.h"
#include "math/expression.h"

static int name(void *user, const char *name, struct value *out,
		struct problem *p)
{
	(void)user;
	if (strlen(name) > 20)
		return problem_set(p, EXIT_USAGE, "no '%.40s'", name);
	*out = (struct value){(double)strlen(name),
			      name[0] == 't' ? "text" : NULL};
	return 0;
}

static int rows(void *user, const char *table, size_t *n, struct problem *p)
{
	(void)user, (void)p;
	*n = strlen(table) % 3;
	return 0;
}

static int enter(void *user, const char *table, size_t row, struct problem *p)
{
	(void)user, (void)table, (void)row, (void)p;
	return 0;
}

static void leave(void *user)
{
	(void)user;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct expression_scope s = {NULL, name, rows, enter, leave};
	struct problem p;
	struct value a, b;
	char *text = fuzz_text(data, size, 4096);
	struct expression *e = text ? expression_parse(text, "f:1", &p) : NULL;
	if (e) {
		int rc = expression_value(e, &s, &a, &p);
		if (expression_value(e, &s, &b, &p) != rc)
			abort();
		if (rc == 0 && !a.text && a.number != b.number &&
		    !(isnan(a.number) && isnan(b.number)))
			abort();
		expression_free(e);
	}
	free(text);
	return 0;
}
