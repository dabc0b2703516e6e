/* stepcost/untold.h -- header-only helper for plugins: what of a layer the
 * fields of sc_layers do not tell: a cost model that goes by the fields alone
 * would misprice it in silence. */
#ifndef SC_UNTOLD_H
#define SC_UNTOLD_H
#include "stepcost/plugin.h"

/* A noun phrase for a message; NULL: the fields tell all. */
static inline const char *sc_untold(const sc_layers *g)
{
	if (!SC_HAS(g, flags))
		return NULL;
	if (g->flags & SC_LAYER_SPARSE)
		return "attention to a chosen or compressed part of the "
		       "context";
	if (g->flags & SC_LAYER_OTHER)
		return "layers with weights or work of their own kind: a gate "
		       "on attention, KV of another layer, a second FFN or "
		       "mixer, values unlike keys";
	return NULL;
}
#endif
