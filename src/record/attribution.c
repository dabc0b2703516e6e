/* attribution.c -- Splits the difference of two cost models on one schedule by
 * component, regime and step. */
#include "record/attribution.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "engine/engine.h"
#include "record/clocks.h"

const char *const regime_name[N_ATTRIBUTION_REGIMES] = {"phase", "mean_kv"};

/* The price of a step by one model. */
struct side {
	double total_us;
	double us[N_COMPONENTS];
	double named_us[NAMED_PARTS];
};

/* A step priced by both models. */
struct difference {
	uint64_t place; /* entry in the log */
	int64_t lasted_ns, lasts_ns;
	struct side a, b;
	double ns[N_COMPONENTS], named_ns[NAMED_PARTS]; /* b − a */
	struct step_shape shape;
	uint32_t bin[N_ATTRIBUTION_REGIMES];
};

/* A part that both plugins name: where each of them has it, by pool; NULL: that
 * pool does not have it. */
struct named_sides {
	const struct named_part *a[2], *b[2];
};

struct work {
	const struct attribution_task *t;
	struct attribution *out;
	struct frozen *frozen;
	uint32_t *clock_of; /* by replica */
	struct step_shapes shapes;
	struct named_parts a_parts[2], b_parts[2]; /* by pool */
	struct named_sides named[NAMED_PARTS];
	struct problem *p;
};

/* ---- regimes ---- */

uint32_t regime_bin(double v)
{
	int e;
	if (!(v >= 1))
		return 0;
	frexp(v, &e);
	return e - 1 < REGIME_BINS ? (uint32_t)(e - 1) : REGIME_BINS - 1;
}

static void classify(const sc_step *s, struct difference *x)
{
	uint64_t sum = 0;
	uint32_t n = s->n_decode + s->n_prefill;
	for (uint32_t i = 0; i < s->n_decode; i++)
		sum += s->decode_ctx[i];
	for (uint32_t i = 0; i < s->n_prefill; i++)
		sum += (uint64_t)s->prefill_ctx[i] + s->prefill_new[i];
	x->bin[REGIME_PHASE] = s->n_prefill == 0 ? 1 : s->n_decode == 0 ? 0 : 2;
	x->bin[REGIME_MEAN_KV] = regime_bin(n ? (double)sum / n : 0);
	x->shape = step_shape_of(s);
}

/* ---- parts that both plugins name ---- */

static int is_same_part(const struct named_difference *d,
			const struct named_part *part)
{
	return d->component == component_of(part->kind, part->phase) &&
	       !strcmp(d->name, part->name);
}

static struct named_sides *named_row(struct work *w,
				     const struct named_part *part)
{
	struct attribution *out = w->out;
	uint32_t i = 0;
	while (i < out->n_named && !is_same_part(&out->named[i], part))
		i++;
	if (i == NAMED_PARTS)
		return NULL;
	if (i == out->n_named) {
		out->n_named++;
		out->named[i].component = component_of(part->kind, part->phase);
		memcpy(out->named[i].name, part->name, NAMED_SIZE);
	}
	return &w->named[i];
}

static void list_named(struct work *w, int pool)
{
	const struct named_parts *a = &w->a_parts[pool], *b = &w->b_parts[pool];
	struct named_sides *row;
	for (uint32_t i = 0; i < a->n && b->n; i++)
		if ((row = named_row(w, &a->part[i])) != NULL)
			row->a[pool] = &a->part[i];
	for (uint32_t i = 0; i < b->n && a->n; i++)
		if ((row = named_row(w, &b->part[i])) != NULL)
			row->b[pool] = &b->part[i];
}

/* Finds the named parts of additive models; in other models the parts are not
 * the price. */
static void find_named(struct work *w)
{
	const struct attribution_task *t = w->t;
	for (int pool = 0; pool < 2; pool++) {
		const sc_plugin *a = t->a[pool]->p, *b = t->b[pool]->p;
		if (!(a->capabilities & b->capabilities & SC_CAP_ADDITIVE))
			continue;
		named_parts(&w->a_parts[pool], a);
		named_parts(&w->b_parts[pool], b);
		list_named(w, pool);
	}
}

/* ---- prices ---- */

/* Returns the pool that ran the step. */
static int pool_of(const struct work *w, const sc_step *s)
{
	uint32_t prefill = w->t->engine->prefill_replicas;
	return prefill > 0 && s->replica >= prefill;
}

static void fill_side(struct side *x, const sc_result *r, const sc_plugin *p)
{
	x->total_us = r->total_us;
	components_split(r, p->capabilities, x->us);
}

static void keep_divergence(struct divergence *to, uint64_t place,
			    const struct logged_step *s, const sc_result *b)
{
	*to = (struct divergence){.found = 1,
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

static void compare(struct work *w, uint64_t place, const struct logged_step *s,
		    const sc_result *b)
{
	struct attribution *out = w->out;
	double apart = fabs(b->total_us - s->result.total_us);
	equal_steps_add(&out->equal, breakdown_exact_us(&s->result),
			breakdown_exact_us(b), s->result.total_us, b->total_us);
	if (!out->first.found && apart > w->t->threshold * s->result.total_us)
		keep_divergence(&out->first, place, s, b);
	if (apart >
	    fabs(out->largest_difference.b_us - out->largest_difference.a_us))
		keep_divergence(&out->largest_difference, place, s, b);
}

/* Prices an entry of the log with both models.  Among replicas that step
 * together the longest entry is the step: it stays in *x. */
static int price(struct work *w, const struct logged_step *s, uint64_t place,
		 struct difference *x)
{
	struct side a = {0}, b = {0};
	int pool = pool_of(w, &s->step);
	const sc_result *r = cost_eval(w->t->b[pool], &s->step, w->p);
	if (!r)
		return -1;
	fill_side(&a, &s->result, w->t->a[pool]->p);
	fill_side(&b, r, w->t->b[pool]->p);
	for (uint32_t i = 0; i < w->out->n_named; i++) {
		const struct named_sides *n = &w->named[i];
		if (n->a[pool])
			a.named_us[i] = named_us(n->a[pool], &s->result);
		if (n->b[pool])
			b.named_us[i] = named_us(n->b[pool], r);
	}
	compare(w, place, s, r);
	if (b.total_us > x->b.total_us)
		x->b = b;
	if (a.total_us <= x->a.total_us)
		return 0;
	x->a = a;
	x->place = place;
	classify(&s->step, x);
	return 0;
}

/* Computes the difference when both sides are known. */
static void take_difference(struct difference *x, int64_t lasted_ns)
{
	double known = 0;
	for (int k = 0; k < N_COMPONENTS; k++)
		known += x->ns[k] = 1000 * (x->b.us[k] - x->a.us[k]);
	for (int i = 0; i < NAMED_PARTS; i++)
		x->named_ns[i] = 1000 * (x->b.named_us[i] - x->a.named_us[i]);
	/* A step takes whole ns; the time that the engine adds to a price
	 * stays. */
	x->lasted_ns = lasted_ns;
	x->lasts_ns = lasted_ns + llround(1000 * x->b.total_us) -
		      llround(1000 * x->a.total_us);
	x->ns[COMPONENT_ROUNDING] +=
	    (double)(x->lasts_ns - x->lasted_ns) - known;
}

/* ---- weighted sums ---- */

static void add_component(struct attribution *out, const struct difference *x,
			  int k, int m, double ns)
{
	out->component_ns[m][k] += ns;
	for (int r = 0; r < N_ATTRIBUTION_REGIMES; r++)
		out->regime_ns[m][r][k][x->bin[r]] += ns;
}

static int add_step(struct work *w, const struct difference *x,
		    const struct frozen_step *f)
{
	struct attribution *out = w->out;
	double weight[N_ATTRIBUTED] = {[ATTRIBUTION_STEPS] = 1}, all = 0;
	memcpy(weight, f->weight, sizeof f->weight);
	for (int k = 0; k < N_COMPONENTS; k++) {
		all += x->ns[k];
		for (int m = 0; m < N_ATTRIBUTED && x->ns[k] != 0; m++)
			add_component(out, x, k, m, weight[m] * x->ns[k]);
	}
	for (uint32_t i = 0; i < out->n_named; i++)
		for (int m = 0; m < N_ATTRIBUTED; m++)
			out->named[i].ns[m] += weight[m] * x->named_ns[i];
	out->n_steps++;
	out->recorded_ns[ATTRIBUTION_STEPS] += (double)x->lasted_ns;
	out->difference_ns[ATTRIBUTION_STEPS] +=
	    (double)(x->lasts_ns - x->lasted_ns);
	return shapes_add(&w->shapes, &x->shape, x->place, all, weight) < 0
		   ? problem_no_memory(w->p)
		   : 0;
}

/* ---- the log ---- */

/* Returns whether a step makes tokens.  If the first token comes from the
 * replicas that generate, those for prompts make none. */
static int makes_tokens(const struct work *w, const sc_step *s)
{
	return engine_first_token_pool(w->t->engine) == 0 || pool_of(w, s) == 1;
}

static void tokens(struct work *w, uint32_t clock, const sc_step *s)
{
	if (!makes_tokens(w, s))
		return;
	for (uint32_t i = 0; i < s->n_decode; i++)
		frozen_token(w->frozen, clock, s->decode_id[i]);
	for (uint32_t i = 0; i < s->n_prefill; i++)
		if (s->prefill_last[i])
			frozen_token(w->frozen, clock, s->prefill_id[i]);
}

/* Handles the step that begins at *at and at entry *place of the log; both
 * advance. */
static int take_step(struct work *w, size_t *at, uint64_t *place)
{
	struct logged_step first, s;
	struct difference x = {0};
	size_t from = *at,
	       end = clock_step_end(w->t->engine, w->t->steps, from);
	steplog_next_step(w->t->steps, at, &first);
	for (*at = from; *at < end;) {
		steplog_next_step(w->t->steps, at, &s);
		if (price(w, &s, (*place)++, &x) < 0)
			return -1;
	}
	take_difference(&x, first.end_ns - first.start_ns);
	struct frozen_step f = {.clock = w->clock_of[first.step.replica],
				.start_ns = first.start_ns,
				.end_ns = first.end_ns,
				.lasts_ns = x.lasts_ns};
	frozen_step(w->frozen, &f);
	for (*at = from; *at < end;) {
		steplog_next_step(w->t->steps, at, &s);
		tokens(w, f.clock, &s.step);
	}
	return add_step(w, &x, &f);
}

static int take_all(struct work *w)
{
	size_t at = 0;
	uint64_t place = 0;
	while (at < w->t->steps->bytes)
		if (take_step(w, &at, &place) < 0)
			return -1;
	return 0;
}

/* ---- the whole log ---- */

/* A model that prices one token per decode cannot price steps with drafts. */
static int check_drafts(struct work *w)
{
	for (uint32_t pool = 0; pool < 2; pool++) {
		const sc_plugin *b = w->t->b[pool]->p;
		if (engine_of_pool(w->t->engine, pool)->speculation.drafts &&
		    !(b->capabilities & SC_CAP_DECODE_NEW))
			return problem_set(w->p, EXIT_USAGE,
					   "%s cannot price the other arm's "
					   "decodes of several tokens",
					   b->name);
	}
	return 0;
}

/* Prepares both cost models and the frozen run of the recorded requests. */
static int begin(struct work *w)
{
	if (check_drafts(w) < 0)
		return -1;
	uint32_t n = w->t->engine->replicas;
	find_named(w);
	for (int pool = 0; pool < 2; pool++)
		if (w->out->n_named && cost_ask_parts(w->t->b[pool], w->p) < 0)
			return -1;
	w->clock_of = calloc(n, sizeof *w->clock_of);
	if (!w->clock_of)
		return problem_no_memory(w->p);
	for (uint32_t i = 0; i < n; i++)
		w->clock_of[i] = clock_of_replica(w->t->engine, i);
	w->frozen = frozen_open(w->t->requests, w->clock_of, n, w->p);
	return w->frozen ? 0 : -1;
}

/* Copies the results of the frozen run into the attribution. */
static int finish(struct work *w)
{
	struct attribution *out = w->out;
	struct frozen_run run;
	if (frozen_close(w->frozen, &run, w->p) < 0)
		return -1;
	for (int m = 0; m < ATTRIBUTION_STEPS; m++) {
		out->recorded_ns[m] = run.recorded_ns[m];
		out->difference_ns[m] = run.difference_ns[m];
	}
	out->n_requests = run.n_requests;
	out->duration_ns = run.duration_ns;
	out->ttft = run.ttft;
	out->tpot = run.tpot;
	out->itl = run.itl;
	out->e2el = run.e2el;
	out->n_shapes = shapes_largest(&w->shapes, out->shape, SHAPES_KEPT);
	return 0;
}

int attribute(const struct attribution_task *t, struct attribution *out,
	      struct problem *p)
{
	struct work w = {.t = t, .out = out, .p = p};
	*out = (struct attribution){0};
	int rc = begin(&w);
	if (rc == 0)
		rc = take_all(&w);
	if (rc == 0)
		rc = finish(&w);
	frozen_free(w.frozen);
	free(w.clock_of);
	shapes_free(&w.shapes);
	return rc;
}
