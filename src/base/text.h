/* base/text.h -- a text in memory, written like a file.  open_memstream() of
 * the C library loses bytes in silence when memory runs out; these keep what
 * they have, fail in fclose(), and note it (problem_machine_failed()). */
#pragma once
#include <stdio.h>

/* After fflush() or fclose() *text has the *size bytes that were written, and a
 * 0 behind them; it is never NULL, and the caller frees it after fclose().
 * Returns NULL without memory: then *text is NULL. */
FILE *text_open(char **text, size_t *size);

/* The same for a text that one function writes; it must not be moved. */
struct text {
	FILE *f;
	char *s;
	size_t n;
};
/* Returns t->f, or NULL without memory. */
FILE *text_begin(struct text *t);
/* Closes t->f.  Returns the text, which the caller frees.  NULL: t->f is NULL,
 * or memory ran out, and there is nothing to free. */
char *text_end(struct text *t);
