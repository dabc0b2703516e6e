/* stepcost/kernel/moe.h -- header-only helper for plugins: the work of one
 * layer's routed experts on one rank of an expert-parallel group.  The tokens
 * of the group choose among all experts; a rank computes its own experts, and
 * tensor parallelism divides the width of an expert. */
#ifndef SC_MOE_H
#define SC_MOE_H
#include <math.h>

struct sc_moe {
	double hidden, inter, experts, topk; /* of the whole model */
	double tp, ep;   /* a rank has experts / ep of width inter / tp */
	double matrices; /* of an expert: 3 with a gate, else 2 */
};

/* Returns how many experts of a rank at least one token of the group chose,
 * with even routing. */
static inline double sc_moe_hit(const struct sc_moe *s, double tokens)
{
	double missed = pow(1 - s->topk / s->experts, tokens);
	return s->experts / s->ep * (1 - missed);
}

/* Returns how many (token, expert) pairs a rank computes. */
static inline double sc_moe_rows(const struct sc_moe *s, double tokens)
{
	return tokens * s->topk / s->ep;
}

/* Weights of one expert on a rank. */
static inline double sc_moe_weights(const struct sc_moe *s)
{
	return s->matrices * s->hidden * s->inter / s->tp;
}

/* Returns the bytes that a (token, expert) pair moves: input and output of both
 * GEMMs with activations of activation_bytes each, sums in 16 bit. */
static inline double sc_moe_row_bytes(const struct sc_moe *s,
				      double activation_bytes)
{
	return 2 * activation_bytes * s->hidden + 2 * s->hidden +
	       3 * activation_bytes * s->inter / s->tp;
}

/* Returns the tokens at which `other` has as many rows per expert as `s` has at
 * `tokens`. */
static inline double sc_moe_like_tokens(const struct sc_moe *s, double tokens,
					const struct sc_moe *other)
{
	return tokens * (s->topk / s->experts) / (other->topk / other->experts);
}

/* Distance between the kernels of two shapes.  The weights were chosen by
 * leaving measured families out. */
static inline double sc_moe_distance(const struct sc_moe *a,
				     const struct sc_moe *b)
{
	double width = a->inter / a->tp / (b->inter / b->tp);
	double local = a->experts / a->ep / (b->experts / b->ep);
	double share = a->topk / a->experts / (b->topk / b->experts);
	return 0.5 * fabs(log(a->hidden / b->hidden)) + fabs(log(width)) +
	       fabs(log(local)) + 0.5 * fabs(log(share)) +
	       0.5 * fabs(log(a->ep / b->ep)) + 0.25 * fabs(log(a->tp / b->tp));
}
#endif
