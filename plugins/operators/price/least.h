/* price/least.h -- The least time of a kernel on the GPU that is simulated
 * (stepcost/kernel/floor.h).  A measured time stays as it is; an estimate
 * outside of the measured points is never faster than that.  In a step decodes
 * of full attention are not either, measured or not (attention.c). */
#ifndef OPERATORS_PRICE_LEAST_H
#define OPERATORS_PRICE_LEAST_H
#include <math.h>
#include "price/answer.h"
#include "stepcost/kernel/floor.h"
#include "stepcost/kernel/rates.h"

/* What a kernel's rates allow; rates that are 0 limit nothing. */
struct least {
	double peak, peak_attention; /* FLOP/us */
	double bandwidth;            /* bytes/us */
	/* What a kernel by itself finds in the second-level cache from its last
	 * run; in a step others displace it: 0. */
	double l2_bytes;
	double weight_bytes; /* of a weight as it is stored */
	double cache_bytes;  /* of an element of the KV cache */
};

static inline double least_peak(const struct sc_rates *r, uint32_t format)
{
	return sc_floor_peak(r->peak, 8 * sc_format_bytes(format));
}

/* Sets the bytes of a stored weight; 0: not told. */
static inline void least_store(struct least *l, double bytes)
{
	if (bytes > 0)
		l->weight_bytes = bytes;
}

/* Makes it the least time of a kernel that is measured by itself. */
static inline void least_alone(struct least *l, const sc_hardware *hw)
{
	l->l2_bytes = sc_floor_cache(hw->l2_bytes);
}

static inline int least_applies(uint32_t provenance)
{
	return provenance > SC_INTERPOLATED;
}

/* Raises an estimate to the least time. */
static inline struct answer least_raise(struct answer a, double us)
{
	if (least_applies(a.provenance) && a.us < us)
		a.us = us;
	return a;
}
#endif
