/* mixer.c -- Finds the rows that answer for linear and sparse attention, and
 * asks them. */
#include "price/mixer.h"
#include <math.h>
#include "inst.h"

/* ---- what answers ---- */

static struct mixer_by by_source(const struct inst *s,
				 const struct mixer_group *f,
				 const struct sc_mixer_key *want)
{
	int own = f->set->own && f->set->rates.bandwidth > 0;
	int same = f->set->own && f->set->engine == s->engine &&
		   sc_mixer_same_key(&f->row_key, want);
	struct mixer_by by = {
	    .from = f,
	    .law = sc_mixer_start(want, own ? &f->set->rates : &s->rates),
	    .provenance = same ? SC_EXACT : SC_SUBSTITUTED};
	memcpy(by.law.c, f->law.c, sizeof by.law.c);
	return by;
}

static struct mixer_by by_law(const struct inst *s,
			      const struct sc_mixer_key *want)
{
	return (struct mixer_by){.law = sc_mixer_start(want, &s->rates),
				 .provenance = SC_FALLBACK};
}

static void add_by(struct mixer *m, struct mixer_by by)
{
	if (m->n < MAX_MIXER_BY)
		m->by[m->n++] = by;
}

/* How unlike two modules are. */
static int unlike(const struct sc_mixer_key *a, const struct sc_mixer_key *b)
{
	return 4 * !sc_mixer_same_word(a->model, b->model) +
	       2 * !sc_mixer_same_word(a->gemm, b->gemm) +
	       !sc_mixer_same_word(a->kv, b->kv);
}

/* Adds what a set has for a kernel: all kernels of a linear op, or the nearest
 * module.  Returns 0 if it has nothing. */
static int add_of_set(struct inst *s, const struct set *set,
		      const struct sc_mixer_key *want, struct mixer *m)
{
	struct sc_mixer_key is, best = *want;
	uint32_t before = m->n;
	int least = -1;
	for (uint32_t i = 0; mixer_key_like(s, set, want, i, &is); i++) {
		if (!sc_mixer_kinds[want->table].is_sparse) {
			const struct mixer_group *f =
			    mixer_group_of(s, set, &is);
			if (f)
				add_by(m, by_source(s, f, &is));
		} else if (least < 0 || unlike(&is, want) < least) {
			least = unlike(&is, want);
			best = is;
		}
	}
	const struct mixer_group *f =
	    least < 0 ? NULL : mixer_group_of(s, set, &best);
	if (f)
		add_by(m, by_source(s, f, want));
	return m->n > before;
}

/* Adds what the engines of an order have on the nearest GPU that any of them
 * has it for: the first engine's, or that of each. */
static void add_nearest(struct inst *s, const struct order *order, int each,
			const struct sc_mixer_key *want, struct mixer *m)
{
	for (uint32_t first = 0; first < s->n_sets && !m->n; first++) {
		double distance = s->set[first].distance;
		if (first && distance == s->set[first - 1].distance)
			continue;
		for (uint32_t e = 0; e < order->n && (each || !m->n); e++)
			for (uint32_t i = first;
			     i < s->n_sets && s->set[i].distance == distance;
			     i++)
				if (s->set[i].engine == order->engine[e] &&
				    add_of_set(s, &s->set[i], want, m))
					break;
	}
}

struct mixer mixer_for_linear(struct inst *s, uint32_t table, uint32_t op,
			      const struct sc_linear *what)
{
	const struct sc_mixer_key want = {.table = table, .op = op};
	const struct order order =
	    engines_for(s, sc_mixer_kinds[table].table, NULL);
	struct mixer m = {.what.linear = *what};
	add_nearest(s, &order, 0, &want, &m);
	if (!m.n)
		add_by(&m, by_law(s, &want));
	return m;
}

/* DSA's prefill in vLLM's and TensorRT-LLM's tables has host time. */
static int has_host_time(const struct inst *s, uint32_t table)
{
	return table == SC_MIXER_DSA_PREFILL &&
	       (s->engine == ENGINE_VLLM || s->engine == ENGINE_TRTLLM);
}

struct mixer mixer_for_sparse(struct inst *s,
			      const struct sc_mixer_key *row_key,
			      const struct sc_sparse *what, int is_step)
{
	const struct order order =
	    engines_for(s, sc_mixer_kinds[row_key->table].table, NULL);
	struct mixer m = {.what.sparse = *what};
	add_nearest(s, &order, is_step && has_host_time(s, row_key->table),
		    row_key, &m);
	if (!m.n)
		add_by(&m, by_law(s, row_key));
	return m;
}

/* ---- asking ---- */

static struct answer ask(const struct mixer_by *by, const struct sc_mixer *what,
			 const struct sc_mixer_at *at)
{
	struct answer a = {sc_mixer_us(&by->law, what, at), by->provenance};
	double axis[SC_MIXER_AXES];
	if (!by->from)
		return a;
	sc_mixer_axes(by->law.table, what, at, axis);
	a.us *= exp(sc_mixer_residual(&by->from->grid, by->law.table, axis,
				      &a.provenance));
	return a;
}

struct answer mixer_us(const struct mixer *m, const struct sc_mixer_at *at,
		       uint32_t *which)
{
	struct answer best = {INFINITY, SC_FALLBACK};
	for (uint32_t i = 0; i < m->n; i++) {
		struct answer a = ask(&m->by[i], &m->what, at);
		if (a.us < best.us) {
			best = a;
			if (which)
				*which = i;
		}
	}
	return best;
}
