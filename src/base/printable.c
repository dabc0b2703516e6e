/* printable.c -- Replaces characters that control a terminal. */
#include "base/printable.h"
#include <string.h>
#include "base/utf8.h"

static int turns_text(uint32_t c)
{
	return c == 0x61c || c == 0x200e || c == 0x200f ||
	       (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

int printable_is(uint32_t c)
{
	return (c >= 0x20 || c == '\t') && !(c >= 0x7f && c < 0xa0) &&
	       !turns_text(c);
}

/* Returns how to show the character at s (n bytes left): NULL as it is, else a
 * text, perhaps in `shown`.  *used is the length of the character in bytes. */
static const char *shown_as(const char *s, size_t n, char shown[8],
			    size_t *used)
{
	*used = utf8_length(s, n);
	uint32_t c = *used ? utf8_value(s, *used) : (unsigned char)*s;
	if (*used && printable_is(c))
		return NULL;
	if (*used == 0)
		*used = 1;
	if (c == '\n')
		return "\\n";
	snprintf(shown, 8, c < 0x100 ? "\\x%02x" : "\\u%04x", (unsigned)c);
	return shown;
}

void printable_line(FILE *f, const char *text, size_t n)
{
	char as[8];
	for (size_t used; n > 0; text += used, n -= used) {
		const char *shown = shown_as(text, n, as, &used);
		if (shown)
			fputs(shown, f);
		else
			fwrite(text, 1, used, f);
	}
}

void printable_copy(char *to, size_t size, const char *text)
{
	char as[8];
	size_t n = strlen(text), used;
	for (; n > 0; text += used, n -= used) {
		const char *shown = shown_as(text, n, as, &used);
		size_t length = shown ? strlen(shown) : used;
		if (length >= size)
			break;
		memcpy(to, shown ? shown : text, length);
		to += length;
		size -= length;
	}
	*to = '\0';
}

void printable_text(FILE *f, const char *text, size_t n)
{
	const char *end;
	while ((end = memchr(text, '\n', n))) {
		printable_line(f, text, (size_t)(end - text));
		putc('\n', f);
		n -= (size_t)(end + 1 - text);
		text = end + 1;
	}
	printable_line(f, text, n);
}
