/* base/file/lockfile.h -- a file that one process at a time may write: the
 * process that holds the lock FILE.lock, beside FILE, may write FILE.
 *
 * The lock ends with the process, however the process ends, and children do not
 * inherit it.  Releasing the lock removes FILE.lock; a process that is killed
 * leaves it behind, which does no harm.  Works on shared file systems that
 * support POSIX locks. */
#pragma once
#include "base/problem.h"

struct lockfile {
	char *path; /* NULL: not held */
	int fd;
};

/* Returns 0, or -1 with *p filled in (EXIT_USAGE): the lock file cannot be
 * made, or who holds it. */
int lockfile_take(struct lockfile *l, const char *file, struct problem *p);
/* Returns 1 if another process holds the lock of a file.  Not for a process
 * that holds it, which would lose it. */
int lockfile_is_held(const char *file);
/* Releases the lock; a zeroed struct holds none and may be passed. */
void lockfile_release(struct lockfile *l);
