/* stepcost/kernel/sparse_law.h -- header-only helper for plugins: the work of
 * one attention block that reads a chosen or compressed part of its context,
 * with its projections, on one rank; and a closed-form law of its time.
 *
 * DSA (DeepSeek-V3.2, GLM-5) is latent attention to the 2,048 tokens that an
 * indexer chooses.  MSA (MiniMax-M3) is grouped attention to the 16 best blocks
 * of 128 tokens.  CSA and HCA (DeepSeek-V4) see the last 128 tokens and
 * entries that stand for `ratio` tokens each: with ratio 4 those that an
 * indexer chooses, with ratio 128 all of them.
 *
 *   module  t0 + |2 M W/(P e_c), w W/(B e_b)|3 + |kv/(B e_b), fl/(P16 e_a)|3
 *              + |ib/(B e_b), ifl/(P8 e_i)|3 + score sc/1e6
 *
 * M: tokens; W: weights of the projections, of w bytes; kv, fl: bytes and FLOP
 * of attention; ib, ifl, sc: bytes, FLOP and scores of the indexer. |x, y|3 is
 * (x^3 + y^3)^(1/3); times in us. */
#ifndef SC_SPARSE_LAW_H
#define SC_SPARSE_LAW_H
#include <string.h>
#include "stepcost/kernel/operator_law.h"

enum sc_sparse_family { SC_FAMILY_DSA, SC_FAMILY_MSA, SC_FAMILY_CSA };

/* Sizes that all ranks share; a size that a family lacks is 0. */
struct sc_sparse_sizes {
	const char *model; /* as tables name it; "": another model */
	double hidden, q_rank;
	double latent, nope, rope, v; /* DSA */
	double head_dim;              /* MSA, CSA: of keys and values */
	double index_heads, index_dim, topk;
	double out_groups, out_rank, all_heads; /* CSA: of the output */
};

/* Families by table, models by their word.  MSA has one model, and its tables
 * have no such column. */
static const struct sc_sparse_sizes sc_sparse_models[] = {
    {.model = "deepseek_v32",
     .hidden = 7168,
     .q_rank = 1536,
     .latent = 512,
     .nope = 128,
     .rope = 64,
     .v = 128,
     .index_heads = 64,
     .index_dim = 128,
     .topk = 2048},
    {.model = "glm_5",
     .hidden = 6144,
     .q_rank = 2048,
     .latent = 512,
     .nope = 192,
     .rope = 64,
     .v = 256,
     .index_heads = 32,
     .index_dim = 128,
     .topk = 2048},
    {.model = "minimax_m3",
     .hidden = 6144,
     .head_dim = 128,
     .index_dim = 128,
     .topk = 2048,
     .all_heads = 64},
    {.model = "deepseek_v4_flash",
     .hidden = 4096,
     .q_rank = 1024,
     .head_dim = 512,
     .index_heads = 64,
     .index_dim = 128,
     .topk = 512,
     .out_groups = 8,
     .out_rank = 1024,
     .all_heads = 64},
    {.model = "deepseek_v4_pro",
     .hidden = 7168,
     .q_rank = 1536,
     .head_dim = 512,
     .index_heads = 64,
     .index_dim = 128,
     .topk = 1024,
     .out_groups = 16,
     .out_rank = 1024,
     .all_heads = 128},
};
#define SC_N_SPARSE_MODELS (sizeof sc_sparse_models / sizeof *sc_sparse_models)

/* Returns the sizes of a model; NULL: there is no such word. */
static inline const struct sc_sparse_sizes *sc_sparse_model(const char *word)
{
	for (size_t i = 0; i < SC_N_SPARSE_MODELS; i++)
		if (!strcmp(sc_sparse_models[i].model, word))
			return &sc_sparse_models[i];
	return NULL;
}

/* One layer on one rank. */
struct sc_sparse {
	uint32_t family; /* SC_FAMILY_* */
	struct sc_sparse_sizes size;
	double heads;  /* of this rank */
	double ratio;  /* CSA: tokens an entry stands for, 4 or 128 */
	int indexer;   /* 0: the layer takes the choice of an earlier one */
	int kv_is_fp8; /* the KV cache */
};

/* KV heads of a rank: MSA has one for 16 heads. */
static inline double sc_sparse_kv_heads(const struct sc_sparse *l)
{
	return fmax(1, 4 * l->heads / l->size.all_heads);
}

/* ---- weights ---- */

static inline double sc_dsa_weights(const struct sc_sparse *l)
{
	const struct sc_sparse_sizes *z = &l->size;
	double w = z->hidden * z->q_rank +
		   z->q_rank * l->heads * (z->nope + z->rope) +
		   z->hidden * (z->latent + z->rope) +
		   z->latent * l->heads * (z->nope + z->v) +
		   l->heads * z->v * z->hidden;
	if (l->indexer)
		w += z->q_rank * z->index_heads * z->index_dim +
		     z->hidden * (z->index_dim + z->index_heads);
	return w;
}

static inline double sc_msa_weights(const struct sc_sparse *l)
{
	const struct sc_sparse_sizes *z = &l->size;
	double kv_heads = sc_sparse_kv_heads(l);
	return z->hidden * (l->heads + 2 * kv_heads) * z->head_dim +
	       l->heads * z->head_dim * z->hidden +
	       z->hidden * (kv_heads + 1) * z->index_dim;
}

static inline double sc_csa_weights(const struct sc_sparse *l)
{
	const struct sc_sparse_sizes *z = &l->size;
	double compressors = l->ratio == 4 ? 2 : 1;
	double w =
	    z->hidden * z->q_rank + z->q_rank * l->heads * z->head_dim +
	    z->hidden * z->head_dim + l->heads * z->head_dim * z->out_rank +
	    z->out_groups * z->out_rank * z->hidden * l->heads / z->all_heads +
	    2 * z->hidden * compressors * z->head_dim;
	if (l->ratio == 4)
		w += z->q_rank * z->index_heads * z->index_dim +
		     z->hidden * z->index_heads + 4 * z->hidden * z->index_dim;
	return w;
}

static inline double sc_sparse_weights(const struct sc_sparse *l)
{
	return l->family == SC_FAMILY_DSA   ? sc_dsa_weights(l)
	       : l->family == SC_FAMILY_MSA ? sc_msa_weights(l)
					    : sc_csa_weights(l);
}

/* ---- a step ---- */

/* `batch` sequences with `tokens` new ones behind `prefix` others each; a
 * decode has one. */
struct sc_sparse_step {
	double batch, tokens, prefix;
	int is_decode;
};

/* Pairs of a query and a key, where a query sees at most `most` keys. */
static inline double sc_sparse_pairs(const struct sc_sparse_step *s,
				     double most)
{
	double rising = fmax(0, fmin(s->tokens, most - s->prefix));
	if (rising == s->tokens)
		most = 0; /* no query is cut */
	return s->batch * (rising * s->prefix + rising * (rising + 1) / 2 +
			   (s->tokens - rising) * most);
}

/* What attention and the indexer move and compute. */
struct sc_sparse_work {
	double bytes, flops;                           /* kv, fl */
	double index_bytes, index_flops, index_scores; /* ib, ifl, sc */
};

static inline struct sc_sparse_work sc_dsa_work(const struct sc_sparse *l,
						const struct sc_sparse_step *s)
{
	const struct sc_sparse_sizes *z = &l->size;
	double all = s->batch * (s->prefix + s->tokens);
	double full = sc_sparse_pairs(s, INFINITY);
	double seen = sc_sparse_pairs(s, z->topk);
	double token = l->kv_is_fp8 ? 656 : 1152;
	struct sc_sparse_work w = {
	    .bytes = token * (s->is_decode ? seen : all + seen / 64),
	    .flops = 2 * l->heads * seen * (2 * z->latent + z->rope)};
	if (!l->indexer || s->prefix + s->tokens <= z->topk)
		return w;
	w.index_bytes = 132 * (s->is_decode ? full : all);
	w.index_flops = 2 * z->index_heads * z->index_dim * full;
	w.index_scores = 4 * full;
	return w;
}

static inline struct sc_sparse_work sc_msa_work(const struct sc_sparse *l,
						const struct sc_sparse_step *s)
{
	const struct sc_sparse_sizes *z = &l->size;
	double all = s->batch * (s->prefix + s->tokens);
	double full = sc_sparse_pairs(s, INFINITY);
	double seen = sc_sparse_pairs(s, z->topk);
	double kv_heads = sc_sparse_kv_heads(l);
	double token = 2 * kv_heads * z->head_dim * (l->kv_is_fp8 ? 1 : 2);
	return (struct sc_sparse_work){
	    .bytes = token * (s->is_decode ? seen : all + seen / 16),
	    .flops = 4 * l->heads * seen * z->head_dim,
	    .index_bytes = 256 * (s->is_decode ? full : all),
	    .index_flops = 2 * kv_heads * z->index_dim * full,
	    .index_scores = full * kv_heads / 128};
}

static inline struct sc_sparse_work sc_csa_work(const struct sc_sparse *l,
						const struct sc_sparse_step *s)
{
	const struct sc_sparse_sizes *z = &l->size;
	double len = s->prefix + s->tokens, all = s->batch * len;
	double full = sc_sparse_pairs(s, INFINITY), entries = full / 128;
	int chooses = l->ratio == 4;
	if (chooses)
		entries = sc_sparse_pairs(s, z->topk * l->ratio) / 4;
	double keys = sc_sparse_pairs(s, 128) + entries;
	struct sc_sparse_work w = {
	    .bytes = 584 * (s->is_decode ? keys : all / l->ratio + keys / 64),
	    .flops = 4 * l->heads * z->head_dim * keys};
	if (!chooses || len / 4 <= z->topk)
		return w;
	w.index_bytes = 132 * (s->is_decode ? full / 4 : all / 4);
	w.index_flops = 2 * z->index_heads * z->index_dim * full / 4;
	w.index_scores = full;
	return w;
}

static inline struct sc_sparse_work
sc_sparse_work(const struct sc_sparse *l, const struct sc_sparse_step *s)
{
	return l->family == SC_FAMILY_DSA   ? sc_dsa_work(l, s)
	       : l->family == SC_FAMILY_MSA ? sc_msa_work(l, s)
					    : sc_csa_work(l, s);
}

/* ---- the law ---- */

/* FLOP/us of the projections, of attention and of the indexer; bytes/us; bytes
 * of a weight. */
struct sc_sparse_rates {
	double peak, peak16, peak8, bandwidth, weight;
};

/* c: t0, e_c, e_b, e_a, e_i, score. */
static inline double sc_sparse_us(const struct sc_sparse *l,
				  const struct sc_sparse_step *s,
				  const struct sc_sparse_rates *r,
				  const double *c)
{
	double weights = sc_sparse_weights(l), reached = r->bandwidth * c[2];
	struct sc_sparse_work w = sc_sparse_work(l, s);
	return c[0] +
	       sc_oplaw_norm3(2 * s->batch * s->tokens * weights /
				  (r->peak * c[1]),
			      r->weight * weights / reached) +
	       sc_oplaw_norm3(w.bytes / reached, w.flops / (r->peak16 * c[3])) +
	       sc_oplaw_norm3(w.index_bytes / reached,
			      w.index_flops / (r->peak8 * c[4])) +
	       c[5] * w.index_scores / 1e6;
}
#endif
