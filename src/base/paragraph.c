/* paragraph.c -- Breaks text into lines. */
#include "base/paragraph.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Narrower text is unreadable. */
enum { LEAST_COLUMNS = 40 };

/* Counts the bytes that do not continue a character. */
size_t paragraph_columns(const char *text, size_t n)
{
	size_t columns = 0;
	for (size_t i = 0; i < n; i++)
		columns += ((unsigned char)text[i] & 0xc0) != 0x80;
	return columns;
}

void paragraph_write(FILE *f, const char *text, size_t columns, size_t indent)
{
	size_t at = 0;
	for (int is_first = 1; *text; is_first = 0) {
		size_t blanks = strspn(text, " ");
		size_t n = strcspn(text + blanks, " ");
		size_t wide = paragraph_columns(text + blanks, n);
		if (!is_first && at + blanks + wide > columns) {
			fputc('\n', f);
			at = 0;
		}
		size_t before = at || is_first ? blanks : indent;
		fprintf(f, "%*s%.*s", (int)before, "", (int)n, text + blanks);
		at += before + wide;
		text += blanks + n;
	}
	fputc('\n', f);
}

void paragraph_print(FILE *f, size_t columns, size_t indent, const char *fmt,
		     ...)
{
	char *text;
	va_list ap;
	va_start(ap, fmt);
	int n = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (n < 0)
		return;
	paragraph_write(f, text, columns, indent);
	free(text);
}

size_t paragraph_width(FILE *f)
{
	struct winsize size;
	int fd = fileno(f);
	if (fd < 0 || !isatty(fd) || ioctl(fd, TIOCGWINSZ, &size) < 0 ||
	    size.ws_col == 0)
		return PARAGRAPH_COLUMNS;
	return size.ws_col < LEAST_COLUMNS ? LEAST_COLUMNS : size.ws_col;
}
