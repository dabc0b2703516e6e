/* choose/formats.h -- The words of tables for the formats of a layer. */
#ifndef OPERATORS_CHOOSE_FORMATS_H
#define OPERATORS_CHOOSE_FORMATS_H
#include "stepcost/plugin.h"

struct inst;

/* A kernel's word for formats; SC_SUBSTITUTED where tables have no row for
 * what the layer stores. */
struct dtype {
	const char *name;
	uint32_t provenance;
	double bytes; /* of a weight as it is stored; 0: as name says */
};
/* 0: the checkpoint does not say. */
static inline uint32_t activation_bits_of(const sc_layers *g)
{
	return SC_HAS(g, activation_bits) ? g->activation_bits : 0;
}
/* activation_bits: 0: the checkpoint does not say. */
struct dtype dtype_of_gemm(const struct inst *s, uint32_t format, double bits,
			   uint32_t activation_bits);
struct dtype dtype_of_moe(const struct inst *s, uint32_t format, double bits,
			  uint32_t activation_bits);
/* Returns the dtype of an MLA module with projections in a GEMM's dtype. */
struct dtype dtype_of_module(const struct inst *s, struct dtype gemm);
const char *dtype_of_cache(uint32_t kv_format);
#endif
