/* difference.c -- Compares two JSON documents value by value. */
#include "report/difference.h"
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

struct comparing {
	FILE *f;
	size_t most;
	long n;
};

static void tell(struct comparing *c, const char *where, const json_t *was,
		 const json_t *is)
{
	enum { HOW = JSON_ENCODE_ANY | JSON_COMPACT };
	if (c->n++ >= (long)c->most)
		return;
	char *a = was ? json_dumps(was, HOW) : NULL;
	char *b = is ? json_dumps(is, HOW) : NULL;
	fprintf(c->f, "%s: %.200s, was %.200s\n", where, b ? b : "missing",
		a ? a : "missing");
	free(a), free(b);
}

static int is_left_out(const char *key)
{
	return !strcmp(key, "identity") || !strcmp(key, "provenance") ||
	       !strcmp(key, "elapsed");
}

static void compare(struct comparing *c, const char *where, const json_t *was,
		    const json_t *is);

/* where: of the object; key: of the member. */
static void member(struct comparing *c, const char *where, const char *key,
		   const json_t *was, const json_t *is)
{
	char *name;
	if (asprintf(&name, "%s%s%s", where, *where ? "." : "", key) < 0)
		return;
	compare(c, name, was, is);
	free(name);
}

/* Compares the members of two objects, in both directions. */
static void objects(struct comparing *c, const char *where, const json_t *was,
		    const json_t *is)
{
	const char *key;
	json_t *v;
	json_object_foreach((json_t *)(size_t)was, key, v)
	{
		if (!is_left_out(key))
			member(c, where, key, v, json_object_get(is, key));
	}
	json_object_foreach((json_t *)(size_t)is, key, v)
	{
		if (!is_left_out(key) && !json_object_get(was, key))
			member(c, where, key, NULL, v);
	}
}

static void arrays(struct comparing *c, const char *where, const json_t *was,
		   const json_t *is)
{
	size_t n = json_array_size(was), m = json_array_size(is);
	char key[32];
	for (size_t i = 0; i < (n > m ? n : m); i++) {
		snprintf(key, sizeof key, "%zu", i);
		member(c, where, key, json_array_get(was, i),
		       json_array_get(is, i));
	}
}

static void compare(struct comparing *c, const char *where, const json_t *was,
		    const json_t *is)
{
	if (json_is_object(was) && json_is_object(is))
		objects(c, where, was, is);
	else if (json_is_array(was) && json_is_array(is))
		arrays(c, where, was, is);
	else if (!was || !is || !json_equal(was, is))
		tell(c, where, was, is);
}

long difference_write(const char *was, const char *is, size_t most, FILE *f)
{
	struct comparing c = {f, most, 0};
	json_t *a = json_loads(was, 0, NULL), *b = json_loads(is, 0, NULL);
	if (a && b)
		compare(&c, "", a, b);
	else
		c.n = -1;
	if (c.n > (long)most)
		fprintf(f, "and %ld others\n", c.n - (long)most);
	json_decref(a), json_decref(b);
	return c.n;
}
