/* Lines that fit. */
#include "base/paragraph.h"
#include <stdlib.h>
#include "tap.h"

static char *broken(const char *text, size_t columns, size_t indent)
{
	static char *out;
	size_t size;
	free(out);
	out = NULL;
	FILE *f = open_memstream(&out, &size);
	paragraph_write(f, text, columns, indent);
	fclose(f);
	return out;
}

static char *printed(int n)
{
	static char *out;
	size_t size;
	free(out);
	out = NULL;
	FILE *f = open_memstream(&out, &size);
	paragraph_print(f, 8, 0, "%d sheep and %d goats", n, n + 1);
	fclose(f);
	return out;
}

int main(void)
{
	is(broken("one two three", 100, 2), "one two three\n", "a short line");
	is(broken("one two three", 7, 0), "one two\nthree\n", "just fits");
	is(broken("one two three", 6, 2), "one\n  two\n  three\n", "does not");
	is(broken("a wordthatistoolong b", 5, 1), "a\n wordthatistoolong\n b\n",
	   "a word longer than a line");
	is(broken("  one  two", 20, 0), "  one  two\n", "blanks are kept");
	is(broken("  one  two", 9, 1), "  one\n two\n",
	   "but for those at a break");
	is(broken("", 20, 4), "\n", "nothing");
	is(broken("\u00b1\u00b1\u00b1 x", 5, 0), "\u00b1\u00b1\u00b1 x\n",
	   "a character is a column");
	is(printed(3), "3 sheep\nand 4\ngoats\n", "what is printed");
	ok(paragraph_columns("a\u00b1bc", 4) == 3, "columns, not bytes");
	FILE *f = tmpfile();
	ok(f && paragraph_width(f) == PARAGRAPH_COLUMNS,
	   "a file is as wide as agreed");
	if (f)
		fclose(f);
	return done();
}
