/* workload_place.h -- the keys of [workload] among themselves: where one
 * stands, for messages, and how they say a trace is to be read. */
#ifndef SC_SRC_WORKLOAD_PLACE_H
#define SC_SRC_WORKLOAD_PLACE_H
#include "base/ini.h"
#include "workload/trace.h"
#include "workload/workload.h"

/* NULL: not given. */
static inline const struct cfg_item *workload_given(const struct cfg *c,
						    const char *key)
{
	return c ? cfg_find(c, "workload", key) : NULL;
}

static inline const char *workload_at(const struct cfg *c, const char *key)
{
	const struct cfg_item *i = workload_given(c, key);
	return i ? i->at : "[workload]";
}

/* The name of its format. */
const char *workload_format(const struct workload_keys *k);
int workload_has_key(const char *section, const char *key);
/* The trace that the keys name, at that path.  input and output become the
 * lengths of [workload], where given; they must live as long as the trace. */
struct trace *workload_trace(const struct workload_keys *k, const char *path,
			     const struct cfg *c, struct distribution *input,
			     struct distribution *output, struct problem *p);
#endif
