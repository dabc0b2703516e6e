/* base/paragraph.h -- breaks text into lines of a given width.  Columns count
 * characters of UTF-8.  [any thread] */
#pragma once
#include <stddef.h>
#include <stdio.h>

/* The width to use where the width of the screen is not known. */
enum { PARAGRAPH_COLUMNS = 100 };

/* Breaks text at blanks; blanks inside a line stay as they are.  Lines after
 * the first begin with `indent` blanks.  A word longer than a line gets its own
 * line.  Ends with a newline. */
void paragraph_write(FILE *f, const char *text, size_t columns, size_t indent);
/* The same for a format string with its arguments. */
__attribute__((format(printf, 4, 5))) void
paragraph_print(FILE *f, size_t columns, size_t indent, const char *fmt, ...);
/* Returns how many columns the first n bytes of a text take. */
size_t paragraph_columns(const char *text, size_t n);
/* Returns the width of the terminal f, or PARAGRAPH_COLUMNS if f is none. */
size_t paragraph_width(FILE *f);
