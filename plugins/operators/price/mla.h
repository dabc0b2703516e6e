/* price/mla.h -- The price of latent attention (MLA) in one layer. */
#ifndef OPERATORS_PRICE_MLA_H
#define OPERATORS_PRICE_MLA_H
#include "price/attention.h"
#include "price/comm.h"
#include "price/gemm.h"

/* Latent attention: the module of every engine that measured it, or its core
 * with the kernels around it. */
enum { MAX_MODULES = ENGINE_OTHER, MAX_AROUND = 5 };
struct mla_call {
	double count;
	const sc_layers *like; /* the group that it was made for */
	uint32_t n_modules[2]; /* by SC_PREFILL, SC_DECODE; 0: the core */
	struct lengths module[2][MAX_MODULES];
	struct lengths core[2];
	uint32_t n_around[2];
	struct gemm around[2][MAX_AROUND];
	struct curve bmm[2];       /* decode: to the latent and back */
	struct gemm bmm_by_law[2]; /* without a table of them */
	double small_us;           /* of the core's small kernels */
	uint32_t number;           /* among the instance's */
};

/* Returns the shape of a module or a core with these heads. */
struct lengths mla_shape(struct inst *s, const struct kernels *by,
			 double heads);
int32_t mla_for(struct inst *s, const sc_layers *g, double heads,
		struct mla_call *call, sc_error *err);
/* Return the price of one layer: of `batch` sequences at a mean context, or of
 * a prompt with `tokens` new after `cached` ones. */
struct answer mla_decode_us(const struct inst *s, struct mla_call *m,
			    struct sc_logged batch, struct sc_logged len);
struct answer mla_prefill_us(const struct inst *s, struct mla_call *m,
			     double tokens, double cached);
#endif
