/* jobs/orphans.h -- adopts and ends the processes that a child left running
 * when it ended, even if it gave them a session of their own.  Needs Linux with
 * /proc/thread-self/children; without that nothing is adopted.  Must not be
 * used in a process with threads.  [main] */
#pragma once
#include <stddef.h>
#include <sys/types.h>

struct pids {
	pid_t *pid;
	size_t n, cap;
};
struct orphans {
	struct pids before; /* children that were there before and stay */
	struct pids gone; /* ended since then: their signals may still arrive */
	int was_open;     /* 1: this process was a subreaper before */
};

/* From now on orphans become children of this process. */
void orphans_open(struct orphans *o);
/* Ends every child that was not there before, except the n in `keep`. */
void orphans_end(struct orphans *o, const pid_t *keep, size_t n);
void orphans_close(struct orphans *o);
/* Returns 0 if there is no such process. */
pid_t orphans_parent_of(pid_t pid);
/* Returns 1 if pid is a child of this process that was not there before, or was
 * one that has ended since. */
int orphans_are(const struct orphans *o, pid_t pid);
/* Notes that pid, a child at work, has ended too. */
void orphans_add_gone(struct orphans *o, pid_t pid);
/* Signals from processes that have ended can no longer arrive. */
void orphans_forget_gone(struct orphans *o);
/* Returns 1 if pid, or a process that it collected, has had children and
 * collected them. */
int orphans_had_children(pid_t pid);
