/* lines.c -- Reads a file line by line from one buffer. */
#include "base/lines.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include "base/problem.h"

enum { BLOCK = 1 << 15 };

/* Moves the unread bytes to the front and reads on.  Returns 0 or -1. */
static int fill(struct lines *l)
{
	size_t left = l->to - l->from;
	if (left)
		memmove(l->block, l->block + l->from, left);
	l->from = 0;
	l->to = left;
	if (left == l->cap) {
		size_t cap = l->cap ? 2 * l->cap : BLOCK;
		char *block = realloc(l->block, cap);
		if (!block) {
			problem_note_machine(ENOMEM);
			return -1;
		}
		l->block = block;
		l->cap = cap;
	}
	size_t got = fread(l->block + left, 1, l->cap - left, l->f);
	l->to += got;
	l->at_end = got == 0;
	if (got || !ferror(l->f))
		return 0;
	problem_note_machine(errno);
	return -1;
}

int lines_next(struct lines *l, const char **s, size_t *n)
{
	size_t searched = 0;
	const char *end = NULL;
	for (;;) {
		size_t left = l->to - l->from;
		if (left > searched)
			end = memchr(l->block + l->from + searched, '\n',
				     left - searched);
		if (end || (l->at_end && left))
			break;
		if (l->at_end)
			return 0;
		if (left > LINES_LONGEST) {
			errno = EFBIG;
			return -1;
		}
		searched = left;
		if (fill(l) < 0)
			return -1;
	}
	*s = l->block + l->from;
	*n = (end ? (size_t)(end + 1 - *s) : l->to - l->from);
	l->from += *n;
	l->offset += *n;
	l->line++;
	return 1;
}

int lines_seek(struct lines *l, uint64_t offset, uint64_t line)
{
	l->line = line - 1;
	/* Is the offset inside the block? */
	if (l->to && offset <= l->offset + (l->to - l->from) &&
	    offset + l->from >= l->offset) {
		l->from = (size_t)(offset + l->from - l->offset);
		l->offset = offset;
		return 0;
	}
	l->from = l->to = 0;
	l->offset = offset;
	l->at_end = 0;
	return fseeko(l->f, (off_t)offset, SEEK_SET);
}

void lines_free(struct lines *l)
{
	free(l->block);
	*l = (struct lines){0};
}
