/* base/printable.h -- makes text from files, plugins and programs safe for a
 * terminal: characters that control a terminal are replaced by their code.  A
 * control character, or a byte that is not UTF-8, becomes \\x1b; a character
 * that changes the direction of writing becomes \\u202e.  Tabs stay. [one
 * thread] */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Returns 1 if a terminal shows the character, or if it is a tab. */
int printable_is(uint32_t c);
/* Writes n bytes of text to f; a newline becomes \\n. */
void printable_line(FILE *f, const char *text, size_t n);
/* The same into a buffer of `size` bytes; ends with NUL, truncated to fit. */
void printable_copy(char *to, size_t size, const char *text);
/* The same for several lines: newlines stay. */
void printable_text(FILE *f, const char *text, size_t n);
