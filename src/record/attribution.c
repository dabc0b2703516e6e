/* attribution.c -- Splits the difference of two models on one schedule by
 * component, regime and step. */
#include <config.h>
#include "record/attribution.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const attributed_name[N_ATTRIBUTED] = {
    "mean_ttft_ms", "mean_tpot_ms", "mean_e2el_ms", "step_time_ms"};
const char *const regime_name[N_REGIMES] = {"phase", "batch", "mean_kv",
					    "max_over_mean_kv", "request_kv"};

/* More would cost time and change nothing: what a request's KV length does is
 * the same in the next step. */
enum { MAX_PROBES = 20000 };

/* What is kept of each step between the passes. */
struct priced {
	float kv_share[REGIME_BINS]; /* of the attention's difference        */
	double ns[N_COMPONENTS]; /* B − A                                */
	struct step_shape shape;
	uint8_t bin[REGIME_REQUEST_KV];
};

struct work {
	const struct attribution_task *t;
	struct attribution *out;
	struct priced *step;
	int64_t *lasts_ns;
	size_t n_steps;
	size_t probe_every;
	/* ns of difference per KV token, as last probed, by bin             */
	double rate[REGIME_BINS];
	uint32_t *column; /* for the steps that are asked in part            */
	uint32_t max_sequences;
	struct shape_difference *shape; /* open addressing, by shape         */
	size_t shape_cap, n_shapes;
	struct problem *p;
};

static int no_memory(struct work *w)
{
	return problem_set(w->p, EXIT_USAGE, "out of memory");
}

static uint32_t log2_bin(double v)
{
	int e;
	if (!(v >= 1))
		return 0;
	frexp(v, &e);
	return e - 1 < REGIME_BINS ? (uint32_t)(e - 1) : REGIME_BINS - 1;
}

static uint32_t up_to_power(uint64_t v)
{
	uint64_t p = 1;
	while (p < v)
		p *= 2;
	return v ? (uint32_t)p : 0;
}

/* ---- regimes ---- */

static void classify(const sc_step *s, struct priced *x)
{
	uint64_t sum = 0, longest = 0, fresh = 0;
	uint32_t n = s->n_decode + s->n_prefill;
	for (uint32_t i = 0; i < s->n_decode; i++) {
		sum += s->decode_ctx[i];
		if (s->decode_ctx[i] > longest)
			longest = s->decode_ctx[i];
	}
	for (uint32_t i = 0; i < s->n_prefill; i++) {
		uint64_t kv = (uint64_t)s->prefill_ctx[i] + s->prefill_new[i];
		fresh += s->prefill_new[i];
		sum += kv;
		if (kv > longest)
			longest = kv;
	}
	double mean = n ? (double)sum / n : 0;
	x->bin[REGIME_PHASE] = s->n_prefill == 0 ? 1 : s->n_decode == 0 ? 0 : 2;
	x->bin[REGIME_BATCH] = (uint8_t)log2_bin(n);
	x->bin[REGIME_MEAN_KV] = (uint8_t)log2_bin(mean);
	x->bin[REGIME_KV_RATIO] =
	    (uint8_t)log2_bin(mean > 0 ? (double)longest / mean : 1);
	x->shape = (struct step_shape){.n_decode = up_to_power(s->n_decode),
				       .n_prefill = up_to_power(s->n_prefill),
				       .prefill_tokens = up_to_power(fresh),
				       .longest_kv = up_to_power(longest)};
}

/* ---- attention by the KV length of each request ---- */

static double attention_us(const sc_result *r)
{
	double sum = 0;
	for (int i = 0; i < 2; i++)
		if (!isnan(r->attention_us[i]))
			sum += r->attention_us[i];
	return sum;
}

/* The sequences of *s whose KV length is of that bin, as a step. */
static sc_step part_of_step(struct work *w, const sc_step *s, uint32_t bin)
{
	sc_step part = *s;
	uint32_t *decode = w->column, *ctx = decode + w->max_sequences;
	uint32_t *fresh = ctx + w->max_sequences;
	part.n_decode = part.n_prefill = 0;
	for (uint32_t i = 0; i < s->n_decode; i++)
		if (log2_bin(s->decode_ctx[i]) == bin)
			decode[part.n_decode++] = s->decode_ctx[i];
	for (uint32_t i = 0; i < s->n_prefill; i++)
		if (log2_bin((double)s->prefill_ctx[i] + s->prefill_new[i]) ==
		    bin) {
			ctx[part.n_prefill] = s->prefill_ctx[i];
			fresh[part.n_prefill++] = s->prefill_new[i];
		}
	part.decode_ctx = decode;
	part.prefill_ctx = ctx;
	part.prefill_new = fresh;
	part.n_sampled = part.n_decode;
	part.prefill_last = part.decode_new = NULL;
	part.prefill_id = part.decode_id = NULL;
	part.prefill_group = part.decode_group = NULL;
	return part;
}

/* Which pool ran the step. */
static int pool_of(const struct work *w, const sc_step *s)
{
	uint32_t prefill = w->t->prefill_replicas;
	return prefill > 0 && s->replica >= prefill;
}

static int probe(struct work *w, const sc_step *s, const double *tokens)
{
	int pool = pool_of(w, s);
	for (uint32_t i = 0; i < REGIME_BINS; i++) {
		if (tokens[i] <= 0)
			continue;
		sc_step part = part_of_step(w, s, i);
		const sc_result *r = cost_eval(w->t->a[pool], &part, w->p);
		if (!r)
			return -1;
		double a = attention_us(r);
		r = cost_eval(w->t->b[pool], &part, w->p);
		if (!r)
			return -1;
		w->rate[i] = (attention_us(r) - a) / tokens[i];
	}
	return 0;
}

static void kv_tokens(const sc_step *s, double tokens[REGIME_BINS],
		      uint32_t *bins)
{
	memset(tokens, 0, REGIME_BINS * sizeof *tokens);
	for (uint32_t i = 0; i < s->n_decode; i++)
		tokens[log2_bin(s->decode_ctx[i])] += fmax(s->decode_ctx[i], 1);
	for (uint32_t i = 0; i < s->n_prefill; i++) {
		double kv = (double)s->prefill_ctx[i] + s->prefill_new[i];
		tokens[log2_bin(kv)] += kv;
	}
	*bins = 0;
	for (uint32_t i = 0; i < REGIME_BINS; i++)
		*bins += tokens[i] > 0;
}

static int split_by_kv(struct work *w, size_t i, const sc_step *s,
		       struct priced *x)
{
	double tokens[REGIME_BINS], part[REGIME_BINS], sum = 0, all = 0;
	uint32_t bins;
	kv_tokens(s, tokens, &bins);
	if (bins > 1 && i % w->probe_every == 0 && probe(w, s, tokens) < 0)
		return -1;
	for (uint32_t b = 0; b < REGIME_BINS; b++) {
		part[b] = bins > 1 ? w->rate[b] * tokens[b] : tokens[b];
		sum += part[b];
		all += tokens[b];
	}
	for (uint32_t b = 0; b < REGIME_BINS; b++)
		x->kv_share[b] = (float)(sum != 0  ? part[b] / sum
					 : all > 0 ? tokens[b] / all
						   : 0);
	return 0;
}

/* ---- first pass: prices ---- */

static void keep_parting(struct parting *to, size_t place,
			 const struct logged_step *s, const sc_result *b)
{
	*to = (struct parting){.found = 1,
			       .place = place,
			       .step_index = s->step.step_index,
			       .replica = s->step.replica,
			       .a_us = s->result.total_us,
			       .b_us = b->total_us};
	for (int i = 0; i < N_PARTS; i++) {
		to->a_part_us[i] = part_of(&s->result, (enum part)i);
		to->b_part_us[i] = part_of(b, (enum part)i);
	}
}

static void compare(struct work *w, size_t i, const struct logged_step *s,
		    const sc_result *b)
{
	struct attribution *out = w->out;
	double apart = fabs(b->total_us - s->result.total_us);
	if (!out->first.found && apart > w->t->threshold * s->result.total_us)
		keep_parting(&out->first, i, s, b);
	if (apart > fabs(out->widest.b_us - out->widest.a_us))
		keep_parting(&out->widest, i, s, b);
}

static int price(struct work *w, size_t i, const struct logged_step *s)
{
	struct priced *x = &w->step[i];
	double a_us[N_COMPONENTS], b_us[N_COMPONENTS], known = 0;
	int pool = pool_of(w, &s->step);
	struct cost *by = w->t->b[pool];
	const sc_result *b = cost_eval(by, &s->step, w->p);
	if (!b)
		return -1;
	w->lasts_ns[i] = llround(1000 * b->total_us);
	components_split(&s->result, w->t->a[pool]->p->capabilities, a_us);
	components_split(b, by->p->capabilities, b_us);
	compare(w, i, s, b);
	for (int k = 0; k < N_COMPONENTS; k++)
		known += x->ns[k] = 1000 * (b_us[k] - a_us[k]);
	/* A step lasts whole ns. */
	x->ns[COMPONENT_ROUNDING] +=
	    (double)(w->lasts_ns[i] - (s->end_ns - s->start_ns)) - known;
	classify(&s->step, x);
	return split_by_kv(w, i, &s->step, x);
}

static int price_all(struct work *w)
{
	struct logged_step s;
	size_t at = 0;
	for (size_t i = 0; i < w->n_steps; i++) {
		steplog_next_step(w->t->steps, &at, &s);
		if (price(w, i, &s) < 0)
			return -1;
	}
	return 0;
}

/* ---- second pass: weighted sums ---- */

static uint64_t shape_hash(const struct step_shape *s)
{
	uint64_t h = s->n_decode;
	h = h * 0x9e3779b97f4a7c15u + s->n_prefill;
	h = h * 0x9e3779b97f4a7c15u + s->prefill_tokens;
	h = h * 0x9e3779b97f4a7c15u + s->longest_kv;
	return h ^ h >> 29;
}

static int more_shapes(struct work *w)
{
	size_t cap = w->shape_cap ? 2 * w->shape_cap : 1024;
	struct shape_difference *to = calloc(cap, sizeof *to);
	if (!to)
		return no_memory(w);
	for (size_t i = 0; i < w->shape_cap; i++) {
		if (!w->shape[i].steps)
			continue;
		size_t at = shape_hash(&w->shape[i].shape) & (cap - 1);
		while (to[at].steps)
			at = (at + 1) & (cap - 1);
		to[at] = w->shape[i];
	}
	free(w->shape);
	w->shape = to;
	w->shape_cap = cap;
	return 0;
}

static struct shape_difference *find_shape(struct work *w,
					   const struct step_shape *s)
{
	if (2 * w->n_shapes >= w->shape_cap && more_shapes(w) < 0)
		return NULL;
	size_t at = shape_hash(s) & (w->shape_cap - 1);
	while (w->shape[at].steps &&
	       memcmp(&w->shape[at].shape, s, sizeof *s) != 0)
		at = (at + 1) & (w->shape_cap - 1);
	if (!w->shape[at].steps) {
		w->shape[at].shape = *s;
		w->n_shapes++;
	}
	return &w->shape[at];
}

static int add_to_shape(struct work *w, size_t i, const double *weight)
{
	double ns = 0;
	struct shape_difference *d = find_shape(w, &w->step[i].shape);
	if (!d)
		return -1;
	for (int k = 0; k < N_COMPONENTS; k++)
		ns += w->step[i].ns[k];
	if (d->steps++ == 0 || fabs(ns) > fabs(d->example_ns)) {
		d->example = i;
		d->example_ns = ns;
	}
	for (int m = 0; m < N_ATTRIBUTED; m++)
		d->ns[m] += weight[m] * ns;
	return 0;
}

static void add_component(struct attribution *out, const struct priced *x,
			  int k, int m, double ns)
{
	out->component_ns[m][k] += ns;
	for (int r = 0; r < REGIME_REQUEST_KV; r++)
		out->regime_ns[m][r][k][x->bin[r]] += ns;
	if (k != COMPONENT_DECODE_ATTENTION && k != COMPONENT_PREFILL_ATTENTION)
		return;
	for (int b = 0; b < REGIME_BINS; b++)
		out->regime_ns[m][REGIME_REQUEST_KV][k][b] +=
		    ns * (double)x->kv_share[b];
}

static int sum_up(struct work *w, const struct openloop *o)
{
	for (size_t i = 0; i < w->n_steps; i++) {
		const struct openloop_step *s = &o->step[i];
		const double weight[N_ATTRIBUTED] = {
		    [ATTRIBUTION_TTFT] = s->weight[OPENLOOP_TTFT],
		    [ATTRIBUTION_TPOT] = s->weight[OPENLOOP_TPOT],
		    [ATTRIBUTION_E2EL] = s->weight[OPENLOOP_E2EL],
		    [ATTRIBUTION_STEPS] = 1,
		};
		for (int k = 0; k < N_COMPONENTS; k++)
			for (int m = 0; m < N_ATTRIBUTED; m++)
				if (w->step[i].ns[k] != 0)
					add_component(w->out, &w->step[i], k, m,
						      weight[m] *
							  w->step[i].ns[k]);
		if (add_to_shape(w, i, weight) < 0)
			return -1;
		w->out->recorded_ns[ATTRIBUTION_STEPS] += (double)s->lasted_ns;
		w->out->openloop_ns[ATTRIBUTION_STEPS] += (double)s->lasts_ns;
	}
	return 0;
}

static int larger_first(const void *x, const void *y)
{
	const struct shape_difference *a = x, *b = y;
	double da = fabs(a->ns[ATTRIBUTION_STEPS]),
	       db = fabs(b->ns[ATTRIBUTION_STEPS]);
	if (da != db)
		return da < db ? 1 : -1;
	return memcmp(&a->shape, &b->shape, sizeof a->shape);
}

static void keep_shapes(struct work *w)
{
	qsort(w->shape, w->shape_cap, sizeof *w->shape, larger_first);
	for (size_t i = 0; i < w->shape_cap && w->out->n_shapes < SHAPES_KEPT;
	     i++)
		if (w->shape[i].ns[ATTRIBUTION_STEPS] != 0)
			w->out->shape[w->out->n_shapes++] = w->shape[i];
}

static int finish(struct work *w, const struct openloop *o)
{
	struct attribution *out = w->out;
	static const enum openloop_metric from[] = {
	    [ATTRIBUTION_TTFT] = OPENLOOP_TTFT,
	    [ATTRIBUTION_TPOT] = OPENLOOP_TPOT,
	    [ATTRIBUTION_E2EL] = OPENLOOP_E2EL};
	const struct stats_summary *now[] = {[ATTRIBUTION_TTFT] = &o->ttft,
					     [ATTRIBUTION_TPOT] = &o->tpot,
					     [ATTRIBUTION_E2EL] = &o->e2el};
	for (int m = 0; m < ATTRIBUTION_STEPS; m++) {
		out->recorded_ns[m] = o->recorded_mean_ns[from[m]];
		out->openloop_ns[m] = now[m]->mean;
	}
	out->n_steps = o->n_steps;
	out->n_requests = o->n_requests;
	out->duration_ns =
	    o->n_requests ? o->last_token_ns - o->first_arrival_ns : 0;
	out->ttft = o->ttft;
	out->tpot = o->tpot;
	out->itl = o->itl;
	out->e2el = o->e2el;
	if (sum_up(w, o) < 0)
		return -1;
	keep_shapes(w);
	return 0;
}

/* ---- together ---- */

static int prepare(struct work *w)
{
	struct logged_step s;
	for (size_t at = 0; steplog_next_step(w->t->steps, &at, &s);) {
		uint32_t n = s.step.n_decode + s.step.n_prefill;
		w->n_steps++;
		if (n > w->max_sequences)
			w->max_sequences = n;
	}
	w->probe_every = w->n_steps / MAX_PROBES + 1;
	w->step = calloc(w->n_steps + 1, sizeof *w->step);
	w->lasts_ns = calloc(w->n_steps + 1, sizeof *w->lasts_ns);
	w->column = calloc(3 * (size_t)w->max_sequences + 1, sizeof *w->column);
	return w->step && w->lasts_ns && w->column ? 0 : no_memory(w);
}

int attribute(const struct attribution_task *t, struct attribution *out,
	      struct problem *p)
{
	struct work w = {.t = t, .out = out, .p = p};
	struct openloop o = {0};
	*out = (struct attribution){0};
	int rc = prepare(&w);
	if (rc == 0)
		rc = price_all(&w);
	if (rc == 0)
		rc = openloop_run(&o, t->steps, t->requests, w.lasts_ns,
				  w.n_steps, t->schedule_ns, p);
	if (rc == 0)
		rc = finish(&w, &o);
	openloop_free(&o);
	free(w.step);
	free(w.lasts_ns);
	free(w.column);
	free(w.shape);
	return rc;
}
