/* base/lines.h -- reads a file line by line, from any offset, without copying
 * lines.  It needs memory for one block, or for the longest line.  The caller
 * keeps the FILE. */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* No real file has longer lines; a line without an end would fill the
 * memory. */
enum { LINES_LONGEST_MIB = 16, LINES_LONGEST = LINES_LONGEST_MIB << 20 };

struct lines {
	FILE *f;
	char *block;
	size_t from, to, cap; /* block[from … to-1] is not read yet */
	uint64_t offset;      /* offset of block[from] in the file */
	uint64_t line;        /* number of lines returned so far */
	int at_end;
};

/* Returns 1 with the next line in (*s)[0 … *n-1], line end included, valid
 * until the next call.  Returns 0 at the end of the file, or -1 with errno set;
 * EFBIG: the line is longer than LINES_LONGEST. */
int lines_next(struct lines *l, const char **s, size_t *n);
/* Makes the line at `offset`, which has the number `line` (from 1), the next
 * one.  Returns 0, or -1 with errno set. */
int lines_seek(struct lines *l, uint64_t offset, uint64_t line);
void lines_free(struct lines *l);
