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

static int is_like(const struct sc_mixer_key *a, const struct sc_mixer_key *b)
{
	return a->op == b->op && a->indexer == b->indexer &&
	       a->ratio == b->ratio;
}

/* Rows of one row key follow each other in most tables, so the last one that
 * was found is asked first. */
int mixer_key_like(const struct inst *s, const struct set *set,
		   const struct sc_mixer_key *like, uint32_t i,
		   struct sc_mixer_key *row_key)
{
	enum { MOST = 64 };
	struct sc_mixer_key seen[MOST], is;
	struct sc_mixer_columns c;
	uint32_t n = 0;
	const sc_table *t = mixer_table_of(s, set, like->table, &c);
	for (uint64_t row = 0; t && row < t->n_rows && n < MOST; row++) {
		uint32_t at = n;
		if (!sc_mixer_key_of(&c, row, &is) || !is_like(&is, like))
			continue;
		while (at > 0 && !sc_mixer_same_key(&seen[at - 1], &is))
			at--;
		if (at > 0)
			continue;
		if (n == i) {
			*row_key = is;
			return 1;
		}
		seen[n++] = is;
	}
	return 0;
}

/* ---- sources ---- */

static void read_constants(struct sc_mixer_law *l,
			   const struct sc_mixer_key *row_key,
			   const sc_table *notes)
{
	const struct sc_mixer_constants *kind =
	    &sc_mixer_laws[sc_mixer_law_of(row_key->table, row_key->op)];
	char of[96];
	sc_mixer_key_numbers(row_key, of, sizeof of);
	sc_op_fitted(notes, sc_mixer_kinds[row_key->table].table, of,
		     kind->constant, kind->n, l->c);
}

static void make_row_group(struct inst *s, struct mixer_group *f)
{
	struct sc_mixer_columns c;
	struct sc_mixer_key is;
	uint64_t n = 0;
	const sc_table *t = mixer_table_of(s, f->set, f->row_key.table, &c);
	struct sc_rates rates = f->set->rates;
	if (!(rates.peak[SC_BF16] > 0) || !(rates.bandwidth > 0))
		rates = s->rates;
	f->law = sc_mixer_start(&f->row_key, &rates);
	read_constants(&f->law, &f->row_key, f->set->any);
	for (uint64_t i = 0; t && i < t->n_rows; i++)
		if (sc_mixer_key_of(&c, i, &is) &&
		    sc_mixer_same_key(&is, &f->row_key))
			n += (uint64_t)sc_mixer_point_of(&c, i,
							 &s->mixer_points[n]);
	n = sc_mixer_deduplicate(s->mixer_points, n);
	if (n == 0 || grid_build(&s->arena, &f->row_key, &f->law,
				 s->mixer_points, (uint32_t)n, &f->grid) < 0)
		f->grid.n_points = 0;
}

const struct mixer_group *mixer_group_of(struct inst *s, const struct set *set,
					 const struct sc_mixer_key *row_key)
{
	for (uint32_t i = 0; i < s->n_mixer_groups; i++) {
		struct mixer_group *f = &s->mixer_group[i];
		if (f->set == set && sc_mixer_same_key(&f->row_key, row_key))
			return f->grid.n_points ? f : NULL;
	}
	if (s->n_mixer_groups == MAX_MIXER_SOURCES)
		return NULL;
	struct mixer_group *f = &s->mixer_group[s->n_mixer_groups++];
	*f = (struct mixer_group){.set = set, .row_key = *row_key};
	make_row_group(s, f);
	return f->grid.n_points ? f : NULL;
}
