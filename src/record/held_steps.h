/* record/held_steps.h -- lines of steps that wait for their results, because a
 * request may give up a token that is in flight.
 *
 * A line is written when its step has been processed, or when the run ends.
 * [one thread] */
#pragma once
#include <stdint.h>
#include <stdio.h>
#include "sim/observer.h"

struct held_step {
	uint32_t replica;
	char *before, *behind; /* the line around the cell; owned */
	uint32_t n;
	struct scheduled *scheduled; /* [n], owned */
};
/* Zeroed: none. */
struct held_steps {
	struct held_step *step; /* in order */
	uint32_t n, cap;
};
/* Writes "row:tokens;…" for the requests that get tokens. */
void held_steps_cell(FILE *f, const struct scheduled *s, uint32_t n);
/* Holds the line of the step: before, that cell, behind.  It takes over both
 * texts, also if it returns -1: memory is out. */
int held_steps_add(struct held_steps *h, const struct step_event *e,
		   char *before, char *behind);
/* Writes the oldest line of that replica. */
void held_steps_write(struct held_steps *h, const struct results_event *e,
		      FILE *f);
/* Writes all lines as they were told, and frees the memory. */
void held_steps_end(struct held_steps *h, FILE *f);
