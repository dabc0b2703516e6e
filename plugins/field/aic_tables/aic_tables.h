/* aic_tables.h -- the operators of AIConfigurator's passes by its tables: what
 * aic.h asks for, with answers that were given before.
 *
 * Source: ai-dynamo/aiconfigurator @ d2af06a, Apache-2.0.  Times in seconds;
 * NaN: there is no answer. */
#ifndef AIC_TABLES_H
#define AIC_TABLES_H
#include "aic_points.h"

/* Answers that were given before: a number of tokens, rows or sequences comes
 * again and again.  0: not asked yet. */
enum { AIC_KNOWN = 16384, AIC_BATCHES = 1024 };
struct aic_batch { /* the points of both neighbours of a batch */
	size_t low[2], high[2];
	double w;
	int is_known, is_outside;
};
struct aic_silicon {
	struct aic a;
	struct aic_tables t;
	struct aic_grid prefill, decode, reduce; /* of the model's shape */
	struct aic_parts body[AIC_KNOWN];
	double head_s[AIC_KNOWN];
	struct aic_batch batch[AIC_BATCHES];
};

static inline struct aic_parts silicon_rest(const struct aic *a, double tokens,
					    double rows)
{
	struct aic_silicon *s = a->own;
	int known = tokens < AIC_KNOWN && rows < AIC_KNOWN;
	struct aic_parts here = {0}, r, *body = &here;
	double unknown = 0, *head = &unknown;
	if (known) {
		body = &s->body[(size_t)tokens];
		head = &s->head_s[(size_t)rows];
	}
	if (!(body->gemm > 0))
		*body = aic_body(a, tokens);
	if (!(*head > 0))
		*head = aic_head(a, rows);
	r = *body;
	r.gemm += *head;
	return r;
}

/* The neighbours of a batch in the grid of decode, where it has these heads. */
static inline void silicon_find_batch(struct aic_batch *b,
				      const struct aic_grid *g, double heads,
				      double batch)
{
	const struct aic_point *p = g->point;
	size_t from = aic_bound(p, 0, g->n, 0, heads, 0);
	size_t to = aic_bound(p, from, g->n, 0, heads, 1);
	size_t i = aic_bound(p, from, to, 1, batch, 0);
	b->is_known = 1;
	b->is_outside = i == to || (i == from && p[i].at[1] != batch);
	if (b->is_outside)
		return;
	double high = p[i].at[1];
	double low = high == batch ? high : p[i - 1].at[1];
	b->high[0] = i, b->high[1] = aic_bound(p, i, to, 1, high, 1);
	b->low[0] = aic_bound(p, from, to, 1, low, 0);
	b->low[1] = aic_bound(p, from, to, 1, low, 1);
	b->w = high > low ? (batch - low) / (high - low) : 0;
}

/* As aic_ask(), where both neighbours of the batch have the length. */
static inline double silicon_decode_at(const struct aic_silicon *s,
				       const struct aic_batch *b, double batch,
				       double length)
{
	const double q[3] = {s->a.heads, batch, length};
	if (b->is_outside)
		return aic_ask(&s->decode, q);
	double low = aic_between(&s->decode, b->low[0], b->low[1], 2, q);
	double high =
	    b->w > 0 ? aic_between(&s->decode, b->high[0], b->high[1], 2, q)
		     : low;
	return isnan(low) || isnan(high) ? aic_ask(&s->decode, q)
					 : low + (high - low) * b->w;
}

static inline double silicon_gemm(const struct aic *a, double m, double n,
				  double k)
{
	const struct aic_silicon *s = a->own;
	return aic_table_gemm(&s->t, m, n, k);
}
static inline double silicon_prefill(const struct aic *a, double batch,
				     double fresh, double cached)
{
	const struct aic_silicon *s = a->own;
	double all = fresh + cached;
	return aic_ask(&s->prefill, (double[3]){a->heads, all, batch}) *
	       (all * all - cached * cached) / (all * all);
}
/* The mean of five lengths, from 0.9 to 1.1 of the one asked. */
static inline double silicon_decode(const struct aic *a, double batch,
				    double length)
{
	struct aic_silicon *s = a->own;
	double low = fmax(1, floor(0.9 * length)), sum = 0;
	double high = fmax(low, floor(1.1 * length));
	struct aic_batch here = {0}, *b = &here;
	if (batch < AIC_BATCHES)
		b = &s->batch[(size_t)batch];
	if (!b->is_known)
		silicon_find_batch(b, &s->decode, a->heads, batch);
	for (int i = 0; i < 5; i++)
		sum += silicon_decode_at(s, b, batch,
					 low + floor((high - low) * i / 4));
	return sum / 5;
}
static inline double silicon_all_reduce(const struct aic *a, double elements)
{
	const struct aic_silicon *s = a->own;
	return a->m.tp > 1 ? aic_ask(&s->reduce, &elements) : 0;
}
static inline double silicon_memory(const struct aic *a, double bytes)
{
	return bytes / (0.8 * a->sys.memory) + 3e-6;
}

/* Grids of attention by KV heads: 0 where there are as many as heads. */
static inline struct aic_grid silicon_grid(const struct aic_silicon *s,
					   enum aic_op op, double heads,
					   double kv_heads, double dim)
{
	return aic_grid_of(&s->t, op, kv_heads == heads ? 0 : kv_heads, dim);
}

/* The system and the model are set, the tables loaded. */
static inline void silicon_operators(struct aic_silicon *s)
{
	struct aic *a = &s->a;
	a->gemm = silicon_gemm;
	a->prefill = silicon_prefill;
	a->decode = silicon_decode;
	a->all_reduce = silicon_all_reduce;
	a->memory = silicon_memory;
	a->rest = silicon_rest;
	a->own = s;
	s->prefill =
	    silicon_grid(s, AIC_PREFILL, a->heads, a->kv_heads, a->m.head_dim);
	s->decode =
	    silicon_grid(s, AIC_DECODE, a->heads, a->kv_heads, a->m.head_dim);
	s->reduce = aic_grid_of(&s->t, AIC_ALL_REDUCE, a->m.tp, 0);
}
#endif
