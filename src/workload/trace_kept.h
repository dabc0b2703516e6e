/* workload/trace_kept.h -- a trace's rows read once and kept in memory, for
 * workloads that read the same trace again and again.
 *
 * A trace that is made of them (trace_of_kept()) gives the same rows, faults
 * and notes as the file would.  Kept rows do not change, so any number of such
 * traces may read them, also in forked processes. */
#ifndef SC_WORKLOAD_TRACE_KEPT_H
#define SC_WORKLOAD_TRACE_KEPT_H
#include "workload/trace.h"

struct trace_kept;
/* Reads t, which is at its beginning, to its end or first fault.  Of a trace
 * whose rows take more than most_bytes none are kept.  NULL: *p (out of
 * memory); a fault of the trace is kept like a row. */
struct trace_kept *trace_keep(struct trace *t, size_t most_bytes,
			      struct problem *p);
void trace_kept_free(struct trace_kept *k);
/* Bytes that its rows take; 0: none were kept. */
size_t trace_kept_bytes(const struct trace_kept *k);
/* Of all that its rows say (and of its fault), whatever the file's format. */
uint64_t trace_kept_hash(const struct trace_kept *k);
/* k, with rows, must outlive it.  NULL: out of memory. */
struct trace *trace_of_kept(const struct trace_kept *k);
#endif
