/* sparse.c -- Prices sparse attention by the modules that were measured. */
#include "price/sparse.h"
#include <math.h>
#include "stepcost/fail.h"
#include "choose/formats.h"
#include "inst.h"

static const uint32_t table_of[][2] = {
    [SC_FAMILY_DSA] = {SC_MIXER_DSA_PREFILL, SC_MIXER_DSA_DECODE},
    [SC_FAMILY_MSA] = {SC_MIXER_MSA_PREFILL, SC_MIXER_MSA_DECODE},
    [SC_FAMILY_CSA] = {SC_MIXER_CSA_PREFILL, SC_MIXER_CSA_DECODE},
};

uint32_t sparse_family(const sc_layers *g)
{
	return g->attention == SC_ATTN_MLA ? SC_FAMILY_DSA
	       : g->o_lora_rank            ? SC_FAMILY_CSA
					   : SC_FAMILY_MSA;
}

int sparse_is(const sc_layers *g)
{
	return (SC_HAS(g, flags) && g->flags & SC_LAYER_SPARSE) ||
	       (SC_HAS(g, o_lora_rank) && g->o_lora_rank > 0);
}

int sparse_is_known(const sc_layers *g)
{
	return g->o_lora_rank ||
	       (g->index_topk && (g->attention == SC_ATTN_MLA || g->index_dim));
}

/* DeepSeek-V4 has layers with a window and no entries beside it.  No table has
 * them, so they are priced as layers with the fewest entries. */
static int is_window(const sc_layers *g)
{
	return g->o_lora_rank && !g->compress_ratio;
}
enum { MOST_RATIO = 128, V4_WINDOW = 128 };

/* ---- sizes ---- */

static struct sc_sparse_sizes sizes_of(const struct inst *s, const sc_layers *g,
				       uint32_t family)
{
	struct sc_sparse_sizes z = {.model = "",
				    .hidden = s->hidden,
				    .q_rank = g->q_lora_rank,
				    .index_heads = g->index_heads,
				    .index_dim = g->index_dim,
				    .topk = g->index_topk};
	if (family == SC_FAMILY_DSA) {
		z.latent = g->kv_lora_rank;
		z.nope = g->qk_nope_dim;
		z.rope = g->qk_rope_dim;
		z.v = g->v_dim;
		return z;
	}
	z.head_dim = g->head_dim;
	z.all_heads = g->n_heads;
	if (family == SC_FAMILY_CSA) {
		z.out_groups = g->o_groups;
		z.out_rank = g->o_lora_rank;
	} else {
		z.q_rank = z.index_heads = 0;
		z.all_heads = 4. * g->n_heads / fmax(1, g->n_kv_heads);
	}
	return z;
}

/* Layers without an indexer tell no sizes of it. */
static int is_model(const struct sc_sparse_sizes *a,
		    const struct sc_sparse_sizes *b)
{
	int same_index = !a->index_dim || (a->index_heads == b->index_heads &&
					   a->index_dim == b->index_dim);
	return a->hidden == b->hidden && a->q_rank == b->q_rank &&
	       a->latent == b->latent && a->nope == b->nope &&
	       a->rope == b->rope && a->v == b->v &&
	       a->head_dim == b->head_dim && a->all_heads == b->all_heads &&
	       a->out_groups == b->out_groups && a->out_rank == b->out_rank &&
	       same_index;
}

/* The sizes of a known model, else the layer's own. */
static struct sc_sparse_sizes known(struct sc_sparse_sizes z)
{
	for (size_t i = 0; i < SC_N_SPARSE_MODELS; i++)
		if (is_model(&z, &sc_sparse_models[i])) {
			double topk = z.topk;
			z = sc_sparse_models[i];
			z.topk = topk > 0 ? topk : z.topk;
		}
	return z;
}

/* ---- what a layer calls ---- */

/* Without any tables, those of the GPU may have the kernels. */
static int32_t refuse_compressed(const struct inst *s, const sc_layers *g,
				 sc_error *err)
{
	int has_tables = s->setup->n_tables > 0;
	return sc_fail(err, has_tables ? SC_EUNSUP : SC_ENODATA,
		       "%s: cannot price its %u layers with compressed "
		       "attention: %s",
		       s->setup->model->name, g->n_layers,
		       has_tables ? "no table of this GPU or of one like it "
				    "has their kernels"
				  : "they need tables; write [tables] set = "
				    "auto");
}

int32_t sparse_for(struct inst *s, const sc_layers *g, double heads,
		   struct sparse_call *c, sc_error *err)
{
	uint32_t family = sparse_family(g);
	struct dtype dtype =
	    dtype_of_module(s, dtype_of_gemm(s, g->attn_format, g->attn_bits,
					     activation_bits_of(g)));
	int indexer = (g->flags & SC_LAYER_INDEXER) != 0;
	double ratio = is_window(g) ? MOST_RATIO : g->compress_ratio;
	*c = (struct sparse_call){
	    .what = {.family = family,
		     .size = known(sizes_of(s, g, family)),
		     .heads = heads,
		     .ratio = ratio,
		     .indexer = indexer},
	    .row_key = {.gemm = dtype.name,
			.kv = dtype_of_cache(s->setup->model->kv_format),
			.indexer = family == SC_FAMILY_DSA ? indexer : 0,
			.ratio = family == SC_FAMILY_CSA ? ratio : 0},
	    .most_cached = is_window(g) ? V4_WINDOW - 1 : INFINITY};
	c->row_key.model = c->what.size.model;
	c->what.kv_is_fp8 = !strcmp(c->row_key.kv, "fp8");
	for (int phase = 0; phase < 2; phase++) {
		c->row_key.table = table_of[family][phase];
		c->module[phase] =
		    mixer_for_sparse(s, &c->row_key, &c->what, 1);
		struct mixer *m = &c->module[phase];
		if (family == SC_FAMILY_CSA && !mixer_is_measured(m))
			return refuse_compressed(s, g, err);
		uint32_t how = sc_worse(
		    dtype.provenance, is_window(g) ? SC_SUBSTITUTED : SC_EXACT);
		for (uint32_t i = 0; i < m->n; i++)
			m->by[i].provenance =
			    sc_worse(m->by[i].provenance, how);
	}
	return SC_OK;
}

struct curve mhc_for(struct inst *s, const char *kind, double hidden,
		     double streams)
{
	const struct row_key row_key = {.curve = "mhc", .kind = kind};
	const struct order order = engines_for(s, "mhc", NULL);
	const double key[2] = {hidden, streams};
	struct curve c = curve_none();
	c.from = choose(s, &order, &row_key, &c.provenance);
	if (!c.from)
		return c;
	c.below = row_group_find(c.from, key, 2);
	if (!c.below) { /* as many bytes of another width */
		c.below = &c.from->grid[0];
		c.scale =
		    hidden * streams / (c.below->key[0] * c.below->key[1]);
		c.provenance = sc_worse(c.provenance, SC_SUBSTITUTED);
	}
	return c;
}

/* ---- asking ---- */

struct answer sparse_decode_us(const struct sparse_call *c, double batch,
			       double context)
{
	const struct sc_mixer_at at = {batch, 1,
				       fmin(context - 1, c->most_cached)};
	return mixer_us(&c->module[SC_DECODE], &at, NULL);
}

struct answer sparse_prefill_us(const struct sparse_call *c, double tokens,
				double cached)
{
	const struct sc_mixer_at at = {1, tokens, fmin(cached, c->most_cached)};
	return mixer_us(&c->module[SC_PREFILL], &at, NULL);
}
