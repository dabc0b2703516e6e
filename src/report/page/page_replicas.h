/* report/page/page_replicas.h -- the replicas of each arm over time: queues, KV
 * cache, cache hits, and how many compute. */
#pragma once
#include <stdio.h>
#include "draw/plot.h"
#include "study/study.h"

enum page_replicas {
	REPLICAS_COMPUTING, /* how many compute */
	REPLICAS_QUEUE,
	REPLICAS_KV,
	REPLICAS_HITS,
};
/* Writes them for arms with several replicas, under a heading; nothing if there
 * are none.  Returns 0, or -1 with *p filled in. */
int page_replicas(FILE *f, const struct study *s, struct problem *p);
/* Draws one of them to a file: of the first arm that ran, and
 * REPLICAS_COMPUTING of all.  Returns as page_replicas(). */
int page_replicas_plot(struct plot *to, const struct study *s,
		       enum page_replicas which, struct problem *p);
