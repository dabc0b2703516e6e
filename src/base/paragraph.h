/* base/paragraph.h -- text broken into lines that fit a width.  Columns are
 * counted in characters of UTF-8.  [any thread] */
#ifndef SC_BASE_PARAGRAPH_H
#define SC_BASE_PARAGRAPH_H
#include <stddef.h>
#include <stdio.h>

/* Where nobody knows how wide the reader's screen is. */
enum { PARAGRAPH_COLUMNS = 100 };

/* Broken at blanks, of which those that stay are kept; lines after the first
 * begin with `indent` blanks.  A word
 * that is longer than a line stands alone.  Ends with a newline. */
void paragraph_write(FILE *f, const char *text, size_t columns, size_t indent);
/* The same of what is printed. */
__attribute__((format(printf, 4, 5))) void
paragraph_print(FILE *f, size_t columns, size_t indent, const char *fmt, ...);
/* How many columns text takes. */
size_t paragraph_columns(const char *text);
/* Those of the terminal that f is; PARAGRAPH_COLUMNS, if it is none. */
size_t paragraph_width(FILE *f);
#endif
