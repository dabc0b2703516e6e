/* price/sparse.h -- The price of attention to a chosen or compressed part of
 * the context: the whole block with its projections. */
#ifndef OPERATORS_PRICE_SPARSE_H
#define OPERATORS_PRICE_SPARSE_H
#include "price/comm.h"
#include "price/mixer.h"

struct sparse_call {
	double count;
	struct sc_sparse what;
	struct sc_mixer_key row_key;
	struct mixer module[2]; /* by SC_PREFILL, SC_DECODE */
	double most_cached;     /* tokens that a window leaves in view */
};

/* The layer is priced as a whole module. */
int sparse_is(const sc_layers *g);
/* Its fields tell what it chooses, and by which indexer. */
int sparse_is_known(const sc_layers *g);

/* The module of a layer with `heads` heads on this rank. */
int32_t sparse_for(struct inst *s, const sc_layers *g, double heads,
		   struct sparse_call *call, sc_error *err);
/* Return the price of one layer: of `batch` sequences at a mean context, or of
 * a prompt with `tokens` new after `cached` ones. */
struct answer sparse_decode_us(const struct sparse_call *c, double batch,
			       double context);
struct answer sparse_prefill_us(const struct sparse_call *c, double tokens,
				double cached);
/* Hyper-connections: before or behind a block; by kind "pre", "post". */
struct curve mhc_for(struct inst *s, const char *kind, double hidden,
		     double streams);
/* What the layer attends to in this way is DSA, MSA or CSA: SC_FAMILY_*. */
uint32_t sparse_family(const sc_layers *g);
#endif
