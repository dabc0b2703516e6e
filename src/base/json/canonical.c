/* canonical.c -- Writes JSON in its canonical form. */
#include "base/json/canonical.h"
#include <stdlib.h>
#include <string.h>
#include "base/file/digest.h"
#include "base/grow.h"
#include "base/text.h"

struct member {
	struct span key;
	char *value;
};

static int by_key(const void *a, const void *b)
{
	const struct span *x = &((const struct member *)a)->key;
	const struct span *y = &((const struct member *)b)->key;
	int order = memcmp(x->s, y->s, x->n < y->n ? x->n : y->n);
	return order ? order : (x->n > y->n) - (x->n < y->n);
}

static int is_skipped(const struct canonical *c, struct span key)
{
	for (const char *const *s = c->skip; s && *s; s++)
		if (span_is(key, *s))
			return 1;
	return 0;
}

/* Returns the canonical text of the next value; NULL: none. */
static char *text_of(struct json_cursor *j, const struct canonical *c)
{
	struct text t;
	FILE *f = text_begin(&t);
	int rc = f ? canonical_write(f, j, c) : -1;
	if (f && fclose(f) != 0)
		rc = -1;
	if (rc == 0)
		return t.s;
	free(t.s);
	return NULL;
}

static int write_object(FILE *f, struct json_cursor *j,
			const struct canonical *c)
{
	struct member *m = NULL;
	size_t n = 0, cap = 0;
	int ok = jc_enter(j, '{');
	struct span key;
	while (ok && jc_key(j, &key)) {
		if (is_skipped(c, key)) {
			ok = jc_skip(j);
			continue;
		}
		ok = MAKE_ROOM(m, n, cap);
		if (ok)
			m[n] = (struct member){key, text_of(j, c)};
		ok = ok && m[n++].value;
	}
	if (n)
		qsort(m, n, sizeof *m, by_key);
	putc('{', f);
	for (size_t i = 0; i < n; i++) {
		fprintf(f, "%s\"%.*s\":%s", i ? "," : "", (int)m[i].key.n,
			m[i].key.s, m[i].value ? m[i].value : "");
		free(m[i].value);
	}
	putc('}', f);
	free(m);
	return ok && !j->why ? 0 : -1;
}

static int write_array(FILE *f, struct json_cursor *j,
		       const struct canonical *c)
{
	int ok = jc_enter(j, '[');
	putc('[', f);
	for (int i = 0; ok && jc_element(j); i++) {
		if (i)
			putc(',', f);
		ok = canonical_write(f, j, c) == 0;
	}
	putc(']', f);
	return ok && !j->why ? 0 : -1;
}

static int write_string(FILE *f, struct json_cursor *j,
			const struct canonical *c)
{
	struct span s;
	if (!jc_string(j, &s))
		return -1;
	char *other = c->stands_for ? c->stands_for(c->user, s) : NULL;
	if (other)
		fprintf(f, "\"%s\"", other);
	else
		fprintf(f, "\"%.*s\"", (int)s.n, s.s);
	free(other);
	return 0;
}

/* A number, true, false or null, as it is written. */
static int write_plain(FILE *f, struct json_cursor *j)
{
	const char *from = j->s;
	if (!jc_skip(j))
		return -1;
	fwrite(from, 1, (size_t)(j->s - from), f);
	return 0;
}

int canonical_write(FILE *f, struct json_cursor *j, const struct canonical *c)
{
	switch (jc_peek(j)) {
	case '{':
		return write_object(f, j, c);
	case '[':
		return write_array(f, j, c);
	case '"':
		return write_string(f, j, c);
	default:
		return write_plain(f, j);
	}
}

int canonical_digest(char hex[65], struct span json, const struct canonical *c)
{
	struct json_cursor j;
	jc_begin(&j, json.s, json.n);
	char *text = text_of(&j, c);
	int rc = text && jc_end(&j) ? 0 : -1;
	if (rc == 0)
		digest_bytes(text, strlen(text), hex);
	free(text);
	return rc;
}

struct span canonical_member(struct span object, const char *key)
{
	struct json_cursor j;
	struct span name;
	jc_begin(&j, object.s, object.n);
	if (!jc_enter(&j, '{'))
		return (struct span){0};
	while (jc_key(&j, &name)) {
		int is = span_is(name, key);
		if (is)
			jc_peek(&j); /* skips white space */
		const char *begin = j.s;
		if (!jc_skip(&j))
			break;
		if (is)
			return (struct span){begin, (size_t)(j.s - begin)};
	}
	return (struct span){0};
}
