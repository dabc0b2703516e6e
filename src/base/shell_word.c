/* shell_word.c -- Writes a word for a shell: POSIX, Shell Command Language,
 * 2.2.2 Single-Quotes.  A quote inside ends the quotes, stands escaped, and
 * begins them again. */
#include "base/shell_word.h"
#include <string.h>

static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
			    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
			    "0123456789_-+=./:,@%";

int shell_is_plain(char c)
{
	return c && strchr(plain, c);
}

void shell_word(FILE *f, const char *s)
{
	if (*s && !s[strspn(s, plain)]) {
		fputs(s, f);
		return;
	}
	fputc('\'', f);
	for (; *s; s++)
		if (*s == '\'')
			fputs("'\\''", f);
		else
			fputc(*s, f);
	fputc('\'', f);
}
