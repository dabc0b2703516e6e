/* live/child.h -- the process of an arm: it simulates what it is told, as far
 * as it is told, and tells what happens.  Its output is a function of the
 * requests, cancels and resets, and not of when it was advanced. */
#pragma once
#include "arm/process.h"

/* Memory that the child shares with the server. */
struct live_slot {
	struct arm_slot begin;
	_Alignas(64) unsigned char step[]; /* step memory */
};
/* The user of its arm_process. */
struct live_start {
	size_t step_bytes;
	/* rows of --write-requests, --write-steps; NULL: not wanted */
	FILE *requests, *steps;
	uint32_t longest_item; /* tokens; 0: no items */
	int tells_blocks;
};
/* The work of the child; ctx: its arm_process. */
int live_child(struct job *j, struct arm *a, void *ctx, struct problem *p);
