/* record/busy.h -- when the steps of each clock of a run were on the GPU, and
 * when those with prompts were.  Where steps overlap (pipelines), the earlier
 * one counts.  ns; [one thread]. */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include "base/problem.h"
#include "record/steplog.h"

struct engine;       /* engine/engine.h */
struct busy_stretch; /* of steps with prompts, one after the other */
struct busy_clock {
	struct busy_stretch *stretch; /* owned */
	size_t n, room;
	int64_t end_ns; /* of the last step of any kind */
};
struct busy {
	struct busy_clock *clock; /* by number of the clock; owned */
	uint32_t n;
};

/* Reads the log of a run.  Returns 0, or -1 with *p filled in if memory is out;
 * the caller calls busy_free() in either case. */
int busy_read(struct busy *b, const struct engine *e, const struct steplog *l,
	      struct problem *p);
/* Returns how much of [from, to) steps with prompts took. */
int64_t busy_with_prompts(const struct busy *b, uint32_t clock, int64_t from_ns,
			  int64_t to_ns);
void busy_free(struct busy *b);
