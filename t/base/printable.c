/* What a terminal would obey is shown as its code; all else as it is. */
#include "base/printable.h"
#include "tap.h"

static const char *copy(const char *text, size_t size)
{
	static char to[100];
	printable_copy(to, size, text);
	return to;
}

static char *through(void (*put)(FILE *, const char *, size_t),
		     const char *text, size_t n)
{
	char *out = NULL;
	size_t size;
	FILE *f = open_memstream(&out, &size);
	put(f, text, n);
	fclose(f);
	return out;
}

int main(void)
{
	is(copy("plain \xc2\xb5s \xe2\x80\xa6 \xf0\x9f\x98\x80\t.", 100),
	   "plain \xc2\xb5s \xe2\x80\xa6 \xf0\x9f\x98\x80\t.", "text");
	is(copy("a\033[31mb\rc\x7f", 100), "a\\x1b[31mb\\x0dc\\x7f",
	   "controls");
	is(copy("one\ntwo", 100), "one\\ntwo", "one line");
	is(copy("\xc2\x9b"
		"31m",
		100),
	   "\\x9b31m", "controls of two bytes");
	is(copy("\x9b\xff\xc3(", 100), "\\x9b\\xff\\xc3(", "no UTF-8");
	is(copy("\xe2\x80\xaegnp.exe\xe2\x81\xa6", 100),
	   "\\u202egnp.exe\\u2066", "what turns the text around");
	is(copy("\xd8\x9c\xe2\x80\x8e\xe2\x80\x8f\xe2\x80\x8b", 100),
	   "\\u061c\\u200e\\u200f\xe2\x80\x8b", "marks that turn the text");
	is(copy("abc", 3), "ab", "cut");
	is(copy("ab\033", 5), "ab", "but not within a code");
	is(copy("a\xc2\xb5", 3), "a", "nor within a character");
	char *s = through(printable_line, "a\0b\nc", 5);
	is(s, "a\\x00b\\nc", "a line of n bytes");
	free(s);
	s = through(printable_text, "a\033\nb\n\nc\xc2", 8);
	is(s, "a\\x1b\nb\n\nc\\xc2", "lines");
	free(s);
	return done();
}
