/* engine/count.h -- a key that is text and may be a count.  [any thread] */
#pragma once
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

/* 0 and *n, or -1: the text is no whole number, or has anything beside it. */
static inline int count_read(uint64_t *n, const char *text)
{
	if (text[0] < '0' || text[0] > '9')
		return -1;
	char *end;
	errno = 0;
	unsigned long long v = strtoull(text, &end, 10);
	if (errno || *end)
		return -1;
	*n = v;
	return 0;
}
