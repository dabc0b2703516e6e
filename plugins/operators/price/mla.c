/* mla.c -- Prices latent attention: the whole block as measured, or its core
 * with the projections and kernels around it. */
#include "price/mla.h"
#include <math.h>
#include "stepcost/fail.h"
#include "inst.h"
#include "read/missing_points.h"
#include "step/memo.h"

/* ---- one shape ---- */

static void add_shape(struct inst *s, struct lengths *l,
		      const struct sc_grid *of, double weight)
{
	sc_blend_add(&l->blend, missing_points_filled(s, l->by.from, of),
		     weight);
}

/* Linear in the logarithm between heads that were measured. */
struct lengths mla_shape(struct inst *s, const struct kernels *by, double heads)
{
	struct lengths l = {.by = *by, .key = {heads}};
	const struct sc_grid *below = NULL, *above = NULL;
	for (uint32_t i = 0; by->from && i < by->from->n_grids; i++) {
		const struct sc_grid *is = &by->from->grid[i];
		if (is->key[0] <= heads)
			below = is;
		else if (!above)
			above = is;
	}
	if (!below && !above)
		return l;
	if (!below || !above || below->key[0] == heads) {
		add_shape(s, &l, below ? below : above, 1);
	} else {
		double t = log(heads / below->key[0]) /
			   log(above->key[0] / below->key[0]);
		add_shape(s, &l, below, 1 - t);
		add_shape(s, &l, above, t);
	}
	if (l.blend.part[0].of->key[0] != heads)
		l.blend.provenance = SC_SUBSTITUTED;
	return l;
}

/* ---- what a layer calls ---- */

static const uint32_t op_of_module[2] = {SC_OPLAW_MODULE_PREFILL,
					 SC_OPLAW_MODULE_DECODE};
static const uint32_t op_of_core[2] = {SC_OPLAW_MLA_PREFILL,
				       SC_OPLAW_MLA_DECODE};

/* Modules were measured for DeepSeek-V3 alone. */
static int is_the_module(const struct inst *s, const sc_layers *g)
{
	return s->hidden == SC_MLA_HIDDEN && g->q_lora_rank == SC_MLA_Q_RANK;
}

/* The modules of the engines that measured them: the faster counts, since some
 * have a floor of host time. */
static void find_modules(struct inst *s, struct mla_call *m, int phase,
			 struct dtype gemm, const char *kv, double heads)
{
	const struct order order = engines_for(s, ORDER_MODULES, NULL);
	struct dtype dtype = dtype_of_module(s, gemm);
	const struct sc_op_key row_key = {op_of_module[phase], dtype.name, kv,
					  NULL, NULL};
	struct kernels of[MAX_MODULES];
	m->n_modules[phase] = kernels_of_each(s, &row_key, &order, of);
	for (uint32_t i = 0; i < m->n_modules[phase]; i++) {
		of[i].provenance = sc_worse(of[i].provenance, dtype.provenance);
		least_store(&of[i].least, dtype.bytes);
		m->module[phase][i] = mla_shape(s, &of[i], heads);
	}
}

static void find_around(struct inst *s, struct mla_call *m, int phase,
			const sc_layers *g, struct dtype dtype, double heads)
{
	double q = g->qk_nope_dim + g->qk_rope_dim, rank = g->q_lora_rank;
	double latent = g->kv_lora_rank, rope = g->qk_rope_dim;
	const struct {
		double n, k;
	} gemm[MAX_AROUND] = {
	    {(rank > 0 ? rank : q * heads) + latent + rope, s->hidden},
	    {s->hidden, g->v_dim * heads},
	    {rank > 0 ? q * heads : 0, rank},
	    {phase == SC_PREFILL ? (g->qk_nope_dim + g->v_dim) * heads : 0,
	     latent}};
	for (int i = 0; i < MAX_AROUND; i++)
		if (gemm[i].n > 0)
			m->around[phase][m->n_around[phase]++] =
			    gemm_for(s, dtype, gemm[i].n, gemm[i].k);
}

/* Finds the two batched products of a decode: from queries to the latent, and
 * from the latent to values. */
static void find_bmm(struct inst *s, struct mla_call *m, double heads)
{
	static const char *const kind[2] = {"mla_gen_pre", "mla_gen_post"};
	const struct sc_op_key row_key = {SC_OPLAW_GEMM, "bf16", NULL, NULL,
					  NULL};
	const double side[2] = {SC_MLA_LATENT, SC_MLA_V};
	for (int i = 0; i < 2; i++) {
		m->bmm[i] = bmm_for(s, kind[i], heads, NULL);
		m->bmm_by_law[i] = (struct gemm){
		    .by = kernels_in(s, NULL, &row_key, SC_FALLBACK),
		    .n = side[i] * heads,
		    .k = side[1 - i]};
	}
}

static void find_core(struct inst *s, struct mla_call *m, int phase,
		      const sc_layers *g, struct dtype dtype, double heads)
{
	const struct sc_op_key row_key = {
	    op_of_core[phase], "bf16",
	    dtype_of_cache(s->setup->model->kv_format), NULL, NULL};
	struct kernels by = kernels_for(s, &row_key, &heads, 1);
	m->core[phase] = mla_shape(s, &by, heads);
	find_around(s, m, phase, g, dtype, heads);
	m->small_us = s->number.core_small_kernels * s->k.small_us;
	if (phase == SC_DECODE)
		find_bmm(s, m, heads);
}

int32_t mla_for(struct inst *s, const sc_layers *g, double heads,
		struct mla_call *m, sc_error *err)
{
	const char *kv = dtype_of_cache(s->setup->model->kv_format);
	struct dtype dtype = dtype_of_gemm(s, g->attn_format, g->attn_bits,
					   activation_bits_of(g));
	double cached = g->kv_lora_rank + g->qk_rope_dim;
	if (cached != SC_MLA_CACHE)
		return sc_fail(err, SC_EUNSUP,
			       "%s: latent attention with %.0f cached elements "
			       "a token: kernels were measured with %.0f",
			       s->setup->model->name, cached, SC_MLA_CACHE);
	for (int phase = 0; phase < 2; phase++) {
		if (is_the_module(s, g))
			find_modules(s, m, phase, dtype, kv, heads);
		if (!m->n_modules[phase])
			find_core(s, m, phase, g, dtype, heads);
	}
	return SC_OK;
}

/* ---- asking ---- */

static void add(struct answer *sum, struct answer a)
{
	sum->us += a.us;
	sum->provenance = sc_worse(sum->provenance, a.provenance);
}

static struct memo_slot *slot_of(const struct inst *s, const struct mla_call *m,
				 int phase, double tokens, int *is_new)
{
	uint32_t kind = MEMO_AROUND + 2 * m->number + (uint32_t)phase;
	return memo_slot(s->memo, kind, tokens, 0, 0, is_new);
}

/* Returns the time of the projections of each module for these tokens. */
static const double *projections_us(const struct inst *s,
				    const struct mla_call *m, int phase,
				    double tokens)
{
	int is_new;
	struct memo_slot *slot = slot_of(s, m, phase, tokens, &is_new);
	for (uint32_t i = 0; is_new && i < m->n_modules[phase]; i++) {
		const struct lengths *of = &m->module[phase][i];
		slot->projections_us[i] = sc_oplaw_mla_projections_us(
		    &of->by.law, of->key[0], tokens);
	}
	return slot->projections_us;
}

/* Returns the time of the fastest measured module of latent attention: an
 * engine would use that one. */
static struct answer least(const struct inst *s, struct mla_call *m, int phase,
			   struct sc_logged batch, struct sc_logged len)
{
	double tokens = phase == SC_DECODE ? batch.v : len.v;
	const double *projections = projections_us(s, m, phase, tokens);
	struct answer best = {INFINITY, SC_FALLBACK};
	for (uint32_t i = 0; i < m->n_modules[phase]; i++) {
		struct lengths *of = &m->module[phase][i];
		double law = sc_oplaw_module_us(&of->by.law, projections[i],
						of->key[0], batch.v, len.v);
		struct answer a = lengths_beside(of, law, batch, len);
		if (a.us < best.us)
			best = a;
	}
	return best;
}

/* Returns the price of the kernels around the core for these tokens. */
static struct answer around_us(const struct inst *s, const struct mla_call *m,
			       int phase, double tokens)
{
	int is_new;
	struct memo_slot *slot = slot_of(s, m, phase, tokens, &is_new);
	if (!is_new)
		return slot->answer;
	slot->answer = (struct answer){m->small_us, SC_EXACT};
	for (uint32_t i = 0; i < m->n_around[phase]; i++)
		add(&slot->answer, gemm_us(&m->around[phase][i], tokens));
	for (int i = 0; i < 2 && phase == SC_DECODE; i++)
		add(&slot->answer, m->bmm[i].from
				       ? curve_us(&m->bmm[i], tokens)
				       : gemm_us(&m->bmm_by_law[i], tokens));
	return slot->answer;
}

struct answer mla_decode_us(const struct inst *s, struct mla_call *m,
			    struct sc_logged batch, struct sc_logged len)
{
	if (m->n_modules[SC_DECODE])
		return least(s, m, SC_DECODE, batch, len);
	struct answer a = lengths_us(&m->core[SC_DECODE], batch, len);
	add(&a, around_us(s, m, SC_DECODE, batch.v));
	return a;
}

/* No kernel of a chunk behind cached tokens was measured. */
static struct answer at_least(const struct lengths *l, struct answer a,
			      double tokens, double cached)
{
	a.us = fmax(a.us, lengths_least_us(l, sc_pairs(tokens, cached, 0),
					   cached, tokens));
	return a;
}

/* A chunk computes the attention of the whole prompt without that of its cached
 * part, and projects its own tokens. */
struct answer mla_prefill_us(const struct inst *s, struct mla_call *m,
			     double tokens, double cached)
{
	const struct sc_logged one = {1, 0};
	double all = tokens + cached;
	double attended = (all * all - cached * cached) / (all * all);
	struct sc_logged len = sc_logged_of(all);
	struct answer a;
	if (m->n_modules[SC_PREFILL]) {
		a = least(s, m, SC_PREFILL, one, len);
		a.us *= (attended + tokens / all) / 2;
		return cached > 0 ? at_least(&m->module[SC_PREFILL][0], a,
					     tokens, cached)
				  : a;
	}
	a = lengths_us(&m->core[SC_PREFILL], one, len);
	a.us *= attended;
	if (cached > 0)
		a = at_least(&m->core[SC_PREFILL], a, tokens, cached);
	add(&a, around_us(s, m, SC_PREFILL, tokens));
	return a;
}
