/* workload_place.h -- where a key of [workload] stands, for messages. */
#ifndef SC_SRC_WORKLOAD_PLACE_H
#define SC_SRC_WORKLOAD_PLACE_H
#include "settings.h"

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
#endif
