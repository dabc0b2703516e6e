/* stepcost/kernel/linear_law.h -- header-only helper for plugins: the work of
 * the kernels of linear attention and state-space layers on one rank, and
 * closed-form laws of their time.
 *
 * Such a layer convolves its tokens over a few neighbours, and keeps a
 * recurrent state for each value head: k_dim x v_dim numbers in fp32.  A gated
 * delta net (GDN) has key heads and value heads.  Kimi delta attention (KDA)
 * has one key head for each value head.  In Mamba-2 the value heads are its
 * heads, k_dim is the size of the state, and a key head is a group.
 *
 *   state   t0 + bytes/(B e_b)          one token, or a few that are verified
 *   conv    t0 + bytes/(B e_b) + token s/1000                    of a prompt
 *   scan    t0 + |flop/(P16 e_c) + bytes/(B e_b), chain s/1000|2 of a prompt
 *
 * |x, y|2 is (x^2 + y^2)^(1/2); s: tokens of each sequence; times in us. */
#ifndef SC_LINEAR_LAW_H
#define SC_LINEAR_LAW_H
#include <math.h>
#include <stdint.h>
#include <string.h>

enum sc_linear_family { SC_FAMILY_GDN, SC_FAMILY_KDA, SC_FAMILY_MAMBA2 };

/* The kernels, by the word in the column `op` of their tables. */
enum sc_linear_op {
	SC_CONV_DECODE,
	SC_STEP_DECODE,
	SC_CONV_VERIFY,
	SC_STEP_VERIFY,
	SC_CONV_PREFILL,
	SC_SCAN_PREFILL,
	SC_N_LINEAR_OPS
};
static const char *const sc_linear_ops[SC_N_LINEAR_OPS] = {
    "conv_decode", "step_decode",  "conv_verify",
    "step_verify", "conv_prefill", "scan_prefill"};

/* Returns the number of a word; SC_N_LINEAR_OPS: there is no such kernel. */
static inline uint32_t sc_linear_op(const char *word)
{
	uint32_t op = 0;
	while (op < SC_N_LINEAR_OPS && strcmp(sc_linear_ops[op], word) != 0)
		op++;
	return op;
}

/* One layer on one rank. */
struct sc_linear {
	uint32_t family; /* SC_FAMILY_* */
	double k_heads, k_dim, v_heads, v_dim;
	double conv;  /* tokens that the convolution sees */
	double chunk; /* tokens that Mamba-2's scan computes at once */
};

/* Channels of the convolution. */
static inline double sc_linear_channels(const struct sc_linear *l)
{
	return 2 * l->k_heads * l->k_dim + l->v_heads * l->v_dim;
}
/* Numbers in the recurrent state of a sequence. */
static inline double sc_linear_state(const struct sc_linear *l)
{
	return l->v_heads * l->v_dim * l->k_dim;
}

/* Bytes of a kernel for `batch` sequences of `tokens` tokens. */
static inline double sc_linear_bytes(const struct sc_linear *l, uint32_t op,
				     double batch, double tokens)
{
	double channels = sc_linear_channels(l);
	double values = l->v_heads * l->v_dim, before = l->conv - 1;
	double states = 8 * sc_linear_state(l);
	switch (op) {
	case SC_CONV_DECODE:
	case SC_CONV_VERIFY:
		return batch * channels * 2 * (2 * before + 2 * tokens);
	case SC_STEP_VERIFY:
		states *= tokens;
		/* fall through */
	case SC_STEP_DECODE:
		return batch * (states + 2 * tokens * (channels + values));
	case SC_CONV_PREFILL:
		return 4 * batch * tokens * channels +
		       (l->family == SC_FAMILY_GDN
			    ? 4 * batch * channels * before
			    : 0);
	default:
		if (l->family != SC_FAMILY_MAMBA2)
			values *= 2;
		return batch * (2 * tokens * (channels + values) + states);
	}
}

/* FLOP of a scan of prompts; the other kernels are bound by bytes. */
static inline double sc_linear_flops(const struct sc_linear *l, double batch,
				     double tokens)
{
	double within = 128 * (2 * l->k_dim + 2 * l->v_dim);
	if (l->family == SC_FAMILY_MAMBA2)
		within = 2 * l->chunk *
			 (l->k_dim * l->k_heads / l->v_heads + l->v_dim);
	return batch * tokens * l->v_heads * (within + 4 * l->k_dim * l->v_dim);
}

/* c: the constants of the law, in the order of the formulas above: t0, e_b;
 * t0, e_b, token; t0, e_c, e_b, chain.  bandwidth: bytes/us; peak16: FLOP/us.
 */
static inline double sc_linear_us(const struct sc_linear *l, uint32_t op,
				  double batch, double tokens, double bandwidth,
				  double peak16, const double *c)
{
	double bytes = sc_linear_bytes(l, op, batch, tokens);
	if (op == SC_CONV_PREFILL)
		return c[0] + bytes / (bandwidth * c[1]) + c[2] * tokens / 1000;
	if (op != SC_SCAN_PREFILL)
		return c[0] + bytes / (bandwidth * c[1]);
	double work = sc_linear_flops(l, batch, tokens) / (peak16 * c[1]) +
		      bytes / (bandwidth * c[2]);
	double chain = c[3] * tokens / 1000;
	return c[0] + sqrt(work * work + chain * chain);
}
#endif
