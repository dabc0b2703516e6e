/* base/lockfile.h -- a file that is held by one process at a time: whoever
 * holds FILE.lock, which stands beside it, may write FILE.
 *
 * The lock ends with the process, whatever ends it, and is not passed on to
 * children; FILE.lock is removed when it is let go, and may be left behind
 * otherwise.  Works on file systems that several hosts share, where these have
 * POSIX locks. */
#ifndef SC_BASE_LOCKFILE_H
#define SC_BASE_LOCKFILE_H
#include "base/problem.h"

struct lockfile {
	char *path; /* NULL: not held                                        */
	int fd;
};

/* 0, or -1 with *p (EXIT_USAGE): it cannot be made, or who holds it. */
int lockfile_take(struct lockfile *l, const char *file, struct problem *p);
/* Zeroed memory may be let go, too. */
void lockfile_release(struct lockfile *l);
#endif
