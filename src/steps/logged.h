/* steps/logged.h -- the steps that an engine tells while it serves, as a file
 * of measured steps (cost/steps.h):
 * - forward-pass metrics of Dynamo and vLLM: JSON objects with `wall_time` and
 *   `scheduled_requests`, alone, in lines, or within other documents
 *   (ai-dynamo/dynamo @ 327e70f4
 *   components/src/dynamo/common/forward_pass_metrics.py);
 * - vLLM's log with --enable-logging-iteration-details ("Iteration(7): ...").
 *
 * They tell sums over the requests of a step, which are divided evenly, so that
 * the sums stay: composition = mean, except where one request is all of them.
 * [any thread] */
#pragma once
#include <stdint.h>
#include <stdio.h>
#include "base/problem.h"

struct logged {
	/* Mean context of decodes where the log tells none; 0: by the use of
	 * the KV cache, if the log tells it. */
	double context_tokens;
	uint64_t n, idle, waited; /* rows written; left out as idle; flagged */
};

/* Writes the rows of a text.  origin: for messages.  Returns 0, or -1 with *p
 * filled in (EXIT_INPUT). */
int logged_write(struct logged *l, const char *text, size_t n,
		 const char *origin, FILE *f, struct problem *p);
