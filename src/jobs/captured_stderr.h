/* jobs/captured_stderr.h -- the standard error of children, each through its
 * own pipe: the beginning is kept; the rest is read and dropped, so that no
 * child waits. [the parent] */
#pragma once
#include <stddef.h>
#include <stdint.h>

enum { CAPTURED_STDERR_BYTES = 1 << 16 };

struct captured_stderr {
	int fd;     /* the end to read; -1: none */
	char *text; /* ends with NUL; NULL: nothing came */
	size_t n;
	uint64_t not_kept; /* bytes */
};
/* Returns the end for the child to write to, or -1 with errno set. */
int captured_stderr_open(struct captured_stderr *o);
/* Reads all that has arrived so far; does not wait. */
void captured_stderr_read(struct captured_stderr *o);
/* Reads for the last time and closes.  The text stays, and the caller frees
 * it. */
void captured_stderr_close(struct captured_stderr *o);
