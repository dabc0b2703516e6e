/* hf_reader.c -- Reads fields of a config.json and puts the keys of [model]. */
#include "model/hf_reader.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- messages ---- */

/* Returns the line of the first place where `key` is a key, inside text_config
 * if there is one; 0: there is none. */
static int line_of(const struct hf_reader *r, const char *key)
{
	char quoted[100];
	int n = snprintf(quoted, sizeof quoted, "\"%s\"", key);
	const char *from = r->text, *at = NULL;
	if (!from)
		return 0;
	if (r->in != r->top && strstr(from, "\"text_config\""))
		from = strstr(from, "\"text_config\"");
	for (const char *s = from; !at && (s = strstr(s, quoted)); s += n)
		if (s[n + (int)strspn(s + n, " \t\r\n")] == ':')
			at = s;
	if (!at)
		at = strstr(r->text, quoted);
	if (!at)
		return 0;
	int line = 1;
	for (const char *s = r->text; s < at; s++)
		line += *s == '\n';
	return line;
}

/* Writes "FILE:LINE", or "FILE" where the file has no such key. */
static void place_of(const struct hf_reader *r, const char *key, char *at,
		     size_t size)
{
	int line = line_of(r, key);
	if (line)
		snprintf(at, size, "%s:%d", r->origin, line);
	else
		snprintf(at, size, "%s", r->origin);
}

int hf_fail(struct hf_reader *r, int code, const char *key, const char *what,
	    ...)
{
	char at[2000], text[1600];
	va_list ap;
	if (r->failed)
		return -1;
	r->failed = 1;
	place_of(r, key, at, sizeof at);
	va_start(ap, what);
	vsnprintf(text, sizeof text, what, ap);
	va_end(ap);
	return problem_set(r->p, code, "%s: %s %s", at, key, text);
}

/* ---- fields ---- */

/* Returns the first of the names (ends with NULL) in the text part that is
 * there and not null, or NULL. */
static const json_t *field(const struct hf_reader *r, const char *const *name,
			   const char **found)
{
	for (; *name; name++) {
		const json_t *v = json_object_get(r->in, *name);
		if (v && !json_is_null(v)) {
			*found = *name;
			return v;
		}
	}
	return NULL;
}

/* A list of equal numbers, one per layer, is treated as that number. */
static const json_t *of_equals(const json_t *v)
{
	for (size_t i = 1; i < json_array_size(v); i++)
		if (!json_equal(json_array_get(v, 0), json_array_get(v, i)))
			return v;
	return json_array_size(v) ? json_array_get(v, 0) : v;
}

static int64_t whole(struct hf_reader *r, const json_t *v, const char *key,
		     int64_t absent)
{
	v = of_equals(v);
	double d = json_number_value(v);
	if (!json_is_number(v) || !(d >= 0 && d <= 4e9) || d != floor(d)) {
		hf_fail(r, EXIT_INPUT, key,
			"is not a whole number in [0, 4e9]");
		return absent;
	}
	return (int64_t)d;
}

int64_t hf_integer(struct hf_reader *r, const char *const *name, int64_t absent)
{
	const char *key = NULL;
	const json_t *v = field(r, name, &key);
	if (v)
		return whole(r, v, key, absent);
	for (const struct hf_absent *a = r->absent; a && a->field; a++)
		if (!strcmp(a->field, name[0]))
			return a->value;
	return absent;
}

int64_t hf_required(struct hf_reader *r, const char *const *name)
{
	const char *key = NULL;
	int64_t n = hf_integer(r, name, 0);
	if (n <= 0 && field(r, name, &key))
		hf_fail(r, EXIT_INPUT, key, "is 0; it must be 1 or more");
	else if (n <= 0)
		hf_fail(r, EXIT_INPUT, name[0],
			"is missing; it must be 1 or more");
	return n;
}

int64_t hf_integer_in(struct hf_reader *r, const json_t *in, const char *key,
		      int64_t absent)
{
	const json_t *v = json_object_get(in, key);
	return v && !json_is_null(v) ? whole(r, v, key, absent) : absent;
}

int hf_boolean(struct hf_reader *r, const json_t *in, const char *key,
	       int absent)
{
	const json_t *v = json_object_get(in, key);
	if (!v || json_is_null(v))
		return absent;
	if (!json_is_boolean(v)) {
		hf_fail(r, EXIT_INPUT, key, "is not true or false");
		return absent;
	}
	return json_is_true(v);
}

const char *hf_text(const json_t *in, const char *key)
{
	const char *s = json_string_value(json_object_get(in, key));
	return s ? s : "";
}

int hf_given(const struct hf_reader *r, const char *key)
{
	const json_t *v = json_object_get(r->in, key);
	if (json_is_number(v))
		return json_number_value(v) != 0;
	if (json_is_string(v))
		return json_string_length(v) > 0;
	return json_is_true(v) || json_array_size(v) || json_object_size(v);
}

const json_t *hf_layer_list(struct hf_reader *r, const char *key)
{
	const json_t *list = json_object_get(r->in, key);
	if (!json_is_array(list))
		return NULL;
	if ((int64_t)json_array_size(list) >= r->layers)
		return list;
	hf_fail(r, EXIT_INPUT, key, "is shorter than num_hidden_layers");
	return NULL;
}

int64_t hf_at(const json_t *list, int64_t i)
{
	double d = json_number_value(json_array_get(list, (size_t)i));
	return d >= 0 && d <= 4e9 ? (int64_t)d : 0;
}

/* ---- keys ---- */

void hf_put(struct hf_reader *r, const char *key, const char *value)
{
	char at[2000];
	place_of(r, key, at, sizeof at);
	if (!r->failed && ini_put(r->c, "model", key, value, at, r->p) < 0)
		r->failed = 1;
}

void hf_put_int(struct hf_reader *r, const char *key, int64_t v)
{
	char s[32];
	snprintf(s, sizeof s, "%lld", (long long)v);
	if (v)
		hf_put(r, key, s);
}

void hf_put_true(struct hf_reader *r, const char *key, int v)
{
	if (v)
		hf_put(r, key, "true");
}

void hf_put_number(struct hf_reader *r, const char *key, double v)
{
	char s[32];
	snprintf(s, sizeof s, "%.17g", v);
	hf_put(r, key, s);
}
