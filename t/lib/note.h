/* note.h -- what a simulation tells, as text that a test compares.  The test
 * sets log_length to 0 before it begins. */
#ifndef T_NOTE_H
#define T_NOTE_H
#include <stdarg.h>
#include <stdio.h>

static char log_text[4000];
static size_t log_length;

__attribute__((format(printf, 1, 2))) static void note(const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	int n = vsnprintf(log_text + log_length, sizeof log_text - log_length,
			  fmt, ap);
	va_end(ap);
	log_length += (size_t)n;
}
#endif
