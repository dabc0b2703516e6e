/* floor.c -- Adds up the work of a step or kernel, and the least time for it.
 */
#include "cost/floor.h"
#include <stdio.h>
#include "stepcost/sum.h"

const char *const floor_part_name[N_FLOOR_PARTS] = {
    "step", "gemm", "prefill_attention", "decode_attention", "comm"};
const char *const floor_limit_name[N_FLOOR_LIMITS] = {"memory", "compute",
						      "links"};

int floor_is_below(double us, double least_us)
{
	const double rounding = 1e-6; /* of sums, as a share */
	return isless(us, least_us * (1 - rounding));
}

/* A step as sums over its requests, by phase. */
struct totals {
	double tokens, cached[2], pairs[2];
};

static void add_prompts(struct totals *sum, const sc_step *s)
{
	for (uint32_t i = 0; i < s->n_prefill; i++) {
		double fresh = s->prefill_new[i], cached = s->prefill_ctx[i];
		sum->tokens += fresh;
		sum->cached[SC_PREFILL] += cached;
		sum->pairs[SC_PREFILL] += sc_pairs(fresh, cached, 0);
	}
}

static double at_least_1(double n)
{
	return n > 1 ? n : 1;
}

/* Returns 1 if the model is too small for experts of three matrices. */
static int experts_are_ungated(const struct floor *f)
{
	const sc_model *m = f->setup->model;
	const struct floor_ranks whole = {m, 1, 1, 3};
	double n = (m->tied_embeddings ? 1. : 2.) * m->vocab * m->hidden;
	for (uint32_t i = 0; i < m->n_groups; i++) {
		const sc_layers *g = m->group[i];
		struct sc_moe e = floor_experts(&whole, g);
		double layer = floor_attention_weights(&whole, g) +
			       floor_dense_weights(&whole, g);
		if (floor_has_experts(g))
			layer += g->n_experts * sc_moe_weights(&e) +
				 floor_shared_weights(&whole, g);
		n += g->n_layers * layer;
	}
	return m->n_params > 0 && n > 1.001 * (double)m->n_params;
}

/* ---- rates ---- */

static uint32_t activation_bits(const sc_layers *g)
{
	return SC_HAS(g, activation_bits) ? g->activation_bits : 0;
}

static double or_nothing(double amount, double rate)
{
	return rate > 0 ? amount / rate : 0;
}

/* Adds `layers` times n weights that each token passes. */
static void add_matrices(struct floor *f, const sc_layers *g, double n,
			 double bits, uint32_t format, int is_latent)
{
	double read_us = or_nothing(g->n_layers * n * bits / 8, f->bandwidth);
	double token_us = or_nothing(
	    g->n_layers * 2 * n,
	    sc_floor_multiplies(f->peak, format, activation_bits(g)));
	f->of.weights_us += read_us;
	f->of.token_us += token_us;
	if (!is_latent) {
		f->of.gemm_weights_us += read_us;
		f->of.gemm_token_us += token_us;
	}
}

static void add_experts(struct floor *f, const sc_layers *g)
{
	struct sc_moe e = floor_experts(&f->ranks, g);
	struct sc_work one = sc_work_moe(&e, 1, g->expert_bits / 8);
	struct sc_work shared = sc_work_gemm(
	    1, 1, floor_shared_weights(&f->ranks, g), g->ffn_bits / 8);
	uint32_t bits = activation_bits(g);
	double read_us =
	    or_nothing(g->n_layers * (one.bytes + shared.bytes), f->bandwidth);
	f->of.weights_us += read_us;
	f->of.gemm_weights_us += read_us;
	f->of.expert_read_us +=
	    or_nothing(g->n_layers * one.bytes, f->bandwidth);
	f->experts = g->n_experts;
	f->experts_per_token = g->experts_per_token;
	f->of.expert_token_us +=
	    g->n_layers *
	    (or_nothing(one.flops,
			sc_floor_multiplies(f->peak, g->expert_format, bits)) +
	     or_nothing(shared.flops,
			sc_floor_multiplies(f->peak, g->ffn_format, bits)));
}

static double attention_peak(const struct floor *f)
{
	return sc_floor_peak(f->peak,
			     8 * sc_format_bytes(f->setup->model->kv_format));
}

static void add_attention(struct floor *f, const sc_layers *g)
{
	for (int phase = 0; phase < 2; phase++) {
		struct sc_work w =
		    floor_attention_work(&f->ranks, g, phase, 1, 1);
		f->of.pair_us[phase] +=
		    or_nothing(g->n_layers * w.flops, attention_peak(f));
		if (phase == SC_DECODE)
			f->of.cached_us +=
			    or_nothing(g->n_layers * w.bytes, f->bandwidth);
	}
	f->sees_a_part |= floor_reads_cache(g) &&
			  g->attention != SC_ATTN_FULL &&
			  g->attention != SC_ATTN_MLA;
}

/* Returns how many all-reduces a layer has. */
static double reduces_of(const struct floor *f, const sc_layers *g)
{
	double experts = g->ffn == SC_FFN_MOE;
	return (g->attention != SC_ATTN_NONE) +
	       (f->ranks.dp > 1 ? 0 : experts) +
	       (g->ffn != SC_FFN_NONE && !experts);
}

static void add_group(struct floor *f, const sc_layers *g)
{
	f->layers += g->n_layers;
	const double message = 2 * (double)f->setup->model->hidden;
	add_matrices(f, g, floor_attention_weights(&f->ranks, g), g->attn_bits,
		     g->attn_format, floor_has_latent(g));
	add_matrices(f, g, floor_dense_weights(&f->ranks, g), g->ffn_bits,
		     g->ffn_format, 0);
	if (floor_has_experts(g))
		add_experts(f, g);
	add_attention(f, g);
	f->of.comm_token_us +=
	    or_nothing(g->n_layers * reduces_of(f, g) *
			   sc_floor_message(message, f->ranks.tp),
		       f->link);
}

static void add_head(struct floor *f)
{
	const sc_model *m = f->setup->model;
	struct sc_work w = sc_work_gemm(1, m->vocab / f->ranks.tp, m->hidden,
					m->head_bits / 8);
	f->of.head_us = or_nothing(w.bytes, f->bandwidth);
	f->of.sampled_us = or_nothing(
	    w.flops, sc_floor_multiplies(f->peak, m->head_format, 0));
}

static void set_bounds(struct floor *f)
{
	const struct floor_rates *of = &f->of;
	f->most = (struct floor_bounds){
	    .weights_us = of->weights_us + of->head_us,
	    .gemm_weights_us = of->gemm_weights_us,
	    .token_us = of->token_us + of->expert_token_us + of->sampled_us,
	    .gemm_token_us = of->gemm_token_us + of->expert_token_us,
	    .decode_us = of->token_us + of->expert_token_us + of->sampled_us +
			 of->pair_us[SC_DECODE],
	    .cached_us = of->cached_us,
	    .pair_us = {of->pair_us[0], of->pair_us[1]},
	    .comm_token_us = of->comm_token_us};
}

void floor_of(struct floor *f, const sc_setup *setup, uint32_t capabilities)
{
	*f = (struct floor){.setup = setup};
	if (!setup)
		return;
	f->ranks.model = setup->model;
	const sc_hardware *hw = setup->hardware;
	const sc_parallel *p = setup->parallel;
	for (uint32_t i = 0; i < SC_FORMAT_CODES; i++)
		f->peak[i] = hw->peak_flops[i] / 1e6;
	f->bandwidth = hw->mem_bandwidth / 1e6;
	f->link = hw->link_bandwidth / 1e6;
	f->l2_bytes = hw->l2_bytes;
	f->ranks.tp = at_least_1(p->tp);
	f->pp = at_least_1(p->pp);
	f->ranks.dp = at_least_1(p->dp);
	f->is_additive = (capabilities & SC_CAP_ADDITIVE) != 0;
	f->ranks.matrices = experts_are_ungated(f) ? 2 : 3;
	for (uint32_t i = 0; i < setup->model->n_groups; i++)
		add_group(f, setup->model->group[i]);
	add_head(f);
	set_bounds(f);
}

/* ---- a step ---- */

/* GEMMs of a layer, at most: of queries, keys and values, of attention's
 * output, up and gate, down. */
enum { MATRICES = 4 };

/* The least times of a step by what they are spent on. */
struct sums {
	double tokens;
	double cached_us[2], pair_us[2]; /* by phase */
};

/* Adds up a step, whichever way its decodes are. */
static inline __attribute__((always_inline)) struct totals
add_up(const sc_step *s)
{
	double cached = (double)(int64_t)sc_decode_ctx_sum(s), n = s->n_decode;
	struct totals sum = {n, {0, cached}, {0, cached + n}};
	if (s->n_prefill)
		add_prompts(&sum, s);
	if (!s->decode_new)
		return sum;
	sum.tokens += (double)(int64_t)sc_sum(s->decode_new, s->n_decode) - n;
	sum.pairs[SC_DECODE] = 0;
	for (uint32_t i = 0; i < s->n_decode; i++)
		sum.pairs[SC_DECODE] +=
		    sc_pairs(s->decode_new[i], s->decode_ctx[i], 0);
	return sum;
}

/* As if each layer saw the whole context. */
static inline __attribute__((always_inline)) struct sums
sums_most(const struct floor *f, const sc_step *s)
{
	struct totals all = add_up(s);
	struct sums sum = {.tokens = all.tokens};
	for (int phase = 0; phase < 2; phase++) {
		sum.cached_us[phase] = all.cached[phase] * f->of.cached_us;
		sum.pair_us[phase] = all.pairs[phase] * f->of.pair_us[phase];
	}
	return sum;
}

/* Adds a request to the pairs and cached tokens of a layer. */
static void add_request(const sc_layers *g, double fresh, double cached,
			double *pairs, double *seen)
{
	double window = g->window;
	if (g->attention == SC_ATTN_CHUNK && window > 0) {
		*pairs += sc_pairs_in_chunks(fresh, cached, window);
		*seen += fmod(cached, window);
	} else if (g->attention == SC_ATTN_WINDOW && window > 0) {
		*pairs += sc_pairs(fresh, cached, window);
		*seen += fmin(cached, window - 1);
	} else {
		*pairs += sc_pairs(fresh, cached, 0);
		*seen += cached;
	}
}

/* As each layer sees it; takes time for each request and group of layers. */
static void see_exactly(const struct floor *f, const sc_step *s,
			struct sums *sum)
{
	const sc_model *m = f->setup->model;
	for (int phase = 0; phase < 2; phase++)
		sum->cached_us[phase] = sum->pair_us[phase] = 0;
	for (uint32_t k = 0; k < m->n_groups; k++) {
		const sc_layers *g = m->group[k];
		double pairs[2] = {0, 0}, seen[2] = {0, 0};
		for (uint32_t i = 0; i < s->n_prefill; i++)
			add_request(g, s->prefill_new[i], s->prefill_ctx[i],
				    &pairs[SC_PREFILL], &seen[SC_PREFILL]);
		for (uint32_t i = 0; i < s->n_decode; i++)
			add_request(g, s->decode_new ? s->decode_new[i] : 1,
				    s->decode_ctx[i], &pairs[SC_DECODE],
				    &seen[SC_DECODE]);
		for (int phase = 0; phase < 2; phase++) {
			struct sc_work w = floor_attention_work(
			    &f->ranks, g, phase, pairs[phase], seen[phase]);
			sum->cached_us[phase] +=
			    or_nothing(g->n_layers * w.bytes, f->bandwidth);
			sum->pair_us[phase] += or_nothing(g->n_layers * w.flops,
							  attention_peak(f));
		}
	}
}

/* Returns the share of a rank in the requests of a step. */
static double share_of(const struct floor *f, const sc_step *s)
{
	int is_group = !SC_HAS(s, dp_tokens) || s->dp_tokens == 0;
	return 1 / (is_group ? f->pp * f->ranks.dp : f->pp);
}

/* Returns the longest of the times of memory, computing and links, and which it
 * is.  caches: how often a read finds its data in the second-level cache. */
static double longest(const struct floor *f, double memory_us, double caches,
		      double compute_us, double links_us,
		      enum floor_limit *limit)
{
	double l2_bytes =
	    caches > 1 ? caches * sc_floor_cache(f->l2_bytes) : f->l2_bytes;
	double us =
	    sc_floor_beyond(memory_us, or_nothing(l2_bytes, f->bandwidth));
	*limit = FLOOR_MEMORY;
	if (compute_us > us) {
		us = compute_us;
		*limit = FLOOR_COMPUTE;
	}
	if (links_us > us) {
		us = links_us;
		*limit = FLOOR_LINKS;
	}
	return us;
}

static double least_us(const struct floor *f, const sc_step *s,
		       const struct sums *sum, enum floor_part part,
		       enum floor_limit *limit)
{
	const struct floor_rates *of = &f->of;
	const double share = share_of(f, s), tokens = share * sum->tokens;
	const double experts_us = of->expert_token_us * sum->tokens / f->pp;
	const double links_us = of->comm_token_us * tokens;
	int phase = part == FLOOR_DECODE_ATTENTION;
	if (!(sum->tokens > 0))
		return 0;
	switch (part) {
	case FLOOR_STEP:
		return longest(
		    f,
		    of->weights_us + (s->n_sampled ? of->head_us : 0) +
			share * (sum->cached_us[0] + sum->cached_us[1]),
		    1,
		    of->token_us * tokens + experts_us +
			share * (of->sampled_us * s->n_sampled +
				 sum->pair_us[0] + sum->pair_us[1]),
		    links_us, limit);
	case FLOOR_GEMM:
		return longest(f, of->gemm_weights_us, MATRICES * f->layers,
			       of->gemm_token_us * tokens + experts_us, 0,
			       limit);
	case FLOOR_COMM:
		return longest(f, 0, 1, 0, links_us, limit);
	default:
		return longest(f, share * sum->cached_us[phase], f->layers,
			       share * sum->pair_us[phase], 0, limit);
	}
}

double floor_step_us(const struct floor *f, const sc_step *step,
		     enum floor_part part, enum floor_limit *limit)
{
	*limit = FLOOR_MEMORY;
	if (!f->setup)
		return 0;
	struct sums sum = sums_most(f, step);
	if (f->sees_a_part)
		see_exactly(f, step, &sum);
	return least_us(f, step, &sum, part, limit);
}

/* Experts are chosen evenly: of E, n tokens that choose k each read
 * E (1 - (1 - k / E)^n). */
static double read_by(const struct floor *f, double tokens)
{
	double e = f->experts, k = f->experts_per_token;
	if (!(e > k) || !(k > 0))
		return 1;
	return e / k * (1 - pow(1 - k / e, at_least_1(tokens)));
}

struct floor_work floor_work(const struct floor *f, const sc_step *s)
{
	const struct floor_rates *of = &f->of;
	if (!f->setup)
		return (struct floor_work){0, 0};
	struct sums sum = sums_most(f, s);
	if (f->sees_a_part)
		see_exactly(f, s, &sum);
	const double share = share_of(f, s), tokens = share * sum.tokens;
	return (struct floor_work){
	    of->weights_us + of->expert_read_us * (read_by(f, sum.tokens) - 1) +
		(s->n_sampled ? of->head_us : 0) +
		share * (sum.cached_us[0] + sum.cached_us[1]),
	    of->token_us * tokens + of->expert_token_us * sum.tokens / f->pp +
		share * (of->sampled_us * s->n_sampled + sum.pair_us[0] +
			 sum.pair_us[1])};
}

/* ---- an answer ---- */

/* Returns NaN if there is no such part. */
static double time_of(const sc_result *r, enum floor_part part)
{
	const double *gemm = r->gemm_us;
	switch (part) {
	case FLOOR_STEP:
		/* Cost models round; NaN: this one does not. */
		return fmax(r->total_us, r->exact_us);
	case FLOOR_GEMM:
		return isnan(gemm[0])   ? gemm[1]
		       : isnan(gemm[1]) ? gemm[0]
					: gemm[0] + gemm[1];
	case FLOOR_PREFILL_ATTENTION:
		return r->attention_us[SC_PREFILL];
	case FLOOR_DECODE_ATTENTION:
		return r->attention_us[SC_DECODE];
	default:
		return r->comm_us;
	}
}

/* Finds the part of an answer that is furthest below what *sum allows. */
static int find_worst(const struct floor *f, const sc_step *s,
		      const struct sums *sum, const sc_result *r,
		      struct floor_finding *worst)
{
	int n = f->is_additive ? N_FLOOR_PARTS : 1, found = 0;
	for (int i = 0; i < n; i++) {
		enum floor_limit limit = FLOOR_MEMORY;
		double least = least_us(f, s, sum, (enum floor_part)i, &limit);
		double us = time_of(r, (enum floor_part)i);
		if (!floor_is_below(us, least))
			continue;
		if (!found || us / least < worst->us / worst->least_us)
			*worst = (struct floor_finding){(enum floor_part)i,
							limit, us, least};
		found = 1;
	}
	return found;
}

/* The parts of a sum; a part that is NaN is not below. */
static int allows_parts(const struct floor_bounds *b, const struct totals *sum,
			const sc_step *s, const sc_result *r)
{
	const double *gemm = r->gemm_us, *attention = r->attention_us;
	double gemm_us = (s->n_prefill ? gemm[SC_PREFILL] : 0) +
			 (s->n_decode ? gemm[SC_DECODE] : 0);
	for (int i = s->n_prefill ? SC_PREFILL : SC_DECODE; i < 2; i++)
		if (isless(attention[i], b->cached_us * sum->cached[i]) ||
		    isless(attention[i], b->pair_us[i] * sum->pairs[i]))
			return 0;
	return !isless(gemm_us, b->gemm_weights_us) &&
	       !isless(gemm_us, b->gemm_token_us * sum->tokens) &&
	       !isless(r->comm_us, b->comm_token_us * sum->tokens);
}

int floor_allows_any(const struct floor *f, const sc_step *s,
		     const sc_result *r)
{
	const struct floor_bounds *b = &f->most;
	const double us = r->total_us, n = s->n_decode;
	const double cached = (double)(int64_t)s->decode_ctx_sum;
	struct totals sum = {n, {0, cached}, {0, cached + n}};
	if (s->decode_new || (n > 0 && !(cached > 0)))
		return 0;
	if (s->n_prefill)
		add_prompts(&sum, s);
	return us >= b->weights_us +
			 b->cached_us * (sum.cached[0] + sum.cached[1]) &&
	       us >= b->token_us * sum.tokens + b->pair_us[0] * sum.pairs[0] +
			 b->pair_us[1] * sum.pairs[1] &&
	       us >= b->comm_token_us * sum.tokens &&
	       (!f->is_additive || allows_parts(b, &sum, s, r));
}

int floor_find_above(const struct floor *f, const sc_step *step,
		     const sc_result *r, struct floor_finding *worst)
{
	if (!f->setup)
		return 0;
	struct sums sum = sums_most(f, step);
	int found = find_worst(f, step, &sum, r, worst);
	if (!found || !f->sees_a_part)
		return found;
	see_exactly(f, step, &sum);
	return find_worst(f, step, &sum, r, worst);
}

struct floor_mark floor_mark(const struct floor *f, const sc_step *step,
			     const sc_result *r)
{
	struct floor_mark m;
	enum floor_limit unused;
	m.least_us = floor_step_us(f, step, FLOOR_STEP, &unused);
	m.is_below = floor_find_above(f, step, r, &m.worst);
	return m;
}

static double depth(const struct floor_finding *found)
{
	return found->us / found->least_us;
}

size_t floor_marks_worst(const struct floor_mark *m, size_t n, size_t *worst)
{
	size_t found = 0;
	for (size_t i = 0; i < n; i++) {
		if (!m[i].is_below)
			continue;
		if (!found || depth(&m[i].worst) < depth(&m[*worst].worst))
			*worst = i;
		found++;
	}
	return found;
}

/* ---- over a run ---- */

void floor_count(struct floor_count *c, const struct floor *f,
		 const sc_step *step, const sc_result *r)
{
	struct floor_finding found;
	if (!floor_find_above(f, step, r, &found))
		return;
	if (c->steps++ && depth(&found) >= depth(&c->worst))
		return;
	c->worst = found;
	c->step_index = step->step_index;
	c->n_prefill = step->n_prefill;
	c->n_decode = step->n_decode;
}

/* ---- in words ---- */

static const char *work_of(const struct floor_finding *found)
{
	if (found->limit == FLOOR_LINKS)
		return "sending the bytes of its all-reduces";
	if (found->limit == FLOOR_COMPUTE)
		return "computing at the peak rate";
	if (found->part == FLOOR_GEMM)
		return "reading the weights";
	if (found->part != FLOOR_STEP)
		return "reading the KV cache";
	return "reading the weights and the KV cache";
}

const char *floor_text(char to[FLOOR_TEXT], const struct floor_finding *found)
{
	double unit = found->least_us < 1000 ? 1 : 1000;
	const char *name = unit > 1 ? "ms" : "us";
	snprintf(to, FLOOR_TEXT, "%s %.3g %s, but %s takes %.3g %s",
		 floor_part_name[found->part], found->us / unit, name,
		 work_of(found), found->least_us / unit, name);
	return to;
}
