/* base/printable.h -- text from files, plugins and programs made fit for a
 * terminal: what could command it stands there as its code.  A control
 * character, or a byte that is not UTF-8, becomes \\x1b; one that changes the
 * direction of writing, \\u202e.  Tabs stay.  [one thread] */
#ifndef SC_BASE_PRINTABLE_H
#define SC_BASE_PRINTABLE_H
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A character that a terminal shows, or a tab. */
int printable_is(uint32_t c);
/* n bytes of a text to f; a newline becomes \\n. */
void printable_line(FILE *f, const char *text, size_t n);
/* The same into size bytes, ended by NUL and cut where it does not fit. */
void printable_copy(char *to, size_t size, const char *text);
/* The same of several lines: newlines stay. */
void printable_text(FILE *f, const char *text, size_t n);
#endif
