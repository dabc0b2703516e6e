/* stepcost/kernel/unsupported.h -- header-only helper for plugins: refuses
 * layers that the fields of sc_layers do not describe fully.  A cost model that
 * reads these fields alone would misprice such layers without a warning. */
#ifndef SC_KERNEL_UNSUPPORTED_H
#define SC_KERNEL_UNSUPPORTED_H
#include "stepcost/plugin.h"

/* Returns the layer that no table and no law prices, a noun phrase for a
 * message; NULL: there may be one.  Such a layer is of no use to any cost model
 * here. */
static inline const char *sc_unpriced(const sc_layers *g)
{
	if (!SC_HAS(g, state_bits))
		return g->attention == SC_ATTN_LINEAR
			   ? "linear or state-space attention"
			   : NULL;
	if (g->attention != SC_ATTN_LINEAR)
		return g->linear_kind ? "attention and a state space at once"
				      : NULL;
	switch (g->linear_kind) {
	case SC_LINEAR_GDN:
	case SC_LINEAR_KDA:
	case SC_LINEAR_MAMBA2:
		return NULL;
	case SC_LINEAR_MAMBA1:
		return "Mamba-1";
	case SC_LINEAR_LIGHTNING:
		return "lightning attention";
	case SC_LINEAR_SHORT_CONV:
		return "short convolutions";
	default:
		return "linear attention of another kind";
	}
}

/* Returns 1 if no table here has the layer's kernels. */
static inline int sc_priced_nowhere(const sc_layers *g)
{
	int other = SC_HAS(g, flags) && (g->flags & SC_LAYER_OTHER) != 0;
	if (SC_HAS(g, o_lora_rank) && g->o_lora_rank)
		other = 0; /* further fields tell of DeepSeek-V4's layers */
	return other || sc_unpriced(g);
}

/* Returns the end of a refusal: where else a model is priced. */
static inline const char *sc_elsewhere(const sc_model *m)
{
	for (uint32_t i = 0; i < m->n_groups; i++)
		if (sc_priced_nowhere(m->group[i]))
			return "no table has its kernels";
	return "use plugin = operators";
}

/* Returns what the fields do not tell, a noun phrase for a message; NULL: they
 * tell all. */
static inline const char *sc_unsupported(const sc_layers *g)
{
	if (!SC_HAS(g, flags))
		return NULL;
	if (g->flags & SC_LAYER_SPARSE)
		return "attention to a chosen or compressed part of the "
		       "context";
	if (g->flags & SC_LAYER_OUTPUT_GATE)
		return "a gate on the output of attention";
	if (g->flags & SC_LAYER_OTHER)
		return "weights or work of a special kind";
	return NULL;
}
#endif
