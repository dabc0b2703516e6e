/* json_cursor.c -- Walks through JSON text value by value and checks its
 * grammar. */
#include "base/json/json_cursor.h"
#include <string.h>
#include "base/utf8.h"

enum { DEPTH = 512 };

static int fault(struct json_cursor *j, const char *why)
{
	if (!j->why) {
		j->why = why;
		j->at = j->s;
	}
	j->s = j->end;
	return 0;
}

static void blank(struct json_cursor *j)
{
	while (j->s < j->end && (*j->s == ' ' || *j->s == '\t' ||
				 *j->s == '\n' || *j->s == '\r'))
		j->s++;
}

/* If c is next, consumes it and returns 1. */
static int take_char(struct json_cursor *j, char c)
{
	if (j->s == j->end || *j->s != c)
		return 0;
	j->s++;
	return 1;
}

void jc_begin(struct json_cursor *j, const char *s, size_t n)
{
	*j = (struct json_cursor){.s = s, .end = s + n};
}

int jc_enter(struct json_cursor *j, char bracket)
{
	blank(j);
	if (!take_char(j, bracket))
		return fault(j, j->s == j->end   ? "not JSON: it is cut short"
				: bracket == '{' ? "'{' expected"
						 : "'[' expected");
	j->fresh = 1;
	return 1;
}

/* Consumes the comma before an item, or the closing bracket. */
static int item(struct json_cursor *j, char close)
{
	int first = j->fresh;
	j->fresh = 0;
	blank(j);
	if (take_char(j, close))
		return 0;
	if (!first && !take_char(j, ','))
		return fault(j, j->s == j->end
				    ? "not JSON: it is cut short"
				    : "not JSON: ',' or a bracket expected");
	blank(j);
	return 1;
}

int jc_element(struct json_cursor *j)
{
	return !j->why && item(j, ']');
}

int jc_key(struct json_cursor *j, struct span *key)
{
	if (j->why || !item(j, '}') || !jc_string(j, key))
		return 0;
	blank(j);
	return take_char(j, ':') || fault(j, "not JSON: ':' expected");
}

char jc_peek(struct json_cursor *j)
{
	blank(j);
	if (j->s == j->end)
		return 0;
	if ((*j->s >= '0' && *j->s <= '9') || *j->s == '-')
		return '0';
	return j->numpy && (*j->s == 'N' || *j->s == 'I') ? '0' : *j->s;
}

static int is_digit(const struct json_cursor *j)
{
	return j->s < j->end && *j->s >= '0' && *j->s <= '9';
}

static int digits(struct json_cursor *j)
{
	if (!is_digit(j))
		return fault(j, "not JSON: a digit expected");
	while (is_digit(j))
		j->s++;
	return 1;
}

static int literal(struct json_cursor *j, const char *word)
{
	size_t n = strlen(word);
	if ((size_t)(j->end - j->s) < n || memcmp(j->s, word, n))
		return fault(j, "not JSON: a value expected");
	j->s += n;
	return 1;
}

int jc_number(struct json_cursor *j, struct span *number)
{
	blank(j);
	const char *from = j->s;
	take_char(j, '-');
	if (j->numpy && j->s < j->end && (*j->s == 'N' || *j->s == 'I')) {
		*number = (struct span){from, 0};
		return literal(j, *j->s == 'N' ? "NaN" : "Infinity");
	}
	if (take_char(j, '0')) {
		if (is_digit(j))
			return fault(j, "not JSON: a number begins with 0");
	} else if (!is_digit(j)) {
		return fault(j, "a number expected");
	} else {
		digits(j);
	}
	if (take_char(j, '.') && !digits(j))
		return 0;
	if (j->s < j->end && (*j->s == 'e' || *j->s == 'E')) {
		j->s++;
		if (!take_char(j, '-'))
			take_char(j, '+');
		if (!digits(j))
			return 0;
	}
	*number = (struct span){from, (size_t)(j->s - from)};
	return 1;
}

/* Reads the four hexadecimal digits behind \u; returns -1 if they are not. */
static int hex4(struct json_cursor *j)
{
	static const char hex[] = "0123456789abcdef0123456789ABCDEF";
	int v = 0;
	for (int i = 0; i < 4; i++, j->s++) {
		const char *h =
		    j->s < j->end && *j->s ? strchr(hex, *j->s) : NULL;
		if (!h)
			return -1;
		v = 16 * v + (int)((h - hex) % 16);
	}
	return v;
}

static int escape(struct json_cursor *j)
{
	if (j->s == j->end || !*j->s || !strchr("\"\\/bfnrtu", *j->s))
		return fault(j, "not JSON: a bad escape");
	if (*j->s++ != 'u')
		return 1;
	int v = hex4(j), low = 0xdc00;
	if (v >= 0xd800 && v < 0xdc00)
		low = take_char(j, '\\') && take_char(j, 'u') ? hex4(j) : -1;
	if (v <= 0 || (v >= 0xdc00 && v < 0xe000) || low < 0xdc00 ||
	    low > 0xdfff)
		return fault(j, "not JSON: a bad escape");
	return 1;
}

int jc_string(struct json_cursor *j, struct span *string)
{
	blank(j);
	if (!take_char(j, '"'))
		return fault(j, "a string expected");
	const char *from = j->s;
	while (j->s < j->end && *j->s != '"') {
		unsigned char c = (unsigned char)*j->s;
		size_t n =
		    c >= 0x80 ? utf8_length(j->s, (size_t)(j->end - j->s)) : 1;
		if (c < 0x20 || n == 0)
			return fault(j, c < 0x20
					    ? "not JSON: a control character"
					    : "not UTF-8");
		j->s += n;
		if (c == '\\' && !escape(j))
			return 0;
	}
	*string = (struct span){from, (size_t)(j->s - from)};
	return take_char(j, '"') || fault(j, "not JSON: it is cut short");
}

size_t jc_decode(struct span string, char *to)
{
	static const char letter[] = "bfnrt", means[] = "\b\f\n\r\t";
	struct json_cursor j;
	size_t n = 0;
	jc_begin(&j, string.s, string.n);
	while (j.s < j.end) {
		int is_escaped = take_char(&j, '\\');
		char c = *j.s++;
		const char *at = is_escaped ? strchr(letter, c) : NULL;
		if (!is_escaped || c != 'u') {
			to[n++] = at ? means[at - letter] : c;
			continue;
		}
		uint32_t v = (uint32_t)hex4(&j);
		if (v >= 0xd800 && v < 0xdc00) {
			j.s += 2; /* of the low half */
			v = ((v & 0x3ff) << 10) + ((uint32_t)hex4(&j) & 0x3ff);
			v += 0x10000;
		}
		n += utf8_put(to + n, v);
	}
	return n;
}

/* Reads over a value of any kind; `depth`: how deep it may be nested. */
static int skip(struct json_cursor *j, int depth)
{
	struct span unused;
	char c = jc_peek(j);
	switch (c) {
	case '"':
		return jc_string(j, &unused);
	case '0':
		return jc_number(j, &unused);
	case 't':
		return literal(j, "true");
	case 'f':
		return literal(j, "false");
	case 'n':
		return literal(j, "null");
	case '{':
	case '[':
		break;
	default:
		return fault(j, c ? "not JSON: a value expected"
				  : "not JSON: it is cut short");
	}
	if (depth == 0)
		return fault(j, "nested too deep");
	jc_enter(j, c);
	while (c == '{' ? jc_key(j, &unused) : jc_element(j))
		skip(j, depth - 1);
	return !j->why;
}

int jc_skip(struct json_cursor *j)
{
	return skip(j, DEPTH);
}

int jc_end(struct json_cursor *j)
{
	blank(j);
	return !j->why &&
	       (j->s == j->end || fault(j, "not JSON: text after its end"));
}

int span_is(struct span a, const char *text)
{
	return strlen(text) == a.n && !memcmp(a.s, text, a.n);
}

int json_depth(const char *s, size_t n)
{
	int depth = 0, most = 0, in_string = 0;
	for (size_t i = 0; i < n; i++) {
		if (in_string && s[i] == '\\')
			i++;
		else if (s[i] == '"')
			in_string = !in_string;
		else if (!in_string && (s[i] == '{' || s[i] == '['))
			most = ++depth > most ? depth : most;
		else if (!in_string && (s[i] == '}' || s[i] == ']'))
			depth--;
	}
	return most;
}
