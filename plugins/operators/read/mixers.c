/* mixers.c -- Turns rows of one set for linear or sparse attention into a grid
 * of residuals of their law. */
#include "read/mixers.h"
#include "stepcost/kernel/operator_rows.h"
#include "inst.h"
#include "read/grid.h"

const sc_table *mixer_table_of(const struct inst *s, const struct set *set,
			       uint32_t table, struct sc_mixer_columns *c)
{
	for (uint32_t i = 0; i < s->setup->n_tables; i++) {
		const sc_table *t = s->setup->table[i];
		if (!strcmp(t->set, set->name) &&
		    sc_mixer_table(t->op) == table && sc_mixer_columns_of(c, t))
			return t;
	}
	return NULL;
}

/* ---- picks ---- */

static int is_like(const struct sc_mixer_pick *a, const struct sc_mixer_pick *b)
{
	return a->op == b->op && a->indexer == b->indexer &&
	       a->ratio == b->ratio;
}

/* Rows of one pick follow each other in most tables, so the last one that was
 * found is asked first. */
int mixer_pick_like(const struct inst *s, const struct set *set,
		    const struct sc_mixer_pick *like, uint32_t i,
		    struct sc_mixer_pick *pick)
{
	enum { MOST = 64 };
	struct sc_mixer_pick seen[MOST], is;
	struct sc_mixer_columns c;
	uint32_t n = 0;
	const sc_table *t = mixer_table_of(s, set, like->table, &c);
	for (uint64_t row = 0; t && row < t->n_rows && n < MOST; row++) {
		uint32_t at = n;
		if (!sc_mixer_pick_of(&c, row, &is) || !is_like(&is, like))
			continue;
		while (at > 0 && !sc_mixer_same_pick(&seen[at - 1], &is))
			at--;
		if (at > 0)
			continue;
		if (n == i) {
			*pick = is;
			return 1;
		}
		seen[n++] = is;
	}
	return 0;
}

/* ---- sources ---- */

static void read_constants(struct sc_mixer_law *l,
			   const struct sc_mixer_pick *pick,
			   const sc_table *notes)
{
	const struct sc_mixer_constants *kind =
	    &sc_mixer_laws[sc_mixer_law_of(pick->table, pick->op)];
	char of[96];
	sc_mixer_pick_key(pick, of, sizeof of);
	sc_op_fitted(notes, sc_mixer_kinds[pick->table].table, of,
		     kind->constant, kind->n, l->c);
}

static void make_source(struct inst *s, struct mixer_source *f)
{
	struct sc_mixer_columns c;
	struct sc_mixer_pick is;
	uint64_t n = 0;
	const sc_table *t = mixer_table_of(s, f->set, f->pick.table, &c);
	struct sc_rates rates = f->set->rates;
	if (!(rates.peak[SC_BF16] > 0) || !(rates.bandwidth > 0))
		rates = s->rates;
	f->law = sc_mixer_start(&f->pick, &rates);
	read_constants(&f->law, &f->pick, f->set->any);
	for (uint64_t i = 0; t && i < t->n_rows; i++)
		if (sc_mixer_pick_of(&c, i, &is) &&
		    sc_mixer_same_pick(&is, &f->pick))
			n += (uint64_t)sc_mixer_point_of(&c, i,
							 &s->mixer_points[n]);
	n = sc_mixer_settle(s->mixer_points, n);
	if (n == 0 || grid_build(&s->arena, &f->pick, &f->law, s->mixer_points,
				 (uint32_t)n, &f->grid) < 0)
		f->grid.n_points = 0;
}

const struct mixer_source *mixer_source_of(struct inst *s,
					   const struct set *set,
					   const struct sc_mixer_pick *pick)
{
	for (uint32_t i = 0; i < s->n_mixer_sources; i++) {
		struct mixer_source *f = &s->mixer_source[i];
		if (f->set == set && sc_mixer_same_pick(&f->pick, pick))
			return f->grid.n_points ? f : NULL;
	}
	if (s->n_mixer_sources == MAX_MIXER_SOURCES)
		return NULL;
	struct mixer_source *f = &s->mixer_source[s->n_mixer_sources++];
	*f = (struct mixer_source){.set = set, .pick = *pick};
	make_source(s, f);
	return f->grid.n_points ? f : NULL;
}
