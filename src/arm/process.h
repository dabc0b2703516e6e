/* arm/process.h -- an arm that works in a child process and talks with its
 * parent over a socket: a plugin that crashes or hangs ends its arm alone, with
 * one line that says how.  [main] */
#pragma once
#include <stdio.h>
#include "arm/run.h"
#include "jobs/child.h"

/* The beginning of the memory that both share. */
struct arm_slot {
	struct job_status status;
	struct problem problem; /* why it ended; EXIT_DONE: not said */
	int done;               /* 1: it ended as it was told to */
};
/* Zero it before its start. */
struct arm_process {
	/* Set by the caller; it outlives the process.  shown_at: memory from
	 * there to the end of the slot explains a crash (failure_line()). */
	const struct config *config;
	size_t arm;
	size_t slot_bytes, shown_at;
	int keep[2]; /* further descriptors that it keeps; 0: none */
	/* The work, in the child; its ctx is the arm_process. */
	int (*work)(struct job *j, struct arm *a, void *ctx, struct problem *p);
	void *user;
	/* Read by the caller: */
	const char *name;
	struct arm_slot *slot; /* [slot_bytes] zeroed at the start */
	int fd;                /* this process's end; -1: closed */
	/* Remarks of the cost model, a line each.  The work flushes them before
	 * it answers. */
	FILE *said;
	int is_dead;
	char *failure; /* the one line; NULL: none */
	int code;      /* exit code of it */
	int child_fd;  /* the child's end, in the child */
};
/* Starts it as child k, and makes a the user of k.  Returns 0, or -1 with *p
 * filled in; the caller calls arm_process_close() in either case. */
int arm_process_start(struct arm_process *a, struct children *c,
		      struct child *k, struct problem *p);
/* Gives each remark to the caller, without its newline. */
void arm_process_remarks(const struct arm_process *a,
			 void (*to)(void *user, const char *line), void *user);
/* The `ended` of its struct children. */
void arm_process_ended(void *user, struct child *k);
/* After children_close(). */
void arm_process_close(struct arm_process *a, struct child *k);
