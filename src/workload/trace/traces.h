/* workload/trace/traces.h -- traces that several workloads read: each is parsed
 * once and kept while there is room.  A process that forks reads them before,
 * so that all its children share them.
 *
 * Zeroed means empty; workload_read_trace() fills it (workload.h). */
#pragma once
#include "workload/keys.h"
#include "workload/trace/trace_cached.h"

/* Limit for the rows of all traces; further traces are read from their
 * files. */
#define TRACES_MOST_BYTES ((size_t)1 << 30)

struct traces {
	struct traces_item *item;
	size_t n, bytes;
};

/* Returns the trace at that path, read as the keys say; NULL: it is not
 * kept. */
const struct trace_cached *traces_find(const struct traces *s,
				       const struct workload_keys *k,
				       const char *path);
/* Reads the trace from t, which is at its beginning and stays the caller's.
 * Returns the trace as it is kept, or NULL with *p filled in. */
const struct trace_cached *traces_add(struct traces *s,
				      const struct workload_keys *k,
				      const char *path, struct trace *t,
				      struct problem *p);
void traces_free(struct traces *s);
