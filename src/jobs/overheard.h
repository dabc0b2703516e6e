/* jobs/overheard.h -- the standard error of children, each through its own
 * pipe: the beginning is kept; the rest is read and dropped, so that no child
 * waits. [the parent] */
#ifndef SC_JOBS_OVERHEARD_H
#define SC_JOBS_OVERHEARD_H
#include <stddef.h>
#include <stdint.h>

enum { OVERHEARD_BYTES = 1 << 16 };

struct overheard {
	int fd;     /* the end to read; -1: none */
	char *text; /* ends with NUL; NULL: nothing came */
	size_t n;
	uint64_t not_kept; /* bytes */
};
/* Returns the end for the child to write to, or -1 with errno set. */
int overheard_open(struct overheard *o);
/* Reads all that has arrived so far; does not wait. */
void overheard_read(struct overheard *o);
/* Reads for the last time and closes.  The text stays, and the caller frees
 * it. */
void overheard_close(struct overheard *o);
#endif
