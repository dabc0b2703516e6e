/* jobs/overheard.h -- what children say on standard error, each through a pipe
 * of its own: its beginning is kept, the rest is read and dropped, so that
 * nobody waits.  [the parent] */
#ifndef SC_JOBS_OVERHEARD_H
#define SC_JOBS_OVERHEARD_H
#include <stddef.h>
#include <stdint.h>

enum { OVERHEARD_BYTES = 1 << 16 };

struct overheard {
	int fd; /* to be read; -1: none                                      */
	char *text; /* ended by NUL; NULL: nothing came                      */
	size_t n;
	uint64_t not_kept; /* bytes                                          */
};
/* Returns the end that the child writes to, -1: errno. */
int overheard_open(struct overheard *o);
/* What has come meanwhile; does not wait. */
void overheard_read(struct overheard *o);
/* Reads for the last time and closes.  The text stays, to be freed. */
void overheard_close(struct overheard *o);
#endif
