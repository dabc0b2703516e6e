/* workload/traces.h -- the traces that workload after workload reads: each is
 * parsed once, and kept while there is room.  Whoever forks has read them
 * before, and all processes share them.
 *
 * Zeroed is empty; filled by workload_read_trace() (workload.h). */
#ifndef SC_WORKLOAD_TRACES_H
#define SC_WORKLOAD_TRACES_H
#include "workload/keys.h"
#include "workload/trace_kept.h"

/* Rows of all traces together; what is beyond is read from its file. */
#define TRACES_MOST_BYTES ((size_t)1 << 30)

struct traces {
	struct traces_item *item;
	size_t n, bytes;
};

/* The trace at that path, as the keys want it read.  NULL: not there. */
const struct trace_kept *traces_find(const struct traces *s,
				     const struct workload_keys *k,
				     const char *path);
/* Reads it from t, which is at its beginning and stays the caller's.  0, or -1
 * with *p. */
int traces_add(struct traces *s, const struct workload_keys *k,
	       const char *path, struct trace *t, struct problem *p);
void traces_free(struct traces *s);
#endif
