/* study/split.h -- splits the latencies of some arms of a study into parts
 * (record/latency_parts.h), each arm in a job of its own, because its cost
 * model prices steps without prompts.  [main] */
#pragma once
#include "record/latency_parts.h"
#include "study/study.h"

/* An arm; all zero: it was not asked for. */
struct split_arm {
	const struct latency_parts *parts; /* NULL: not known */
	const char *error;                 /* the error, one line; or NULL */
};
struct split {
	const struct study *study;
	struct split_arm *arm; /* [study->n] */
	struct jobs arms;
	struct job *job; /* [n] */
	struct split_task *task;
	size_t n;
};

/* wanted: by arm, not 0 for those to split.  steps, requests: their logs, by
 * arm.  Returns -1 with *p filled in if nothing was run, or if the user
 * interrupted (arms.interrupted).  The caller calls split_free() in either
 * case. */
int split_run(struct split *s, const struct study *study, const char *wanted,
	      const struct steplog *steps, const struct steplog *requests,
	      struct problem *p);
int split_code(const struct split *s); /* the highest exit code */
void split_free(struct split *s);
