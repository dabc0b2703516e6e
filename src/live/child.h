/* live/child.h -- the process of an arm: it simulates what it is told, as far
 * as it is told, and tells what happens.  Its output is a function of the
 * requests, cancels and resets, and not of when it was advanced. */
#ifndef SC_LIVE_CHILD_H
#define SC_LIVE_CHILD_H
#include <stdio.h>
#include "arm/configuration.h"
#include "jobs/status.h"

/* Memory that the child shares with the server. */
struct live_slot {
	struct job_status status;
	struct problem problem;            /* EXIT_DONE: none */
	int done;                          /* 1: it ended as it was told to */
	_Alignas(64) unsigned char step[]; /* step memory */
};
struct live_start {
	const struct config *config;
	size_t arm;
	struct live_slot *slot;
	size_t step_bytes;
	int fd;         /* the child's end of the socket */
	FILE *requests; /* rows of --write-requests; NULL: not wanted */
	FILE *said;     /* remarks of the cost model, a line each */
	int tells;      /* 1: tokens and requests are told, not only loads */
};
/* The main function of the child; user: a struct live_start. */
void live_child(void *user);
#endif
