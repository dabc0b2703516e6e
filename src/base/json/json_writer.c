/* json_writer.c -- Writes JSON with its indentation, commas and escapes.  It
 * writes a few characters at a time to a FILE that only one thread uses, so it
 * skips the lock of the FILE. */
#include "base/json/json_writer.h"
#include <assert.h>
#include <math.h>
#include <string.h>
#include "base/number.h"
#include "base/printable.h"
#include "base/utf8.h"

/* Returns 1 if a character of n bytes needs no escape.  n is 0 for a byte that
 * is no character. */
static int is_plain(const char *s, size_t n)
{
	return n && *s != '"' && *s != '\\' && *s != '\t' &&
	       printable_is(utf8_value(s, n));
}

static void escape_value(FILE *f, unsigned v)
{
	if (v < 0x10000)
		fprintf(f, "\\u%04x", v);
	else
		fprintf(f, "\\u%04x\\u%04x", 0xd7c0 + (v >> 10),
			0xdc00 | (v & 0x3ff));
}

static void escape(FILE *f, const char *s, size_t n)
{
	if (n == 0)
		fputs_unlocked("\\ufffd", f);
	else if (*s == '"' || *s == '\\')
		fprintf(f, "\\%c", *s);
	else if (*s == '\n')
		fputs_unlocked("\\n", f);
	else if (*s == '\t')
		fputs_unlocked("\\t", f);
	else
		escape_value(f, utf8_value(s, n));
}

/* Returns where the plain ASCII at the start of s ends; nearly every text is
 * plain ASCII to its end. */
static const char *behind_ascii(const char *s)
{
	while (*s >= ' ' && *s <= '~' && *s != '"' && *s != '\\')
		s++;
	return s;
}

/* Writes a JSON string with its quotes. */
static void quote(FILE *f, const char *text)
{
	const char *plain = text; /* from here on nothing needs an escape */
	putc_unlocked('"', f);
	for (const char *s = text; *(s = behind_ascii(s));) {
		/* utf8_length() does not read beyond a NUL. */
		size_t n = utf8_length(s, 4);
		const char *next = s + (n ? n : 1);
		if (!is_plain(s, n)) {
			fwrite_unlocked(plain, 1, (size_t)(s - plain), f);
			escape(f, s, n);
			plain = next;
		}
		s = next;
	}
	fputs_unlocked(plain, f);
	putc_unlocked('"', f);
}

static void new_line(struct jw *j)
{
	putc_unlocked('\n', j->f);
	for (int i = 0; i < j->depth; i++)
		fputs_unlocked("  ", j->f);
}

/* Writes what precedes a value: comma, line break or blank, key. */
static void begin(struct jw *j, const char *key)
{
	if (j->used[j->depth])
		putc_unlocked(',', j->f);
	if (j->flat) {
		if (j->used[j->depth])
			putc_unlocked(' ', j->f);
	} else if (j->depth) {
		new_line(j);
	}
	j->used[j->depth] = 1;
	if (key) {
		quote(j->f, key);
		fputs_unlocked(": ", j->f);
	}
}

static void open_with(struct jw *j, const char *key, char first, char last)
{
	assert(j->depth < JW_MAX_DEPTH);
	begin(j, key);
	putc_unlocked(first, j->f);
	j->close[j->depth++] = last;
	j->used[j->depth] = 0;
}

void jw_start(struct jw *j, FILE *f)
{
	*j = (struct jw){.f = f};
}

void jw_continue(struct jw *j, FILE *f)
{
	*j = (struct jw){.f = f, .depth = 1, .close = "}", .used = {1, 1}};
}

void jw_object(struct jw *j, const char *key)
{
	open_with(j, key, '{', '}');
}

void jw_array(struct jw *j, const char *key)
{
	open_with(j, key, '[', ']');
}

void jw_flat_object(struct jw *j, const char *key)
{
	jw_object(j, key);
	if (!j->flat)
		j->flat = j->depth;
}

void jw_flat_array(struct jw *j, const char *key)
{
	jw_array(j, key);
	if (!j->flat)
		j->flat = j->depth;
}

void jw_end(struct jw *j)
{
	assert(j->depth > 0);
	int on_its_line = j->flat == 0 && j->used[j->depth];
	if (j->flat == j->depth)
		j->flat = 0;
	j->depth--;
	if (on_its_line)
		new_line(j);
	putc_unlocked(j->close[j->depth], j->f);
}

struct jw jw_document(FILE *f)
{
	struct jw j;
	jw_start(&j, f);
	jw_object(&j, NULL);
	return j;
}

void jw_finish(struct jw *j)
{
	while (j->depth > 0)
		jw_end(j);
	putc_unlocked('\n', j->f);
}

void jw_text(struct jw *j, const char *key, const char *s)
{
	begin(j, key);
	if (s)
		quote(j->f, s);
	else
		fputs_unlocked("null", j->f);
}

void jw_int(struct jw *j, const char *key, int64_t v)
{
	begin(j, key);
	if (v < 0)
		putc_unlocked('-', j->f);
	number_write(j->f, v < 0 ? -(uint64_t)v : (uint64_t)v);
}

void jw_uint(struct jw *j, const char *key, uint64_t v)
{
	begin(j, key);
	number_write(j->f, v);
}

void jw_number(struct jw *j, const char *key, double v)
{
	char s[NUMBER_SIZE];
	begin(j, key);
	if (isfinite(v))
		fwrite_unlocked(s, 1, (size_t)number_format(s, v), j->f);
	else
		fputs_unlocked("null", j->f);
}

void jw_bool(struct jw *j, const char *key, int v)
{
	begin(j, key);
	fputs_unlocked(v ? "true" : "false", j->f);
}

void jw_null(struct jw *j, const char *key)
{
	jw_text(j, key, NULL);
}

void jw_literal(struct jw *j, const char *key, const char *json)
{
	begin(j, key);
	fputs_unlocked(json, j->f);
}
