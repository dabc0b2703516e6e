/* stepcost/kernel/kernel_law.h -- header-only helper: closed-form reference
 * laws of kernel time with three to five constants each, fitted per GPU,
 * software stack and number format.  A table divided by its law is nearly flat,
 * so it is safe to interpolate.
 *
 *   gemm         t0 + ((2mnk/(peak c))^p + ((e(nk+mk)+2mn)/(bandwidth b))^p +
 *                (k_us k)^p)^(1/p)
 *   prefill      t0 + 2 h dh batch s^2/(peak c) + token_us s +
 *                e dh batch s (2h+2kvh)/(bandwidth b)
 *   decode       t0 + 2 e dh kvh batch (kv+tokens)/(bandwidth b)
 *   all_reduce   t0 + rank_us log2(ranks) + 2(ranks-1)/ranks bytes/(link b)
 *
 * h, kvh: heads of one rank; e: bytes per element; times in us. */
#ifndef SC_KERNEL_LAW_H
#define SC_KERNEL_LAW_H
#include <math.h>
#include "stepcost/format.h"

#define SC_LAW_CONSTANTS 5
#define SC_LAW_OPS 4

/* The laws in the order of SC_OP_GEMM …  `shape` names the columns of a table
 * that are the shape of a kernel; `row` and `x` name the columns along which a
 * shape was measured. */
struct sc_law_kind {
	const char *op;
	const char *shape[3];
	const char *row, *x; /* row is NULL: only x */
	uint32_t n_constants;
	struct {
		const char *name;
		/* limits of a fit; it starts from the value of an H100 */
		double start, min, max;
	} constant[SC_LAW_CONSTANTS];
};
static const struct sc_law_kind sc_law_kinds[SC_LAW_OPS] = {
    {"gemm",
     {"n", "k", NULL},
     NULL,
     "m",
     5,
     {{"t0_us", 3, 0.05, 100},
      {"compute", 0.8, 0.01, 1},
      {"bandwidth", 0.9, 0.01, 1},
      {"power", 2.4, 1, 20},
      {"k_us", 5e-4, 1e-7, 0.1}}},
    {"attention_prefill",
     {"heads", "kv_heads", "head_dim"},
     "batch",
     "seq_len",
     4,
     {{"t0_us", 12.5, 0.05, 200},
      {"compute", 0.7, 0.01, 1},
      {"bandwidth", 0.4, 0.01, 1},
      {"token_us", 4e-3, 1e-7, 1}}},
    {"attention_decode",
     {"heads", "kv_heads", "head_dim"},
     "batch",
     "kv_len",
     3,
     {{"t0_us", 12, 0.05, 200},
      {"bandwidth", 0.9, 0.01, 1},
      {"tokens", 110, 0.1, 5000}}},
    {"all_reduce",
     {"ranks", NULL, NULL},
     NULL,
     "message_bytes",
     3,
     {{"t0_us", 3, 0.01, 200},
      {"rank_us", 1, 1e-3, 200},
      {"bandwidth", 0.5, 0.001, 1}}},
};

struct sc_law {
	uint32_t op;      /* SC_OP_* */
	double peak;      /* FLOP/s of the format */
	double bandwidth; /* bytes/s of memory; of a link for all_reduce */
	double element;   /* bytes per element */
	double c[SC_LAW_CONSTANTS];
};

static inline const struct sc_law_kind *sc_law_kind_of(uint32_t op)
{
	return &sc_law_kinds[op - SC_OP_GEMM];
}

static inline double sc_law_gemm_us(const struct sc_law *l, double m, double n,
				    double k)
{
	double compute = 2 * m * n * k / (l->peak * l->c[1]) * 1e6;
	double memory = (l->element * (n * k + m * k) + 2 * m * n) /
			(l->bandwidth * l->c[2]) * 1e6;
	double depth = l->c[4] * k, p = l->c[3];
	double most = fmax(fmax(compute, memory), depth);
	return l->c[0] +
	       most * pow(pow(compute / most, p) + pow(memory / most, p) +
			      pow(depth / most, p),
			  1 / p);
}

/* Computes the terms of a prompt of s tokens: us = t0 + quadratic s^2 + linear
 * s. */
static inline void sc_law_prefill_terms(const struct sc_law *l,
					const double shape[3], double batch,
					double *quadratic, double *linear)
{
	double h = shape[0], kvh = shape[1], dh = shape[2];
	*quadratic = 2 * h * dh * batch / (l->peak * l->c[1]) * 1e6;
	*linear = l->c[3] + l->element * dh * batch * (2 * h + 2 * kvh) /
				(l->bandwidth * l->c[2]) * 1e6;
}

/* Returns us.  shape, row and x are as in sc_law_kinds. */
static inline double sc_law_us(const struct sc_law *l, const double shape[3],
			       double row, double x)
{
	double quadratic, linear;
	switch (l->op) {
	case SC_OP_GEMM:
		return sc_law_gemm_us(l, x, shape[0], shape[1]);
	case SC_OP_PREFILL:
		sc_law_prefill_terms(l, shape, row, &quadratic, &linear);
		return l->c[0] + (quadratic * x + linear) * x;
	case SC_OP_DECODE:
		return l->c[0] + 2 * l->element * shape[2] * shape[1] * row *
				     (x + l->c[2]) / (l->bandwidth * l->c[1]) *
				     1e6;
	default:
		return l->c[0] + l->c[1] * log2(shape[0]) +
		       2 * (shape[0] - 1) / shape[0] * x /
			   (l->bandwidth * l->c[2]) * 1e6;
	}
}
#endif
