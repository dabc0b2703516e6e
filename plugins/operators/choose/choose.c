/* choose.c -- Says which set answers for an operator: the simulated engine's,
 * else another's; in the format, else the nearest that was measured. */
#include "choose/choose.h"
#include <math.h>
#include <string.h>
#include "choose/rates.h"
#include "inst.h"

struct order engines_for(const struct inst *s, const char *of,
			 const char *dtype)
{
	struct order o;
	uint32_t engine = s->engine;
	if (s->k.expert_engine != ENGINE_AUTO &&
	    !strcmp(of, sc_oplaw_kinds[SC_OPLAW_MOE].op))
		engine = (uint32_t)s->k.expert_engine;
	o.n = policy_order(s->policy, of, dtype, engine, o.engine);
	return o;
}

/* Among the sets of one GPU, from number `first`; thin: also with too few rows
 * for a law. */
static const struct row_group *choose_on(struct inst *s, uint32_t first,
					 const struct order *order,
					 const struct row_key *row_key,
					 int thin)
{
	double distance = s->set[first].distance;
	for (uint32_t e = 0; e < order->n; e++)
		for (uint32_t i = first;
		     i < s->n_sets && s->set[i].distance == distance; i++) {
			if (s->set[i].engine != order->engine[e])
				continue;
			const struct row_group *f =
			    row_group_of(s, &s->set[i], row_key);
			if (f && (thin || !f->is_thin))
				return f;
		}
	return NULL;
}

static uint32_t provenance_of(const struct inst *s, const struct row_group *f)
{
	int own = f->set->own && f->set->engine == s->engine;
	return own ? SC_EXACT : SC_SUBSTITUTED;
}

static const struct row_group *choose_wide(struct inst *s,
					   const struct order *order,
					   const struct row_key *row_key,
					   int thin, uint32_t *provenance)
{
	for (uint32_t i = 0; i < s->n_sets; i++) {
		if (i && s->set[i].distance == s->set[i - 1].distance)
			continue;
		const struct row_group *f =
		    choose_on(s, i, order, row_key, thin);
		if (!f)
			continue;
		*provenance = provenance_of(s, f);
		return f;
	}
	return NULL;
}

const struct row_group *choose(struct inst *s, const struct order *order,
			       const struct row_key *row_key,
			       uint32_t *provenance)
{
	return choose_wide(s, order, row_key, 1, provenance);
}

/* ---- substitutes of a format ---- */

/* How unlike the kernels of two dtypes are: by what they move. */
static double unlike(const struct inst *s, const struct sc_kernel_dtype *a,
		     const struct sc_kernel_dtype *b)
{
	return fabs(log(a->weight_bytes / b->weight_bytes)) +
	       s->number.activation_share *
		   fabs(log(a->activation_bytes / b->activation_bytes));
}

/* The nearest dtype but `rank` others, itself left out; NULL: there is none. */
static const char *dtype_near(const struct inst *s, const char *dtype,
			      uint32_t rank)
{
	const struct sc_kernel_dtype *own = sc_kernel_dtype(dtype), *best;
	uint32_t taken = 0; /* a bit a row */
	do {
		best = NULL;
		for (uint32_t j = 0; j < SC_N_KERNEL_DTYPES; j++) {
			const struct sc_kernel_dtype *d = &sc_kernel_dtypes[j];
			if (d == own || taken >> j & 1)
				continue;
			if (!best || unlike(s, own, d) < unlike(s, own, best))
				best = d;
		}
		if (!best)
			return NULL;
		taken |= 1u << (best - sc_kernel_dtypes);
	} while (rank-- > 0);
	return best->name;
}

/* The dtype number i of those that answer for one: itself, of a GEMM those that
 * the policy names, then the nearest. */
static const char *dtype_like(const struct inst *s,
			      const struct sc_op_key *want, uint32_t i)
{
	const struct policy_rows *p = s->policy;
	if (i-- == 0)
		return want->dtype;
	for (size_t k = 0; want->op == SC_OPLAW_GEMM && k < p->n_stand_ins;
	     k++) {
		const struct stand_in_row *r = &p->stand_in[k];
		if (r->word && strcmp(r->word, want->dtype) != 0)
			continue;
		if (i-- == 0)
			return r->by;
	}
	return dtype_near(s, want->dtype, i);
}

/* The rows to try for those that are wanted, the best first.  In each dtype:
 * the rows as wanted; experts with another routing, or attention with the other
 * KV cache; experts as a grouped GEMM. */
struct candidate {
	struct row_key row_key;
	uint32_t dtype, candidate, provenance;
};
enum { N_KINDS = 3 };

static int candidate_applies(struct candidate *w, const struct sc_op_key *want)
{
	int skewed = want->routing &&
		     !strcmp(want->routing, routing_words[ROUTING_SKEWED]);
	w->row_key.law.kv = want->kv;
	w->row_key.law.routing = want->routing;
	if (w->candidate == 1 && want->kv)
		w->row_key.law.kv = strcmp(want->kv, "fp8") ? "fp8" : "bf16";
	else if (w->candidate == 1 && want->routing)
		w->row_key.law.routing =
		    routing_words[skewed ? ROUTING_BALANCED : ROUTING_SKEWED];
	else if (w->candidate == 2 && want->routing)
		w->row_key.law.routing = "grouped";
	else
		return w->candidate == 0;
	return 1;
}

/* The next way; w begins as zero.  0: there is none. */
static int next_candidate(const struct inst *s, struct candidate *w,
			  const struct sc_op_key *want)
{
	if (!w->row_key.law.dtype)
		w->row_key.law = *want;
	else
		w->candidate++;
	while (w->candidate < N_KINDS && !candidate_applies(w, want))
		w->candidate++;
	if (w->candidate == N_KINDS) {
		w->candidate = 0;
		w->row_key.law.dtype = dtype_like(s, want, ++w->dtype);
		candidate_applies(w, want);
	}
	w->provenance = w->candidate == 2                   ? SC_FALLBACK
			: w->candidate == 1 || w->dtype > 0 ? SC_SUBSTITUTED
							    : SC_EXACT;
	return w->row_key.law.dtype != NULL;
}

struct kernels kernels_in(struct inst *s, const struct row_group *from,
			  const struct sc_op_key *row_key, uint32_t provenance)
{
	const struct sc_rates *set = &s->rates;
	if (from)
		set = &from->set->rates;
	else if (s->n_sets)
		set = &s->set[0].rates;
	int own = from && from->set->own;
	struct kernels k = {.from = from,
			    .provenance = provenance,
			    .law = law_at(own ? set : &s->rates,
					  own ? &s->rates : set, row_key)};
	const struct sc_rates *here = &s->rates;
	uint32_t cache = k.law.cached < 2 ? SC_FP8 : SC_BF16;
	k.least = (struct least){
	    .peak = least_peak(here, sc_kernel_dtype(row_key->dtype)->peak),
	    .peak_attention = least_peak(here, cache),
	    .bandwidth = here->bandwidth,
	    .weight_bytes = k.law.weight,
	    .cache_bytes = k.law.cached};
	if (from)
		memcpy(k.law.c, from->law.c, sizeof k.law.c);
	return k;
}

/* Returns 1 if most points of the shape lie far above the law.  Such a kernel
 * was not tuned, and another engine does not borrow its times. */
static int is_untuned(const struct inst *s, const struct row_group *f,
		      const double *key, int n)
{
	const struct sc_grid *is = row_group_find(f, key, n);
	uint32_t slow = 0, points = is ? is->start[is->n_rows] : 0;
	for (uint32_t i = is ? is->start[0] : 0; i < points; i++)
		slow += is->residual[i] > log(s->number.untuned_times);
	return is && 2 * slow > points - is->start[0];
}

/* Returns 1 if a source may answer for a shape: experts of another engine must
 * be tuned. */
static int is_sound(const struct inst *s, const struct row_group *f,
		    const struct sc_op_key *want, const double *key, int n)
{
	return f->set->engine == s->engine || want->op != SC_OPLAW_MOE ||
	       !is_untuned(s, f, key, n);
}

/* Few rows tell of their own shapes, and of others only if there are no more
 * of any format. */
struct kernels kernels_for(struct inst *s, const struct sc_op_key *want,
			   const double *key, int n)
{
	const struct order order =
	    engines_for(s, sc_oplaw_kinds[want->op].op, want->dtype);
	const struct row_key own = {.law = *want};
	uint32_t provenance;
	const struct row_group *f =
	    choose_wide(s, &order, &own, 1, &provenance);
	if (f && row_group_find(f, key, n) && is_sound(s, f, want, key, n))
		return kernels_in(s, f, want, provenance);
	for (int thin = 0; thin < 2; thin++) {
		struct candidate w = {0};
		while (next_candidate(s, &w, want)) {
			f = choose_wide(s, &order, &w.row_key, thin,
					&provenance);
			if (f && is_sound(s, f, want, key, n))
				return kernels_in(
				    s, f, want,
				    sc_worse(provenance, w.provenance));
		}
	}
	return kernels_in(s, NULL, want, SC_FALLBACK);
}

uint32_t kernels_of_each(struct inst *s, const struct sc_op_key *want,
			 const struct order *order,
			 struct kernels of[ENGINE_OTHER])
{
	struct candidate w = {0};
	uint32_t found = 0;
	while (!found && next_candidate(s, &w, want))
		for (uint32_t i = 0; i < s->n_sets && !found; i++)
			for (uint32_t e = 0; e < order->n; e++) {
				const struct order one = {
				    .n = 1, .engine = {order->engine[e]}};
				const struct row_group *f =
				    choose_on(s, i, &one, &w.row_key, 1);
				if (f)
					of[found++] = kernels_in(
					    s, f, want,
					    sc_worse(provenance_of(s, f),
						     w.provenance));
			}
	return found;
}
