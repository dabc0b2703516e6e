/* stepcost/untold.h -- header-only helper for plugins: refuses layers that the
 * fields of sc_layers do not describe fully.  A cost model that reads these
 * fields alone would misprice such layers without a warning. */
#ifndef SC_UNTOLD_H
#define SC_UNTOLD_H
#include "stepcost/plugin.h"

/* Returns what the fields do not tell, a noun phrase for a message; NULL: they
 * tell all. */
static inline const char *sc_untold(const sc_layers *g)
{
	if (!SC_HAS(g, flags))
		return NULL;
	if (g->flags & SC_LAYER_SPARSE)
		return "attention to a chosen or compressed part of the "
		       "context";
	if (g->flags & SC_LAYER_OUTPUT_GATE)
		return "a gate on the output of attention";
	if (g->flags & SC_LAYER_OTHER)
		return "weights or work of a special kind: a gate on "
		       "attention, KV of another layer, a second FFN or mixer, "
		       "or values unlike keys";
	return NULL;
}
#endif
