/* workload/trace/trace_cached.h -- the rows of a trace, read once and kept in
 * memory, for workloads that read the same trace repeatedly.
 *
 * A trace that is made from them (trace_of_cached()) gives the same rows,
 * errors and notes as the file.  Kept rows do not change, so any number of such
 * traces may read them, also in forked processes. */
#pragma once
#include "workload/trace/trace.h"

struct trace_cached;
/* Reads t from its beginning to its end or its first error.  Keeps no rows if
 * they take more than most_bytes.  Returns NULL with *p filled in if memory is
 * out; an error in the trace is kept like a row. */
struct trace_cached *trace_keep(struct trace *t, size_t most_bytes,
				struct problem *p);
void trace_cached_free(struct trace_cached *k);
/* Returns the bytes of its rows; 0: none were kept. */
size_t trace_cached_bytes(const struct trace_cached *k);
/* Hashes all content of its rows, its error, its notes and its resets of a
 * prefix cache; the format of the file does not matter. */
uint64_t trace_cached_hash(const struct trace_cached *k);
/* k must have rows and must outlive the trace.  Returns NULL if memory is
 * out. */
struct trace *trace_of_cached(const struct trace_cached *k);
