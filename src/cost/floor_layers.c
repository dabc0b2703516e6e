/* floor_layers.c -- Counts the weights and the work of a layer on one rank. */
#include "cost/floor_layers.h"

static int has_flag(const sc_layers *g, uint32_t flag)
{
	return SC_HAS(g, flags) && (g->flags & flag) != 0;
}

static int has_softmax(const sc_layers *g)
{
	return (g->attention == SC_ATTN_FULL ||
		g->attention == SC_ATTN_WINDOW ||
		g->attention == SC_ATTN_CHUNK) &&
	       !has_flag(g, SC_LAYER_OTHER);
}

int floor_has_latent(const sc_layers *g)
{
	return g->attention == SC_ATTN_MLA && !has_flag(g, SC_LAYER_OTHER);
}

int floor_reads_cache(const sc_layers *g)
{
	return (has_softmax(g) || floor_has_latent(g)) &&
	       !has_flag(g, SC_LAYER_SPARSE);
}

int floor_has_experts(const sc_layers *g)
{
	return g->ffn == SC_FFN_MOE && !has_flag(g, SC_LAYER_OTHER);
}

static double kv_heads_of(const struct floor_ranks *f, const sc_layers *g)
{
	double heads = g->n_kv_heads ? g->n_kv_heads : g->n_heads;
	return fmax(1, heads / f->tp);
}

double floor_attention_weights(const struct floor_ranks *f, const sc_layers *g)
{
	double hidden = f->model->hidden, heads = g->n_heads / f->tp;
	double gates = has_flag(g, SC_LAYER_OUTPUT_GATE) ? heads : 0;
	if (has_softmax(g))
		return hidden * g->head_dim *
		       (2 * heads + gates + 2 * kv_heads_of(f, g));
	if (!floor_has_latent(g))
		return 0;
	double query = (double)g->qk_nope_dim + g->qk_rope_dim;
	double rank = g->q_lora_rank, latent = g->kv_lora_rank;
	double queries = rank > 0 ? hidden * rank / f->tp + rank * heads * query
				  : hidden * heads * query;
	return queries + hidden * (latent + g->qk_rope_dim) / f->tp +
	       latent * heads * ((double)g->qk_nope_dim + g->v_dim) +
	       (heads + gates) * g->v_dim * hidden;
}

double floor_dense_weights(const struct floor_ranks *f, const sc_layers *g)
{
	double matrices = g->ffn == SC_FFN_GATED   ? 3
			  : g->ffn == SC_FFN_PLAIN ? 2
						   : 0;
	return matrices * f->model->hidden * g->ffn_dim / f->tp;
}

struct sc_moe floor_experts(const struct floor_ranks *f, const sc_layers *g)
{
	return (struct sc_moe){.hidden = f->model->hidden,
			       .inter = g->ffn_dim,
			       .experts = g->n_experts,
			       .topk = g->experts_per_token,
			       .tp = f->tp * f->dp,
			       .ep = 1,
			       .matrices = f->matrices};
}

double floor_shared_weights(const struct floor_ranks *f, const sc_layers *g)
{
	return f->matrices * f->model->hidden * g->n_shared_experts *
	       g->shared_ffn_dim / (f->tp * f->dp);
}

struct sc_work floor_attention_work(const struct floor_ranks *f,
				    const sc_layers *g, int phase, double pairs,
				    double cached)
{
	const double cache_bytes = f->model->kv_bits / 8;
	double heads = g->n_heads / f->tp;
	double latent = g->kv_lora_rank, rope = g->qk_rope_dim;
	if (!floor_reads_cache(g))
		return (struct sc_work){0, 0};
	if (has_softmax(g))
		return sc_work_attention(heads, kv_heads_of(f, g), g->head_dim,
					 pairs, cached, cache_bytes);
	double width = phase == SC_DECODE
			   ? 2 * latent + rope
			   : (double)g->qk_nope_dim + rope + g->v_dim;
	return sc_work_latent(heads, latent, rope, width, pairs, cached,
			      cache_bytes);
}
