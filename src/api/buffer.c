/* buffer.c -- Appends to texts. */
#include "api/buffer.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int buffer_room(struct buffer *b, size_t more)
{
	if (b->n + more + 1 <= b->cap)
		return 0;
	size_t cap = 2 * (b->n + more) + 256;
	char *s = realloc(b->s, cap);
	if (!s) {
		b->out_of_memory = 1;
		return -1;
	}
	b->s = s;
	b->cap = cap;
	return 0;
}

void buffer_drop(struct buffer *b, size_t n)
{
	b->n -= n;
	if (n && b->n)
		memmove(b->s, b->s + n, b->n);
}

void buffer_add(struct buffer *b, const void *s, size_t n)
{
	if (buffer_room(b, n) < 0)
		return;
	if (n)
		memcpy(b->s + b->n, s, n);
	b->n += n;
	b->s[b->n] = '\0';
}

void buffer_say(struct buffer *b, const char *fmt, ...)
{
	char text[512];
	va_list ap;
	va_start(ap, fmt);
	int n = vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	if (n < 0)
		return;
	if ((size_t)n < sizeof text) {
		buffer_add(b, text, (size_t)n);
		return;
	}
	if (buffer_room(b, (size_t)n) < 0)
		return;
	va_start(ap, fmt);
	vsnprintf(b->s + b->n, (size_t)n + 1, fmt, ap);
	va_end(ap);
	b->n += (size_t)n;
}

void buffer_json(struct buffer *b, const char *s, size_t n)
{
	static const char letter[] = "\"\\\n\r\t\b\f";
	static const char escaped[] = "\"\\nrtbf";
	if (!s) {
		buffer_add(b, "null", 4);
		return;
	}
	buffer_add(b, "\"", 1);
	for (size_t i = 0, from = 0; i <= n; i++) {
		unsigned char c = i < n ? (unsigned char)s[i] : '"';
		const char *at = c ? strchr(letter, c) : NULL;
		if (i < n && c >= 0x20 && !at)
			continue;
		buffer_add(b, s + from, i - from);
		from = i + 1;
		if (i < n && at)
			buffer_say(b, "\\%c", escaped[at - letter]);
		else if (i < n)
			buffer_say(b, "\\u%04x", c);
	}
	buffer_add(b, "\"", 1);
}

void buffer_free(struct buffer *b)
{
	free(b->s);
	*b = (struct buffer){0};
}
