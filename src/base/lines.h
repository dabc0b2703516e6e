/* base/lines.h -- a file line by line, without a copy of each, from any offset.
 * Memory: one block, or the longest line.  The FILE stays the caller's. */
#ifndef SC_BASE_LINES_H
#define SC_BASE_LINES_H
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Nobody writes longer ones; what has no end would fill the memory. */
enum { LINES_LONGEST_MIB = 16, LINES_LONGEST = LINES_LONGEST_MIB << 20 };

struct lines {
	FILE *f;
	char *block;
	size_t from, to, cap; /* block[from … to-1] is not handed out yet     */
	uint64_t offset;      /* of block[from] in the file                   */
	uint64_t line;        /* how many were handed out                     */
	int at_end;
};

/* 1: the next line is (*s)[0 … *n-1] with its line end, until the next call;
 * 0: the end; -1: errno; EFBIG: it is longer than LINES_LONGEST. */
int lines_next(struct lines *l, const char **s, size_t *n);
/* The next line will be that at the offset, the line-th (from 1).  0, or -1:
 * errno. */
int lines_seek(struct lines *l, uint64_t offset, uint64_t line);
void lines_free(struct lines *l);
#endif
