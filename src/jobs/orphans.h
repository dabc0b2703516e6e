/* jobs/orphans.h -- what a child process left running when it ended, even where
 * it gave that a session of its own: adopted, and ended.  Needs Linux with
 * /proc/thread-self/children; elsewhere nothing is adopted.
 * Not to be used from a process with threads.  [main] */
#ifndef SC_JOBS_ORPHANS_H
#define SC_JOBS_ORPHANS_H
#include <stddef.h>
#include <sys/types.h>

struct pids {
	pid_t *pid;
	size_t n, cap;
};
struct orphans {
	struct pids before; /* children that are none of its business */
	struct pids gone;   /* ended since: their signals may still come */
	int was_open;       /* somebody else had opened one */
};

/* From here on orphans come to this process. */
void orphans_open(struct orphans *o);
/* Ends every child that was not there at first, but for the n of `keep`. */
void orphans_end(struct orphans *o, const pid_t *keep, size_t n);
void orphans_close(struct orphans *o);
/* 0: there is no such process. */
pid_t orphans_parent_of(pid_t pid);
/* A child of this process that was not there at first, or one that has ended
 * since. */
int orphans_are(const struct orphans *o, pid_t pid);
/* pid, a child at work, is gone, too. */
void orphans_add_gone(struct orphans *o, pid_t pid);
/* No signal of those that are gone can come any more. */
void orphans_forget_gone(struct orphans *o);
/* pid, or what it ended itself, has had children and seen them end. */
int orphans_had_children(pid_t pid);
#endif
