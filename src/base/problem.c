/* problem.c -- Formats the one line that tells what went wrong. */
#include <config.h>
#include "base/problem.h"
#include <stdarg.h>
#include <stdio.h>

int problem_set(struct problem *p, int code, const char *fmt, ...)
{
	if (p) {
		va_list ap;
		va_start(ap, fmt);
		vsnprintf(p->text, sizeof p->text, fmt, ap);
		va_end(ap);
		p->code = code;
	}
	return -1;
}
