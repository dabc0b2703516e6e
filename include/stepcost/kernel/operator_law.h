/* stepcost/kernel/operator_law.h -- header-only helper for plugins: closed-form
 * laws of the time of today's kernels with a few constants each, fitted once
 * per set of tables, operator and number format.  A measured point divided by
 * its law is nearly flat, so it is safe to interpolate.  The law alone
 * extrapolates to GPUs and sizes that were not measured.
 *
 * P: peak FLOP/s of the format; B: bandwidth; e_c, e_a, e_b: the fraction of
 * them that is reached; w, a: bytes of a weight and of an activation; b: bytes
 * of a cached element:
 *
 *   gemm     t0 + |2mnk/(P e_c), (w n k + a m k + 2 m n)/(B e_b)|p
 *   moe      t0 + |2 weights (rows + hit pad)/(P e_c),
 *                  (hit weights w + rows row_bytes)/(B e_b)|p + hit t_expert
 *   decode   t0 + 2 b d kv_heads batch (min(len, window) + q)/(B e_b)
 *   prefill  t0 + 4 heads d batch area/(P16 e_c) +
 *            4 batch len d (heads + kv_heads)/(B e_b) + c len/1000
 *   mla_decode   t0 + |b 576 batch (len + q)/(B e_b), FLOP/(P16 e_a)|3
 *   mla_prefill  t0 + FLOP/(P16 e_c) + bytes/(B e_b)
 *   mla_module_* t0 + |2 M weights/(P e_c), w weights/(B e_b)|3 + attention
 *
 * |x, y|p is (x^p + y^p)^(1/p); times in us; M: tokens. */
#ifndef SC_OPERATOR_LAW_H
#define SC_OPERATOR_LAW_H
#include <stddef.h>
#include <stdint.h>
#include "stepcost/kernel/mla.h"
#include "stepcost/kernel/moe.h"

enum sc_oplaw_op {
	SC_OPLAW_GEMM,
	SC_OPLAW_MOE,
	SC_OPLAW_DECODE,
	SC_OPLAW_PREFILL,
	SC_OPLAW_MLA_DECODE,
	SC_OPLAW_MLA_PREFILL,
	SC_OPLAW_MODULE_DECODE,
	SC_OPLAW_MODULE_PREFILL,
	SC_N_OPLAWS
};
#define SC_OPLAW_CONSTANTS 6
#define SC_OPLAW_KEYS 7

/* A constant and the range of a fit: above `least`, and below `most` if that is
 * set. */
struct sc_oplaw_constant {
	const char *name;
	double start, least, most; /* most 0: no upper limit */
};
struct sc_oplaw_kind {
	const char *op; /* as tables and MANIFESTs name it */
	/* The columns of a table that are the shape of a kernel, then the
	 * columns along which it was measured; row is NULL: only x. */
	const char *key[SC_OPLAW_KEYS];
	const char *row, *x;
	uint32_t n_constants;
	struct sc_oplaw_constant constant[SC_OPLAW_CONSTANTS];
};
static const struct sc_oplaw_kind sc_oplaw_kinds[SC_N_OPLAWS] = {
    {"gemm",
     {"n", "k"},
     NULL,
     "m",
     4,
     {{"t0_us", 3, 0, 0},
      {"e_c", .73, 0, 1},
      {"e_b", .92, 0, 1.3},
      {"p", 2.8, 1, 0}}},
    {"moe",
     {"hidden", "inter", "experts", "topk", "tp", "ep"},
     NULL,
     "tokens",
     6,
     {{"t0_us", 10, 0, 0},
      {"e_c", .62, 0, 1},
      {"e_b", .92, 0, 1.3},
      {"p", 2.8, 1, 0},
      {"t_expert_us", .05, 0, 0},
      {"pad_rows", 2.7, 0, 0}}},
    {"attention_decode",
     {"heads", "kv_heads", "head_dim", "window"},
     "batch",
     "kv_len",
     3,
     {{"t0_us", 10, 0, 0}, {"e_b", .9, 0, 1.3}, {"q_tokens", 55, 0, 0}}},
    {"attention_prefill",
     {"heads", "kv_heads", "head_dim", "window"},
     "batch",
     "seq_len",
     4,
     {{"t0_us", 10, 0, 0},
      {"e_c", .69, 0, 1},
      {"e_b", .65, 0, 1.3},
      {"c_us_per_1000", 1, 0, 0}}},
    {"mla_decode",
     {"heads"},
     "batch",
     "kv_len",
     4,
     {{"t0_us", 10, 0, 0},
      {"e_b", .9, 0, 1.3},
      {"q_tokens", 55, 0, 0},
      {"e_a", .62, 0, 1}}},
    {"mla_prefill",
     {"heads"},
     "batch",
     "seq_len",
     3,
     {{"t0_us", 10, 0, 0}, {"e_c", .69, 0, 1}, {"e_b", .65, 0, 1.3}}},
    {"mla_module_decode",
     {"heads"},
     "batch",
     "kv_len",
     5,
     {{"t0_us", 30, 0, 0},
      {"e_c", .62, 0, 1},
      {"e_b", .9, 0, 1.3},
      {"q_tokens", 55, 0, 0},
      {"e_a", .62, 0, 1}}},
    {"mla_module_prefill",
     {"heads"},
     "batch",
     "seq_len",
     5,
     {{"t0_us", 30, 0, 0},
      {"e_c", .62, 0, 1},
      {"e_b", .9, 0, 1.3},
      {"q_tokens", 55, 0, 0},
      {"e_a", .62, 0, 1}}},
};

/* A law with its constants, in the order of sc_oplaw_kinds. */
struct sc_oplaw {
	uint32_t op;            /* SC_OPLAW_* */
	double peak;            /* FLOP/us of the weights' kernel */
	double peak16;          /* FLOP/us of attention in 16 bit */
	double bandwidth;       /* bytes/us */
	double weight, element; /* bytes of a weight; of an activation */
	double cached;          /* bytes of an element in the KV cache */
	double c[SC_OPLAW_CONSTANTS];
};

/* Returns (x^p + y^p)^(1/p), computed without overflow. */
static inline double sc_oplaw_norm(double x, double y, double p)
{
	double most = fmax(x, y), least = fmin(x, y);
	return most > 0 ? most * pow(1 + pow(least / most, p), 1 / p) : 0;
}
/* sc_oplaw_norm() for p = 3.  Every step asks for it, and this is faster than
 * pow() or cbrt(). */
static inline double sc_oplaw_norm3(double x, double y)
{
	double most = fmax(x, y), t = fmin(x, y) / most;
	return most > 0 ? most * exp(log(1 + t * t * t) / 3) : 0;
}

static inline double sc_oplaw_gemm_us(const struct sc_oplaw *l, double m,
				      double n, double k)
{
	double compute = 2 * m * n * k / (l->peak * l->c[1]);
	double bytes = l->weight * n * k + l->element * m * k + 2 * m * n;
	return l->c[0] + sc_oplaw_norm(compute,
				       bytes / (l->bandwidth * l->c[2]),
				       l->c[3]);
}

static inline double sc_oplaw_moe_us(const struct sc_oplaw *l,
				     const struct sc_moe *s, double tokens)
{
	double hit = sc_moe_hit(s, tokens), rows = sc_moe_rows(s, tokens);
	double weights = sc_moe_weights(s);
	double flops = 2 * weights * (rows + hit * l->c[5]);
	double bytes =
	    hit * weights * l->weight + rows * sc_moe_row_bytes(s, l->element);
	return l->c[0] +
	       sc_oplaw_norm(flops / (l->peak * l->c[1]),
			     bytes / (l->bandwidth * l->c[2]), l->c[3]) +
	       hit * l->c[4];
}

/* key: heads, kv_heads, head_dim, window. */
static inline double sc_oplaw_decode_us(const struct sc_oplaw *l,
					const double *key, double batch,
					double len)
{
	double seen = key[3] > 0 ? fmin(len, key[3]) : len;
	return l->c[0] + 2 * l->cached * key[2] * key[1] * batch *
			     (seen + l->c[2]) / (l->bandwidth * l->c[1]);
}

/* Returns the number of (query, key) pairs of one causal prompt. */
static inline double sc_oplaw_area(double len, double window)
{
	return window > 0 && window < len ? len * window - window * window / 2
					  : len * len / 2;
}

static inline double sc_oplaw_prefill_us(const struct sc_oplaw *l,
					 const double *key, double batch,
					 double len)
{
	double area = sc_oplaw_area(len, key[3]);
	return l->c[0] +
	       4 * key[0] * key[2] * batch * area / (l->peak16 * l->c[1]) +
	       4 * batch * len * key[2] * (key[0] + key[1]) /
		   (l->bandwidth * l->c[2]) +
	       l->c[3] * len / 1000;
}

/* Time of an absorbed decode without t0, from given e_b, q and e_a. */
static inline double sc_oplaw_mla_core_us(const struct sc_oplaw *l, double e_b,
					  double q, double e_a, double heads,
					  double batch, double len)
{
	double bytes = l->cached * SC_MLA_CACHE * batch * (len + q);
	double flops = sc_mla_decode_flops(heads, batch, len);
	return sc_oplaw_norm3(bytes / (l->bandwidth * e_b),
			      flops / (l->peak16 * e_a));
}

/* Time of the module's projections for `tokens` tokens. */
static inline double sc_oplaw_mla_projections_us(const struct sc_oplaw *l,
						 double heads, double tokens)
{
	double weights = sc_mla_weights(heads);
	return sc_oplaw_norm3(2 * tokens * weights / (l->peak * l->c[1]),
			      l->weight * weights / (l->bandwidth * l->c[2]));
}

/* Time of a module, from the known time of its projections. */
static inline double sc_oplaw_module_us(const struct sc_oplaw *l,
					double projections_us, double heads,
					double batch, double len)
{
	const double *c = l->c;
	if (l->op == SC_OPLAW_MODULE_DECODE)
		return c[0] + projections_us +
		       sc_oplaw_mla_core_us(l, c[2], c[3], c[4], heads, batch,
					    len);
	return c[0] + projections_us +
	       sc_mla_prefill_flops(heads, batch, len) / (l->peak16 * c[4]);
}

static inline double sc_oplaw_mla_us(const struct sc_oplaw *l, double heads,
				     double batch, double len)
{
	const double *c = l->c;
	double tokens = batch;
	switch (l->op) {
	case SC_OPLAW_MLA_DECODE:
		return c[0] + sc_oplaw_mla_core_us(l, c[1], c[2], c[3], heads,
						   batch, len);
	case SC_OPLAW_MLA_PREFILL:
		return c[0] +
		       sc_mla_prefill_flops(heads, batch, len) /
			   (l->peak16 * c[1]) +
		       sc_mla_prefill_bytes(heads, batch, len) /
			   (l->bandwidth * c[2]);
	case SC_OPLAW_MODULE_PREFILL:
		tokens = batch * len;
		break;
	default:
		break;
	}
	return sc_oplaw_module_us(l,
				  sc_oplaw_mla_projections_us(l, heads, tokens),
				  heads, batch, len);
}

/* Returns us.  key, row and x are as in sc_oplaw_kinds; key[6] of MoE is the
 * number of matrices per expert. */
static inline double sc_oplaw_us(const struct sc_oplaw *l, const double *key,
				 double row, double x)
{
	switch (l->op) {
	case SC_OPLAW_GEMM:
		return sc_oplaw_gemm_us(l, x, key[0], key[1]);
	case SC_OPLAW_MOE: {
		const struct sc_moe experts = {key[0], key[1], key[2], key[3],
					       key[4], key[5], key[6]};
		return sc_oplaw_moe_us(l, &experts, x);
	}
	case SC_OPLAW_DECODE:
		return sc_oplaw_decode_us(l, key, row, x);
	case SC_OPLAW_PREFILL:
		return sc_oplaw_prefill_us(l, key, row, x);
	default:
		return sc_oplaw_mla_us(l, key[0], row, x);
	}
}
#endif
