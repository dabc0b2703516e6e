/* stepcost/kernel/mla.h -- header-only helper for plugins: the work of
 * multi-head latent attention (MLA) in one layer on one rank.  Decode reads the
 * cache of 512 latent and 64 rope elements per token, which all heads share
 * (absorbed projections); prefill computes heads of width 192 (128 + 64) and
 * 128 as usual.
 *
 * The widths are those of DeepSeek-V3, because the measured modules are its
 * block; the core is the same for every model with this cache. */
#ifndef SC_MLA_H
#define SC_MLA_H

#define SC_MLA_HIDDEN 7168.
#define SC_MLA_Q_RANK 1536.
#define SC_MLA_CACHE 576.  /* elements per token in the cache */
#define SC_MLA_LATENT 512. /* the part that values are made from */
#define SC_MLA_QK 192.     /* width of a query head */
#define SC_MLA_V 128.      /* width of a value head */

/* Weights of the whole block with `heads` heads on this rank: both projections
 * of the query, the joint latent, keys and values, output. */
static inline double sc_mla_weights(double heads)
{
	return SC_MLA_HIDDEN * SC_MLA_Q_RANK +
	       SC_MLA_Q_RANK * SC_MLA_QK * heads +
	       SC_MLA_HIDDEN * SC_MLA_CACHE +
	       2 * SC_MLA_V * SC_MLA_LATENT * heads +
	       SC_MLA_V * SC_MLA_HIDDEN * heads;
}

/* FLOP of `batch` sequences that decode one token at `context`. */
static inline double sc_mla_decode_flops(double heads, double batch,
					 double context)
{
	return 2 * heads * batch * context * (SC_MLA_CACHE + SC_MLA_LATENT);
}

/* FLOP of `batch` causal prompts of s tokens. */
static inline double sc_mla_prefill_flops(double heads, double batch, double s)
{
	return 2 * heads * (SC_MLA_QK + SC_MLA_V) * batch * s * s / 2;
}

/* Bytes of these prompts in 16 bit: queries, keys, values and outputs. */
static inline double sc_mla_prefill_bytes(double heads, double batch, double s)
{
	return 2 * batch * s * heads * 2 * (SC_MLA_QK + SC_MLA_V);
}
#endif
