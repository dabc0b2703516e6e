/* choose.c -- Says which set answers for an operator: the simulated engine's,
 * else another's; in the format, else the nearest that was measured. */
#include "choose/choose.h"
#include <math.h>
#include "choose/rates.h"
#include "inst.h"

void engines_from(uint32_t first, uint32_t order[N_ENGINES - 1])
{
	static const uint32_t usual[] = {ENGINE_VLLM, ENGINE_SGLANG,
					 ENGINE_TRTLLM};
	uint32_t n = 0;
	if (first != ENGINE_OTHER)
		order[n++] = first;
	for (uint32_t i = 0; i < 3; i++)
		if (usual[i] != first)
			order[n++] = usual[i];
	order[n] = ENGINE_OTHER;
}

/* Among the sets of one GPU, from number `first`; thin: also with too few rows
 * for a law. */
static const struct source *choose_on(struct inst *s, uint32_t first,
				      const uint32_t *order, int n,
				      const struct pick *pick, int thin)
{
	double distance = s->set[first].distance;
	for (int e = 0; e < n; e++)
		for (uint32_t i = first;
		     i < s->n_sets && s->set[i].distance == distance; i++) {
			if (s->set[i].engine != order[e])
				continue;
			const struct source *f = source_of(s, &s->set[i], pick);
			if (f && (thin || !f->is_thin))
				return f;
		}
	return NULL;
}

static uint32_t provenance_of(const struct inst *s, const struct source *f)
{
	int own = f->set->own && f->set->engine == s->engine;
	return own ? SC_EXACT : SC_SUBSTITUTED;
}

static const struct source *choose_wide(struct inst *s, const uint32_t *order,
					const struct pick *pick, int thin,
					uint32_t *provenance)
{
	for (uint32_t i = 0; i < s->n_sets; i++) {
		if (i && s->set[i].distance == s->set[i - 1].distance)
			continue;
		const struct source *f =
		    choose_on(s, i, order, N_ENGINES - 1, pick, thin);
		if (!f)
			continue;
		*provenance = provenance_of(s, f);
		return f;
	}
	return NULL;
}

const struct source *choose(struct inst *s, const uint32_t *order,
			    const struct pick *pick, uint32_t *provenance)
{
	return choose_wide(s, order, pick, 1, provenance);
}

/* ---- what stands in for a format ---- */

/* How unlike the kernels of two dtypes are: by what they move. */
static double unlike(const struct sc_kernel_dtype *a,
		     const struct sc_kernel_dtype *b)
{
	return fabs(log(a->weight_bytes / b->weight_bytes)) +
	       0.5 * fabs(log(a->activation_bytes / b->activation_bytes));
}

/* The i-th nearest dtype, itself first; of a GEMM after those that were found
 * to stand in best: fp8 for its blocks and for INT8, else bf16. */
static const char *dtype_like(const struct sc_op_pick *want, uint32_t i)
{
	const struct sc_kernel_dtype *own = sc_kernel_dtype(want->dtype);
	const struct sc_kernel_dtype *best = NULL;
	uint32_t taken = 0, n = want->op == SC_OPLAW_GEMM ? i - 2 : i;
	if (i == 0)
		return want->dtype;
	if (want->op == SC_OPLAW_GEMM && i == 1 &&
	    (!strcmp(want->dtype, "fp8_block") || !strcmp(want->dtype, "int8")))
		return "fp8";
	if (want->op == SC_OPLAW_GEMM && i <= 2)
		return "bf16";
	/* taken: a bit a row */
	for (uint32_t rank = 0; rank < n; rank++) {
		best = NULL;
		for (uint32_t j = 0; j < SC_N_KERNEL_DTYPES; j++) {
			const struct sc_kernel_dtype *d = &sc_kernel_dtypes[j];
			if (d == own || taken >> j & 1)
				continue;
			if (!best || unlike(own, d) < unlike(own, best))
				best = d;
		}
		if (!best)
			return NULL;
		taken |= 1u << (best - sc_kernel_dtypes);
	}
	return best->name;
}

/* Rows that stand in for those that are wanted, the best first: in each dtype
 * as asked; MoE otherwise routed, then as a grouped GEMM; the other KV cache.
 */
struct way {
	struct pick pick;
	uint32_t dtype, way, provenance;
};
enum { N_WAYS = 3 };

static int way_applies(struct way *w, const struct sc_op_pick *want)
{
	int skewed = want->routing &&
		     !strcmp(want->routing, routing_words[ROUTING_SKEWED]);
	w->pick.law.kv = want->kv;
	w->pick.law.routing = want->routing;
	if (w->way == 1 && want->kv)
		w->pick.law.kv = strcmp(want->kv, "fp8") ? "fp8" : "bf16";
	else if (w->way == 1 && want->routing)
		w->pick.law.routing =
		    routing_words[skewed ? ROUTING_BALANCED : ROUTING_SKEWED];
	else if (w->way == 2 && want->routing)
		w->pick.law.routing = "grouped";
	else
		return w->way == 0;
	return 1;
}

/* The next way; w begins as zero.  0: there is none. */
static int next_way(struct way *w, const struct sc_op_pick *want)
{
	if (!w->pick.law.dtype)
		w->pick.law = *want;
	else
		w->way++;
	while (w->way < N_WAYS && !way_applies(w, want))
		w->way++;
	if (w->way == N_WAYS) {
		w->way = 0;
		w->pick.law.dtype = dtype_like(want, ++w->dtype);
		way_applies(w, want);
	}
	w->provenance = w->way == 2                   ? SC_FALLBACK
			: w->way == 1 || w->dtype > 0 ? SC_SUBSTITUTED
						      : SC_EXACT;
	return w->pick.law.dtype != NULL;
}

struct kernels kernels_in(struct inst *s, const struct source *from,
			  const struct sc_op_pick *pick, uint32_t provenance)
{
	const struct sc_rates *set = &s->rates;
	if (from)
		set = &from->set->rates;
	else if (s->n_sets)
		set = &s->set[0].rates;
	int own = from && from->set->own;
	struct kernels k = {
	    .from = from,
	    .provenance = provenance,
	    .law = law_at(own ? set : &s->rates, own ? &s->rates : set, pick)};
	if (from)
		memcpy(k.law.c, from->law.c, sizeof k.law.c);
	return k;
}

/* In what order engines answer for an op. */
static void order_for(const struct inst *s, const struct sc_op_pick *want,
		      uint32_t order[N_ENGINES - 1])
{
	int lean = want->op == SC_OPLAW_GEMM && s->engine == ENGINE_TRTLLM &&
		   (!strcmp(want->dtype, "fp8") || !strcmp(want->dtype, "fp4"));
	engines_from(s->engine, order);
	if (lean) { /* its own table has a floor that it does not serve with */
		order[0] = ENGINE_SGLANG;
		order[1] = ENGINE_TRTLLM;
		order[2] = ENGINE_VLLM;
	}
}

/* Kernels of experts that were not tuned take 3.5 to 6 times as long as tuned
 * ones; tuned ones differ by 1.3. */
#define UNTUNED 2.5

/* Another engine's kernel for the shape is no kernel to borrow: most of its
 * points lie far above the law. */
static int is_untuned(const struct source *f, const double *key, int n)
{
	const struct sc_surface *is = source_find(f, key, n);
	uint32_t slow = 0, points = is ? is->start[is->n_rows] : 0;
	for (uint32_t i = is ? is->start[0] : 0; i < points; i++)
		slow += is->residual[i] > log(UNTUNED);
	return is && 2 * slow > points - is->start[0];
}

/* May answer for a shape: all but what is borrowed, and not tuned. */
static int is_sound(const struct inst *s, const struct source *f,
		    const struct sc_op_pick *want, const double *key, int n)
{
	return f->set->engine == s->engine || want->op != SC_OPLAW_MOE ||
	       !is_untuned(f, key, n);
}

/* Few rows tell of their own shapes, and of others only if there are no more
 * of any format. */
struct kernels kernels_for(struct inst *s, const struct sc_op_pick *want,
			   const double *key, int n)
{
	uint32_t order[N_ENGINES - 1], provenance;
	const struct pick own = {.law = *want};
	order_for(s, want, order);
	const struct source *f = choose_wide(s, order, &own, 1, &provenance);
	if (f && source_find(f, key, n) && is_sound(s, f, want, key, n))
		return kernels_in(s, f, want, provenance);
	for (int thin = 0; thin < 2; thin++) {
		struct way w = {0};
		while (next_way(&w, want)) {
			f = choose_wide(s, order, &w.pick, thin, &provenance);
			if (f && is_sound(s, f, want, key, n))
				return kernels_in(
				    s, f, want,
				    sc_worse(provenance, w.provenance));
		}
	}
	return kernels_in(s, NULL, want, SC_FALLBACK);
}

uint32_t kernels_of_each(struct inst *s, const struct sc_op_pick *want,
			 const uint32_t *engine, uint32_t n, struct kernels *of)
{
	struct way w = {0};
	uint32_t found = 0;
	while (!found && next_way(&w, want))
		for (uint32_t i = 0; i < s->n_sets && !found; i++)
			for (uint32_t e = 0; e < n; e++) {
				const struct source *f =
				    choose_on(s, i, &engine[e], 1, &w.pick, 1);
				if (f)
					of[found++] = kernels_in(
					    s, f, want,
					    sc_worse(provenance_of(s, f),
						     w.provenance));
			}
	return found;
}
