/* stepcost/kernel/floor.h -- header-only helper: the work that a kernel cannot
 * avoid, and the least time in which a GPU can do it.  The host compares every
 * predicted time with it; a cost model that extrapolates stays above it.
 *
 *   least time = max(FLOP / peak, bytes / bandwidth)
 *
 * FLOP and bytes are those of the definition of the operation and no more:
 * weights and the KV cache are read once, causal attention computes the pairs
 * of a query and a key that it can see (a multiply and an add count as two).
 * Activations and what a kernel writes are not counted, because a cache can
 * hold them. */
#ifndef SC_FLOOR_H
#define SC_FLOOR_H
#include <math.h>
#include <stdint.h>
#include "stepcost/format.h"
#include "stepcost/kernel/moe.h"

struct sc_work {
	double flops, bytes;
};

/* Returns the bytes that a kernel or a step must read from memory, of those
 * that it reads: what fits the second-level cache may lie there since the last
 * time.  A stream that is several times longer leaves nothing of use there. */
static inline double sc_floor_beyond(double bytes, double l2_bytes)
{
	const double streams = 4;
	if (bytes >= streams * l2_bytes)
		return bytes;
	return fmax(0, bytes - l2_bytes);
}

/* Returns the size of the cache that a kernel by itself can find its data in. A
 * cache of unknown size may hold everything. */
static inline double sc_floor_cache(double l2_bytes)
{
	return l2_bytes > 0 ? l2_bytes : (double)INFINITY;
}

/* Returns us; rates in FLOP/us and bytes/us, 0: not known, limits nothing. */
static inline double sc_least_us(struct sc_work w, double peak,
				 double bandwidth, double l2_bytes)
{
	double bytes = sc_floor_beyond(w.bytes, l2_bytes);
	double compute = peak > 0 ? w.flops / peak : 0;
	double memory = bandwidth > 0 ? bytes / bandwidth : 0;
	return fmax(compute, memory);
}

/* m tokens through n x k weights. */
static inline struct sc_work sc_work_gemm(double m, double n, double k,
					  double weight_bytes)
{
	return (struct sc_work){2 * m * n * k, n * k * weight_bytes};
}

/* Experts of one rank.  Routing is not known: at least the experts that one
 * token chooses are read, spread over the ranks. */
static inline struct sc_work sc_work_moe(const struct sc_moe *s, double tokens,
					 double weight_bytes)
{
	double one = sc_moe_weights(s);
	return (struct sc_work){2 * one * sc_moe_rows(s, tokens),
				one * s->topk / s->ep * weight_bytes};
}

/* ---- attention of one layer on one rank ---- */

/* Returns how many (query, key) pairs `fresh` tokens behind `cached` ones have,
 * each key that a query sees and itself; window 0: none. */
static inline double sc_pairs(double fresh, double cached, double window)
{
	double last = cached + fresh;
	if (!(window > 0) || last <= window)
		return fresh * cached + fresh * (fresh + 1) / 2;
	if (cached >= window)
		return fresh * window;
	double open = window - cached; /* queries that see all before them */
	return open * cached + open * (open + 1) / 2 + (fresh - open) * window;
}

/* The same within chunks of `chunk` tokens. */
static inline double sc_pairs_in_chunks(double fresh, double cached,
					double chunk)
{
	double at = fmod(cached, chunk), first = fmin(fresh, chunk - at);
	double rest = fresh - first, whole = floor(rest / chunk);
	return sc_pairs(first, at, 0) + whole * sc_pairs(chunk, 0, 0) +
	       sc_pairs(rest - whole * chunk, 0, 0);
}

/* Heads of dimension head_dim: queries and keys of `pairs` pairs, `cached`
 * tokens of the KV cache with cache_bytes an element. */
static inline struct sc_work sc_work_attention(double heads, double kv_heads,
					       double head_dim, double pairs,
					       double cached,
					       double cache_bytes)
{
	return (struct sc_work){4 * heads * head_dim * pairs,
				2 * kv_heads * head_dim * cached * cache_bytes};
}

/* Latent attention: all heads share `latent` + `rope` cached elements of a
 * token.  width: elements of a query and of a value together; decodes absorb
 * the projections, so theirs is 2 latent + rope. */
static inline struct sc_work sc_work_latent(double heads, double latent,
					    double rope, double width,
					    double pairs, double cached,
					    double cache_bytes)
{
	return (struct sc_work){2 * heads * width * pairs,
				(latent + rope) * cached * cache_bytes};
}

/* ---- rates ---- */

/* Returns the highest peak among formats with at least `bits` bits
 * a number, in the unit of peak[]; 0: none is known.  Numbers of more than 16
 * bits count as 16, because GPUs can multiply them in parts. */
static inline double sc_floor_peak(const double peak[SC_FORMAT_CODES],
				   double bits)
{
	double most = 0;
	for (uint32_t f = 1; f < SC_FORMAT_CODES; f++)
		if (8 * sc_format_bytes(f) >= fmin(bits, 16))
			most = fmax(most, peak[f]);
	return most;
}

/* Returns the highest peak that weights of a format can be multiplied at;
 * activation_bits 0: not known. */
static inline double sc_floor_multiplies(const double peak[SC_FORMAT_CODES],
					 uint32_t format,
					 uint32_t activation_bits)
{
	const struct sc_format *row = sc_format_row(format);
	if (row && row->weights_only && !activation_bits)
		activation_bits = 16;
	return sc_floor_peak(
	    peak, fmax(8 * sc_format_bytes(format), activation_bits));
}

/* Returns the bytes that one rank must receive in a collective of `bytes` that
 * all ranks have, or get.  Switches that add reach this for an all-reduce. */
static inline double sc_floor_message(double bytes, double ranks)
{
	return ranks > 1 ? bytes * (ranks - 1) / ranks : 0;
}
#endif
