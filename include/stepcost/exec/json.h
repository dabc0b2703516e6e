/* stepcost/exec/json.h -- header-only helper for plugins: one line of JSON out,
 * one line of JSON in.  It writes text, numbers and columns; it reads one flat
 * object of numbers, words and short arrays of numbers into named fields.  Part
 * of exec.h, see doc/exec-protocol.md.
 *
 *   struct sc_line l = {0};
 *   sc_put(&l, "{");
 *   sc_put_name(&l, "step"), sc_put_integer(&l, 7);
 *   sc_put(&l, "}\n");                     l.text[0 .. l.n) {"step":7}
 *   static const struct sc_field field[] = {
 *       {"total_us", SC_FIELD_DOUBLE, 1, offsetof(sc_result, total_us), NULL}};
 *   rc = sc_get_object("{\"total_us\":9}", field, 1, &result, err);
 */
#ifndef SC_EXEC_JSON_H
#define SC_EXEC_JSON_H
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "stepcost/fail.h"

/* ---- writing ---- */

/* A text that grows.  If memory runs out, `bad` becomes 1 and stays 1, so one
 * check at the end is enough. */
struct sc_line {
	char *text;
	size_t n, cap;
	int bad;
};

/* Returns room for n more bytes, or NULL if memory is out. */
static inline char *sc_line_room(struct sc_line *l, size_t n)
{
	if (l->cap - l->n < n) {
		size_t cap = 2 * (l->n + n);
		char *text = (char *)realloc(l->text, cap);
		if (!text) {
			l->bad = 1;
			return NULL;
		}
		l->text = text;
		l->cap = cap;
	}
	return l->text + l->n;
}

static inline void sc_put(struct sc_line *l, const char *s)
{
	size_t n = strlen(s);
	char *at = sc_line_room(l, n);
	if (at) {
		memcpy(at, s, n);
		l->n += n;
	}
}

/* Writes s in quotes; control characters become blanks. */
static inline void sc_put_text(struct sc_line *l, const char *s)
{
	char *at = sc_line_room(l, 2 * strlen(s) + 2), *from = at;
	if (!at)
		return;
	*at++ = '"';
	for (; *s; s++) {
		if (*s == '"' || *s == '\\')
			*at++ = '\\';
		*at++ = (unsigned char)*s < ' ' ? ' ' : *s;
	}
	*at++ = '"';
	l->n += (size_t)(at - from);
}

static inline void sc_put_number(struct sc_line *l, double v)
{
	char s[32];
	snprintf(s, sizeof s, "%.17g", v);
	sc_put(l, isfinite(v) ? s : "null");
}

#define SC_DIGITS 20 /* digits of the longest integer */

/* Writes v in decimal.  Returns the place behind the digits. */
static inline char *sc_digits(char *at, uint64_t v)
{
	char digit[SC_DIGITS];
	size_t n = 0;
	do
		digit[n++] = (char)('0' + v % 10);
	while (v /= 10);
	while (n)
		*at++ = digit[--n];
	return at;
}

static inline void sc_put_integer(struct sc_line *l, uint64_t v)
{
	char *at = sc_line_room(l, SC_DIGITS);
	if (at)
		l->n = (size_t)(sc_digits(at, v) - l->text);
}

/* Writes "name": and, unless it is the first member, a comma before it. */
static inline void sc_put_name(struct sc_line *l, const char *name)
{
	if (l->n && l->text[l->n - 1] != '{')
		sc_put(l, ",");
	sc_put_text(l, name);
	sc_put(l, ":");
}

static inline void sc_put_column(struct sc_line *l, const char *name,
				 const uint32_t *v, uint32_t n)
{
	sc_put_name(l, name);
	char *at = sc_line_room(l, (size_t)n * (SC_DIGITS + 1) + 2);
	if (!at)
		return;
	*at++ = '[';
	for (uint32_t i = 0; i < n; i++) {
		if (i)
			*at++ = ',';
		at = sc_digits(at, v[i]);
	}
	*at++ = ']';
	l->n = (size_t)(at - l->text);
}

/* ---- reading ---- */

#define SC_FIELD_DOUBLE 1u
#define SC_FIELD_UINT32 2u
#define SC_FIELD_WORD 3u /* uint32_t, index into words */
#define SC_FIELD_TEXT 4u /* char[count] */

struct sc_field {
	const char *name;
	uint32_t type, count; /* how many numbers; above 1: an array */
	size_t offset;
	const char *const *words;
};

static inline const char *sc_blank(const char *s)
{
	return s + strspn(s, " \t\r");
}

/* Reads the four digits of \uXXXX.  Returns NULL if they are not hex digits. */
static inline const char *sc_get_hex(const char *s, unsigned *v)
{
	static const char digits[] = "0123456789abcdef0123456789ABCDEF";
	*v = 0;
	for (int i = 0; i < 4; i++, s++) {
		const char *d = *s ? strchr(digits, *s) : NULL;
		if (!d)
			return NULL;
		*v = 16 * *v + (unsigned)((d - digits) % 16);
	}
	return s;
}

/* Decodes an escape to ASCII: white space becomes a blank, and a character that
 * ASCII does not have becomes '?'.  s points behind the backslash.  Returns the
 * place behind the escape, or NULL if it is malformed. */
static inline const char *sc_get_escape(const char *s, char *c)
{
	unsigned v;
	*c = *s;
	if (*s == '"' || *s == '\\' || *s == '/')
		return s + 1;
	*c = ' ';
	if (*s && strchr("bfnrt", *s))
		return s + 1;
	if (*s != 'u' || !(s = sc_get_hex(s + 1, &v)))
		return NULL;
	*c = v >= ' ' && v < 0x7f ? (char)v : '?';
	return s;
}

/* Reads a string into out[cap] and truncates it to fit.  Returns the place
 * behind it, or NULL if it is malformed. */
static inline const char *sc_get_text(const char *s, char *out, size_t cap)
{
	size_t n = 0;
	if (*s++ != '"')
		return NULL;
	while (s && (unsigned char)*s >= ' ' && *s != '"') {
		char c = *s++;
		if (c == '\\')
			s = sc_get_escape(s, &c);
		if (n + 1 < cap)
			out[n++] = c;
	}
	out[n] = '\0';
	return s && *s == '"' ? sc_blank(s + 1) : NULL;
}

/* Skips one or more digits.  Returns the place behind them, or NULL if there is
 * none. */
static inline const char *sc_skip_digits(const char *s)
{
	size_t n = strspn(s, "0123456789");
	return n ? s + n : NULL;
}

/* Skips a JSON number.  Returns the place behind it, or NULL if it is no JSON
 * number, such as "0x10", "+1" or ".5". */
static inline const char *sc_skip_number(const char *s)
{
	s += *s == '-';
	s = *s == '0' ? s + 1 : sc_skip_digits(s);
	if (s && *s == '.')
		s = sc_skip_digits(s + 1);
	if (s && (*s == 'e' || *s == 'E'))
		s = sc_skip_digits(s + 1 + (s[1] == '+' || s[1] == '-'));
	return s;
}

static inline const char *sc_get_number(const char *s, const struct sc_field *f,
					void *at)
{
	int is_null = !strncmp(s, "null", 4);
	double v = is_null ? (double)NAN : strtod(s, NULL);
	s = is_null ? s + 4 : sc_skip_number(s);
	if (!s)
		return NULL;
	if (f->type == SC_FIELD_DOUBLE) {
		memcpy(at, &v, sizeof v);
	} else {
		uint32_t u = v >= 0 && v <= UINT32_MAX ? (uint32_t)v : 0;
		if ((double)u != v)
			return NULL;
		memcpy(at, &u, sizeof u);
	}
	return sc_blank(s);
}

static inline const char *sc_get_word(const char *s, const struct sc_field *f,
				      void *at)
{
	char word[32];
	uint32_t i = 0;
	s = sc_get_text(s, word, sizeof word);
	if (!s)
		return NULL;
	while (f->words[i] && strcmp(f->words[i], word))
		i++;
	if (!f->words[i])
		return NULL;
	memcpy(at, &i, sizeof i);
	return s;
}

static inline const char *sc_get_value(const char *s, const struct sc_field *f,
				       void *out)
{
	char *at = (char *)out + f->offset;
	size_t each =
	    f->type == SC_FIELD_DOUBLE ? sizeof(double) : sizeof(uint32_t);
	if (f->type == SC_FIELD_TEXT)
		return sc_get_text(s, at, f->count);
	if (f->type == SC_FIELD_WORD)
		return sc_get_word(s, f, at);
	if (f->count == 1)
		return sc_get_number(s, f, at);
	if (*s != '[')
		return NULL;
	for (uint32_t i = 0; i < f->count; i++, at += each) {
		s = sc_get_number(sc_blank(s + 1), f, at);
		if (!s || *s != (i + 1 < f->count ? ',' : ']'))
			return NULL;
	}
	return sc_blank(s + 1);
}

/* Reads "name": value into *out.  Returns the place behind it, or NULL with
 * *err filled in.  seen: one bit for each of the first 64 fields. */
static inline const char *sc_get_member(const char *s,
					const struct sc_field *field,
					size_t n_fields, uint64_t *seen,
					void *out, sc_error *err)
{
	char name[32];
	size_t i = 0;
	s = sc_get_text(s, name, sizeof name);
	if (!s || *s != ':') {
		sc_fail(err, SC_EINVAL, "malformed JSON");
		return NULL;
	}
	while (i < n_fields && strcmp(field[i].name, name))
		i++;
	uint64_t bit = i < 64 ? (uint64_t)1 << i : 0;
	if (i == n_fields || (*seen & bit)) {
		sc_fail(err, SC_EINVAL,
			i == n_fields ? "unknown '%s'" : "'%s' comes twice",
			name);
		return NULL;
	}
	*seen |= bit;
	s = sc_get_value(sc_blank(s + 1), &field[i], out);
	if (!s)
		sc_fail(err, SC_EINVAL, "'%s' is malformed", name);
	return s;
}

/* Reads one object into *out.  It is an error if a member is unknown or comes
 * twice, or if a value does not fit its field. */
static inline int32_t sc_get_object(const char *s, const struct sc_field *field,
				    size_t n_fields, void *out, sc_error *err)
{
	uint64_t seen = 0;
	s = sc_blank(s);
	if (*s != '{')
		return sc_fail(err, SC_EINVAL, "not a JSON object");
	s = sc_blank(s + 1);
	if (*s != '}') {
		s = sc_get_member(s, field, n_fields, &seen, out, err);
		while (s && *s == ',')
			s = sc_get_member(sc_blank(s + 1), field, n_fields,
					  &seen, out, err);
		if (!s)
			return SC_EINVAL;
		if (*s != '}')
			return sc_fail(err, SC_EINVAL, "malformed JSON");
	}
	if (*sc_blank(s + 1))
		return sc_fail(err, SC_EINVAL, "text after the JSON object");
	return SC_OK;
}
#endif
