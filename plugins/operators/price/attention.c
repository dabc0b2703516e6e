/* attention.c -- Prices attention kernels of one shape: their own points, or
 * those of the nearest shapes, with rows between rows. */
#include "price/attention.h"
#include <math.h>
#include "stepcost/kernel/attention_shapes.h"
#include "inst.h"
#include "read/grow.h"

enum { KEY_WINDOW = 3 };

static int is_decode(const struct row_group *f)
{
	return f->law.op == SC_OPLAW_DECODE;
}

/* ---- rows between rows ---- */

struct neighbours {
	uint32_t n;
	struct {
		const struct sc_grid *of;
		double batch, distance;
	} at[SC_ATTENTION_NEIGHBOURS];
};

static int has_row(const struct sc_grid *s, double row)
{
	for (uint32_t i = 0; i < s->n_rows; i++)
		if (s->row[i] == row)
			return 1;
	return 0;
}

/* Shapes of the same window that measured the same work, nearest first. */
static struct neighbours neighbours_of(const struct row_group *f,
				       const struct sc_grid *s, double row)
{
	struct neighbours d = {0};
	int decode = is_decode(f);
	for (uint32_t i = 0; i < f->n_grids; i++) {
		const struct sc_grid *of = &f->grid[i];
		double far = sc_attention_distance(decode, s->key, of->key);
		double batch =
		    sc_attention_like_batch(decode, s->key, row, of->key);
		if (of->key[KEY_WINDOW] != s->key[KEY_WINDOW] || !(far > 0) ||
		    far > SC_ATTENTION_FARTHEST || !has_row(of, batch))
			continue;
		uint32_t to = d.n < SC_ATTENTION_NEIGHBOURS
				  ? d.n++
				  : SC_ATTENTION_NEIGHBOURS;
		for (; to > 0 && d.at[to - 1].distance > far; to--)
			if (to < SC_ATTENTION_NEIGHBOURS)
				d.at[to] = d.at[to - 1];
		if (to < SC_ATTENTION_NEIGHBOURS) {
			d.at[to].of = of;
			d.at[to].batch = batch;
			d.at[to].distance = far;
		}
	}
	return d;
}

/* The residual halfway: partly the neighbours', partly that of linear
 * interpolation. */
static double halfway(const struct numbers *n, const struct row_group *f,
		      const struct sc_grid *s, const struct neighbours *d,
		      double row, struct sc_logged x)
{
	uint32_t used = 0, unused = SC_EXACT;
	double sum = 0, weights = 0;
	double linear = sc_grid_at(s, sc_logged_of(row), x, &unused);
	for (uint32_t i = 0; i < d->n && used < SC_BLEND_PARTS; i++) {
		uint32_t provenance = SC_EXACT;
		double r = sc_grid_at(d->at[i].of, sc_logged_of(d->at[i].batch),
				      x, &provenance);
		double weight =
		    1 / fmax(n->least_neighbour_distance, d->at[i].distance);
		if (provenance == SC_CLAMPED)
			continue;
		sum += weight * r;
		weights += weight;
		used++;
	}
	double donated = sc_attention_donated(is_decode(f));
	return used ? linear + donated * (sum / weights - linear) : linear;
}

/* Points where the narrower of its neighbours, the row above, has them. */
static void densify(struct inst *s, const struct row_group *f,
		    const struct sc_grid *from, struct sc_grid *to)
{
	struct growing g;
	uint32_t points = from->start[from->n_rows] - from->start[0];
	if (grow(&g, &s->arena, from, to, 2 * from->n_rows, 2 * points) < 0)
		return;
	for (uint32_t row = 0; row < from->n_rows; row++) {
		for (uint32_t j = from->start[row]; j < from->start[row + 1];
		     j++)
			grow_point(&g, grid_point(from, j), from->residual[j],
				   from->how[j]);
		grow_row(&g, from->row[row]);
		if (row + 1 == from->n_rows ||
		    from->row[row + 1] < SC_ATTENTION_GAP * from->row[row])
			continue;
		double between = sqrt(from->row[row] * from->row[row + 1]);
		struct neighbours d = neighbours_of(f, from, between);
		if (!d.n)
			continue;
		for (uint32_t j = from->start[row + 1];
		     j < from->start[row + 2]; j++) {
			struct sc_logged x = grid_point(from, j);
			grow_point(&g, x,
				   halfway(&s->number, f, from, &d, between, x),
				   SC_INTERPOLATED);
		}
		grow_row(&g, between);
	}
	grow_end(&g);
}

/* All grids with rows between rows; without room as they are. */
static const struct sc_grid *dense(struct inst *s, const struct row_group *from)
{
	struct row_group *f = &s->row_group[from - s->row_group];
	if (f->dense)
		return f->dense;
	f->dense = arena_take(&s->arena, f->n_grids, sizeof *f->dense);
	if (!f->dense)
		return f->grid;
	for (uint32_t i = 0; i < f->n_grids; i++)
		densify(s, f, &f->grid[i], &f->dense[i]);
	return f->dense;
}

/* ---- shapes that were not measured ---- */

/* Returns the window of the rows to begin with: this window if rows were
 * measured with it, else 0, full attention, which then counts at most the
 * window. */
static double neighbours_window(const struct row_group *f, double window)
{
	for (uint32_t i = 0; i < f->n_grids; i++)
		if (f->grid[i].key[KEY_WINDOW] == window)
			return window;
	return 0;
}

static void find_nearest(struct inst *s, struct lengths *l)
{
	const struct row_group *f = l->by.from;
	int decode = is_decode(f);
	double window = neighbours_window(f, l->key[KEY_WINDOW]), at[4],
	       sum = 0;
	const struct sc_grid *all = dense(s, f);
	struct sc_near near = {0};
	sc_attention_at(decode, l->key, at);
	for (uint32_t i = 0; i < f->n_grids; i++) {
		double is[4], d = 0;
		if (all[i].key[KEY_WINDOW] != window)
			continue;
		sc_attention_at(decode, all[i].key, is);
		for (int j = 0; j < 4; j++)
			d += (is[j] - at[j]) * (is[j] - at[j]);
		sc_near_keep(&near, &all[i], d);
	}
	for (uint32_t i = 0; i < near.n; i++)
		sum += sc_attention_weight(decode, near.distance[i]);
	for (uint32_t i = 0; i < near.n; i++) {
		double w = sc_attention_weight(decode, near.distance[i]);
		sc_blend_add(&l->blend, near.of[i], w / sum);
		l->blend.part[i].row = sc_logged_of(
		    sc_attention_batch(decode, l->key, near.of[i]->key));
		if (window != l->key[KEY_WINDOW])
			l->blend.part[i].most_x = l->key[KEY_WINDOW];
	}
	l->blend.provenance = near.n ? SC_SUBSTITUTED : SC_FALLBACK;
}

struct lengths attention_for(struct inst *s, uint32_t op, const char *dtype,
			     const char *kv, const double key[4])
{
	struct sc_op_key row_key = {op, dtype, kv, NULL, NULL};
	struct lengths l = {.by = kernels_for(s, &row_key, key, 4)};
	if (!l.by.from && strcmp(dtype, "bf16")) {
		row_key.dtype = "bf16";
		l.by = kernels_for(s, &row_key, key, 4);
	}
	memcpy(l.key, key, 4 * sizeof *key);
	double read_us = lengths_least_us(&l, 0, 1, 0);
	l.pair_us = lengths_least_us(&l, 1, 0, 0);
	l.cached_us = read_us;
	if (op == SC_OPLAW_DECODE)
		l.decode_us = fmax(l.cached_us, l.pair_us);
	if (!l.by.from)
		return l;
	const struct sc_grid *own = row_group_find(l.by.from, key, 4);
	if (own)
		sc_blend_add(&l.blend, own, 1);
	else
		find_nearest(s, &l);
	return l;
}

static struct stand *stand_of(struct lengths *l, struct sc_logged batch)
{
	uint32_t i = batch.v < UINT32_MAX ? (uint32_t)batch.v % BATCHES : 0;
	struct stand *at = &l->at[i];
	if (at->batch == 0)
		at->factor = 1; /* of residual 0 */
	if (at->batch != batch.v)
		sc_blend_rows_of(&l->blend, batch, &at->rows);
	at->batch = batch.v;
	return at;
}

/* What the law is multiplied by; beyond the lengths that were measured it is
 * always the same. */
static double factor_of(struct lengths *l, struct sc_logged batch,
			struct sc_logged len, uint32_t *provenance)
{
	struct stand *at = stand_of(l, batch);
	double residual =
	    sc_blend_between(&l->blend, &at->rows, len, provenance);
	if (at->residual != residual) {
		at->residual = residual;
		at->factor = exp(residual);
	}
	return at->factor;
}

/* ---- the least time ---- */

static int is_of_prompts(const struct lengths *l)
{
	uint32_t op = l->by.law.op;
	return op == SC_OPLAW_PREFILL || op == SC_OPLAW_MLA_PREFILL ||
	       op == SC_OPLAW_MODULE_PREFILL;
}

double lengths_least_us(const struct lengths *l, double pairs, double cached,
			double tokens)
{
	const struct least *is = &l->by.least;
	const double *key = l->key;
	if (l->cached_us > 0)
		return fmax(pairs * l->pair_us, cached * l->cached_us);
	uint32_t op = l->by.law.op;
	if (op == SC_OPLAW_DECODE || op == SC_OPLAW_PREFILL)
		return sc_least_us(
		    sc_work_attention(key[0], key[1], key[2], pairs, cached,
				      is->cache_bytes),
		    is->peak_attention, is->bandwidth, is->l2_bytes);
	double width = is_of_prompts(l) ? SC_MLA_QK + SC_MLA_V
					: SC_MLA_CACHE + SC_MLA_LATENT;
	struct sc_work core =
	    sc_work_latent(key[0], SC_MLA_LATENT, SC_MLA_CACHE - SC_MLA_LATENT,
			   width, pairs, cached, is->cache_bytes);
	struct sc_work around = {0, 0};
	if (op == SC_OPLAW_MODULE_DECODE || op == SC_OPLAW_MODULE_PREFILL)
		around = sc_work_gemm(tokens, sc_mla_weights(key[0]), 1,
				      is->weight_bytes);
	double compute_us =
	    (is->peak_attention > 0 ? core.flops / is->peak_attention : 0) +
	    (is->peak > 0 ? around.flops / is->peak : 0);
	double bytes = sc_floor_beyond(core.bytes + around.bytes, is->l2_bytes);
	return fmax(compute_us, bytes / is->bandwidth);
}

/* Returns the least time for `batch` whole prompts or decodes of this length.
 */
static double least_of(const struct lengths *l, double batch, double len)
{
	double window =
	    l->by.law.op == SC_OPLAW_DECODE || l->by.law.op == SC_OPLAW_PREFILL
		? l->key[KEY_WINDOW]
		: 0;
	if (is_of_prompts(l))
		return lengths_least_us(l, batch * sc_pairs(len, 0, window), 0,
					batch * len);
	double seen = batch * (window > 0 ? fmin(len, window) : len);
	return lengths_least_us(l, seen, seen, batch);
}

struct answer lengths_beside(struct lengths *l, double law_us,
			     struct sc_logged batch, struct sc_logged len)
{
	uint32_t provenance = sc_worse(l->by.provenance, l->blend.provenance);
	if (l->blend.n)
		law_us *= factor_of(l, batch, len, &provenance);
	struct answer a = {law_us, provenance};
	/* Measured decodes, too: a benchmark of one layer may find its KV cache
	 * in the L2 cache, the layers of a step do not. */
	if (l->decode_us > 0 && !(l->key[KEY_WINDOW] > 0)) {
		a.us = fmax(a.us, batch.v * len.v * l->decode_us);
		return a;
	}
	if (!least_applies(provenance))
		return a;
	return least_raise(a, least_of(l, batch.v, len.v));
}

struct answer lengths_us(struct lengths *l, struct sc_logged batch,
			 struct sc_logged len)
{
	return lengths_beside(
	    l, sc_oplaw_us(&l->by.law, l->key, batch.v, len.v), batch, len);
}
