/* endpoint_picker.c -- llm-d's scheduler: weighted scores of each replica, from
 * the engines' metrics of the last refresh, an approximate index of prefixes,
 * and its own counts.
 *
 * The approximate index has the blocks of prompts that each replica was sent,
 * as many as lru_capacity_per_server.  They are entered in order, so the first
 * block of a prompt is the first to be forgotten.  A block counts for every
 * replica that has it, even behind one that it lacks.  Source: llm-d inference
 * scheduler, pkg/plugins/scorer, Gateway API Inference Extension,
 * pkg/epp/scheduling/framework/plugins. */
#include <math.h>
#include "sim/route/recent.h"
#include "sim/route/route.h"

enum { LONG_QUEUE = 128 }; /* of the load-aware scorer */

struct endpoint_picker {
	struct route is;
	struct recent sent;
	uint32_t *match; /* [n] blocks of this prompt, approximately */
	uint32_t *run;   /* [ranks of all] blocks in the engines' caches */
	uint64_t *alive; /* for holders_runs() */
	uint32_t n_keys; /* of this prompt; in r->key */
	int is_cold;     /* 1: no replica has its first block */
	/* [n] number of its last cold prompt; 0: none yet */
	uint64_t *cold, n_cold;
};

static int init(struct route *r)
{
	struct endpoint_picker *s = (struct endpoint_picker *)r;
	uint32_t replicas = r->n * r->e->ranks;
	r->has_metrics = 1;
	r->has_events = r->e->router.weight[SCORE_PRECISE] > 0;
	s->match = arrays_add(&r->arrays, r->n, sizeof *s->match);
	s->run = arrays_add(&r->arrays, replicas, sizeof *s->run);
	s->alive =
	    arrays_add(&r->arrays, holders_words(replicas), sizeof *s->alive);
	s->cold = arrays_add(&r->arrays, r->n, sizeof *s->cold);
	return recent_init(&s->sent, r->n);
}

static void free_it(struct route *r)
{
	recent_free(&((struct endpoint_picker *)r)->sent);
}

/* ---- scorers: each fills in to[i], 0 ... 1 ---- */

/* (most - value) / (most - least); all equal: 1. */
static void score_spread(double *to, const struct route *r,
			 uint64_t (*value)(const struct route_metrics *m))
{
	uint64_t least = UINT64_MAX, most = 0;
	for (uint32_t k = 0; k < r->n_choices; k++) {
		uint64_t v = value(&r->seen[r->choice[k]]);
		least = v < least ? v : least;
		most = v > most ? v : most;
	}
	for (uint32_t i = 0; i < r->n; i++)
		to[i] = most == least || !r->is_choice[i]
			    ? 1
			    : (double)(most - value(&r->seen[i])) /
				  (double)(most - least);
}

static uint64_t waiting(const struct route_metrics *m)
{
	return m->waiting;
}

static uint64_t running(const struct route_metrics *m)
{
	return m->running;
}

static void score_load(double *to, const struct route *r)
{
	for (uint32_t i = 0; i < r->n; i++) {
		uint64_t n = r->seen[i].waiting;
		n = n < LONG_QUEUE ? n : LONG_QUEUE;
		to[i] = 0.5 * (1 - (double)n / LONG_QUEUE);
	}
}

static void score_active(double *to, const struct route *r)
{
	uint64_t most = 0;
	for (uint32_t k = 0; k < r->n_choices; k++)
		if (r->load[r->choice[k]] > most)
			most = r->load[r->choice[k]];
	for (uint32_t i = 0; i < r->n; i++)
		to[i] = r->load[i] && r->is_choice[i]
			    ? (double)(most - r->load[i]) / (double)most
			    : 1;
}

static void score_prefix(double *to, const struct endpoint_picker *s)
{
	for (uint32_t i = 0; i < s->is.n; i++)
		to[i] = s->n_keys ? (double)s->match[i] / s->n_keys : 0;
}

/* The approximate keys are not needed any more. */
static void score_precise(double *to, struct endpoint_picker *s,
			  const struct route_prompt *q)
{
	struct route *r = &s->is;
	uint32_t ranks = r->e->ranks;
	uint32_t n = route_keys(r, q, route_cut_engine(r->e), 0, UINT64_MAX);
	holders_runs(&r->events.index, r->key, n, s->run, r->n * ranks,
		     s->alive);
	for (uint32_t i = 0; i < r->n; i++) {
		uint32_t most = 0;
		for (uint32_t k = i * ranks; k < (i + 1) * ranks; k++)
			most = s->run[k] > most ? s->run[k] : most;
		to[i] = n ? (double)most / n : 0;
	}
}

/* Scores a prompt that no replica has even a block of: replicas that never got
 * such a prompt come first, then those that got one longest ago. */
static void score_no_hit(double *to, const struct endpoint_picker *s)
{
	const struct route *r = &s->is;
	uint32_t n = r->n_choices;
	for (uint32_t a = 0; a < n; a++) {
		uint32_t before = 0, i = r->choice[a];
		for (uint32_t b = 0; b < n; b++) {
			uint32_t k = r->choice[b];
			before += s->cold[k] < s->cold[i] ||
				  (s->cold[k] == s->cold[i] && k < i);
		}
		to[i] =
		    s->is_cold && n > 1 ? 1 - (double)before / (n - 1) : 0.5;
	}
}

static void score_by(enum scorer scorer, double *to, struct endpoint_picker *s,
		     const struct route_prompt *q)
{
	const struct route *r = &s->is;
	switch (scorer) {
	case SCORE_QUEUE:
		score_spread(to, r, waiting);
		break;
	case SCORE_RUNNING:
		score_spread(to, r, running);
		break;
	case SCORE_KV_USE:
		for (uint32_t i = 0; i < r->n; i++)
			to[i] = 1 - r->seen[i].kv_use;
		break;
	case SCORE_LOAD:
		score_load(to, r);
		break;
	case SCORE_PREFIX:
		score_prefix(to, s);
		break;
	case SCORE_PRECISE:
		score_precise(to, s, q);
		break;
	case SCORE_NO_HIT:
		score_no_hit(to, s);
		break;
	case SCORE_ACTIVE:
		score_active(to, r);
		break;
	}
}

/* ---- pickers ---- */

/* The highest of U^(1/score), each with its own U; all zero: any of them. */
static uint32_t choose_weighted(struct route *r, double *score)
{
	int any = 0;
	for (uint32_t k = 0; k < r->n_choices; k++)
		any |= score[r->choice[k]] > 0;
	for (uint32_t k = 0; any && k < r->n_choices; k++) {
		uint32_t i = r->choice[k];
		score[i] =
		    score[i] > 0 ? pow(rng_uniform(&r->rng), 1 / score[i]) : -1;
	}
	return route_best(r, score);
}

static uint32_t choose_by(enum picker picker, struct route *r, double *score)
{
	switch (picker) {
	case PICKER_RANDOM:
		return r->choice[rng_below(&r->rng, r->n_choices)];
	case PICKER_WEIGHTED:
		return choose_weighted(r, score);
	case PICKER_MAX_SCORE:
		break;
	}
	return route_best(r, score);
}

/* ---- the choice ---- */

/* Computes the keys of a prompt of at least a block, and who has them. */
static void look_up(struct endpoint_picker *s, const struct route_prompt *q)
{
	struct route *r = &s->is;
	const struct router_rules *is = &r->e->router;
	struct route_cut cut = route_cut_tokens((uint32_t)is->block_tokens);
	s->n_keys = q->tokens >= is->block_tokens
			? route_keys(r, q, cut, 1, is->max_blocks)
			: 0;
	s->is_cold = holders_counts(&s->sent.index, r->key, s->n_keys, s->match,
				    r->n) == 0;
}

/* Notes that the replica gets this prompt, for later scores. */
static void note(struct endpoint_picker *s, const struct route_prompt *q,
		 uint32_t replica)
{
	struct route *r = &s->is;
	const struct router_rules *is = &r->e->router;
	if (s->is_cold)
		s->cold[replica] = ++s->n_cold;
	if (is->weight[SCORE_PRECISE] > 0)
		s->n_keys = route_keys(
		    r, q, route_cut_tokens((uint32_t)is->block_tokens), 1,
		    s->n_keys);
	for (uint32_t k = 0; k < s->n_keys; k++)
		recent_send(&s->sent, replica, r->key[k], q->now_ns);
	recent_keep(&s->sent, replica, is->lru_blocks);
	r->out_of_memory |= s->sent.out_of_memory;
}

/* Sums up the weighted scores of all replicas, and picks one by them. */
static uint32_t pick(struct route *r, const struct route_prompt *q,
		     struct route_ticket *t)
{
	struct endpoint_picker *s = (struct endpoint_picker *)r;
	const double *weight = r->e->router.weight;
	double *sum = r->score, *to = r->score + r->n;
	(void)t;
	look_up(s, q);
	for (uint32_t i = 0; i < r->n; i++)
		sum[i] = 0;
	for (uint32_t k = 0; k < N_SCORERS; k++) {
		if (!(weight[k] > 0))
			continue;
		score_by((enum scorer)k, to, s, q);
		for (uint32_t i = 0; i < r->n; i++)
			sum[i] += weight[k] * to[i];
	}
	uint32_t i = choose_by((enum picker)r->e->router.picker, r, sum);
	note(s, q, i);
	return i;
}

static void forget(struct route *r, uint32_t replica)
{
	struct endpoint_picker *s = (struct endpoint_picker *)r;
	recent_keep(&s->sent, replica, 0);
	s->cold[replica] = 0;
}

const struct route_rule route_endpoint_picker = {
    .size = sizeof(struct endpoint_picker),
    .init = init,
    .free = free_it,
    .pick = pick,
    .forget = forget,
    .reads_prompts = 1,
};
