/* workload/trace/named_trace.h -- the trace that [workload] names: its path,
 * its options, and the keys that it does not use. */
#pragma once
#include "workload/distribution.h"
#include "workload/keys.h"
#include "workload/trace/trace.h"

/* Returns the path, which the caller frees, or NULL with *p filled in. */
char *named_trace_path(const struct workload_keys *k, const struct ini *c,
		       struct problem *p);
/* Opens the trace at that path as the keys say.  input and output become the
 * lengths of [workload], if given; they must live as long as the trace.
 * Returns NULL with *p filled in on an error. */
struct trace *named_trace_open(const struct workload_keys *k, const char *path,
			       const struct ini *c, struct distribution *input,
			       struct distribution *output, struct problem *p);
/* Returns why the trace does not use a key, or WORKLOAD_USED; the latter also
 * if no trace is named, or if it cannot be read. */
enum workload_unused named_trace_ignores(const struct workload_keys *k,
					 const struct ini *c, const char *key);
