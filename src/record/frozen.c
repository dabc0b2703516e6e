/* frozen.c -- Moves a recorded schedule onto a clock with other step times. */
#include "record/frozen.h"
#include <math.h>
#include <stdlib.h>

const char *const attributed_name[N_ATTRIBUTED] = {
    "mean_ttft_ms", "mean_tpot_ms", "mean_e2el_ms", "step_time_ms"};

/* A request that ended. */
struct member {
	int64_t ttft_ns, tpot_ns, e2el_ns; /* as recorded; tpot −1: none */
	double per_gap; /* 1 / (output tokens − 1); 0 for one token */
	/* f(t) − t, summed over visits: up to the first token, and after it.
	 * During a visit the value at its begin is subtracted. */
	double before_ns, after_ns;
	int64_t token_ns; /* its latest token, moved */
	int64_t last_ns;  /* its last token, as recorded */
	uint32_t stays_open, n_tokens, ended;
};

/* A request comes to a clock (+1) or leaves it (−1). */
struct timed_event {
	int64_t at_ns;
	uint64_t row;
	uint32_t clock;
	int32_t by;
	uint32_t has_first; /* 1: it has its first token */
	uint32_t is_end;    /* 1: its arrival, or its last token */
};

struct clock {
	size_t next, end; /* its moments */
	int64_t end_ns;   /* end of its last step, as recorded */
	double shift_ns;  /* f(t) − t at the present */
	int has_run;
	/* Requests on this clock, without and with their first token. */
	uint64_t n_before, n_after;
	double after_per_gap; /* Σ per_gap of those with their first token */
};

struct frozen {
	struct member *member; /* by row */
	uint64_t n_rows;
	struct timed_event *timed_event; /* by clock, then time */
	size_t n_events;
	struct clock *clock;
	uint32_t n_clocks;
	const uint32_t *clock_of;
	uint32_t n_replicas;
	/* requests that ended; those with several tokens */
	uint64_t n_requests, n_multi;
	double first_ns, last_ns; /* first arrival and last token, moved */
	struct stats itl;
};

/* ---- requests ---- */

static void count(struct frozen *z, const struct steplog *requests)
{
	struct logged_request q;
	for (uint32_t i = 0; i < z->n_replicas; i++)
		if (z->clock_of[i] >= z->n_clocks)
			z->n_clocks = z->clock_of[i] + 1;
	for (size_t at = 0; steplog_next_request(requests, &at, &q);) {
		if (q.request.row >= z->n_rows)
			z->n_rows = q.request.row + 1;
		/* Each visit has two events, and the first token cuts one visit
		 * in two. */
		z->n_events += 2 * q.n_visits + 2;
	}
}

static void add_visit(struct frozen *z, const struct logged_request *q,
		      int64_t from_ns, int64_t to_ns, uint32_t replica)
{
	uint32_t has_first = from_ns >= q->first_token_ns;
	uint32_t clock = z->clock_of[replica];
	struct timed_event *m = z->timed_event + z->n_events;
	if (from_ns >= to_ns)
		return;
	m[0] = (struct timed_event){.at_ns = from_ns,
				    .row = q->request.row,
				    .clock = clock,
				    .by = 1,
				    .has_first = has_first,
				    .is_end = from_ns == q->visit[0].from_ns};
	m[1] = (struct timed_event){.at_ns = to_ns,
				    .row = q->request.row,
				    .clock = clock,
				    .by = -1,
				    .has_first = has_first,
				    .is_end = to_ns == q->last_token_ns};
	z->n_events += 2;
}

static void add_request(struct frozen *z, const struct logged_request *q)
{
	struct member *m = &z->member[q->request.row];
	*m = (struct member){.ttft_ns = q->ttft_ns,
			     .tpot_ns = q->tpot_ns,
			     .e2el_ns = q->e2el_ns,
			     .last_ns = q->last_token_ns,
			     .ended = 1};
	z->n_requests++;
	if (q->tpot_ns >= 0) {
		z->n_multi++;
		m->per_gap = 1.0 / (q->request.output_tokens - 1);
	}
	for (uint32_t i = 0; i < q->n_visits; i++) {
		const struct visit *s = &q->visit[i];
		int64_t cut = q->first_token_ns;
		if (cut < s->from_ns || cut > s->to_ns)
			cut = s->from_ns;
		if (s->replica >= z->n_replicas)
			continue;
		add_visit(z, q, s->from_ns, cut, s->replica);
		add_visit(z, q, cut, s->to_ns, s->replica);
	}
}

static int by_clock_and_time(const void *x, const void *y)
{
	const struct timed_event *a = x, *b = y;
	if (a->clock != b->clock)
		return a->clock < b->clock ? -1 : 1;
	if (a->at_ns != b->at_ns)
		return a->at_ns < b->at_ns ? -1 : 1;
	if (a->row != b->row)
		return a->row < b->row ? -1 : 1;
	return (a->has_first > b->has_first) - (a->has_first < b->has_first);
}

static void sort_moments(struct frozen *z)
{
	qsort(z->timed_event, z->n_events, sizeof *z->timed_event,
	      by_clock_and_time);
	for (size_t i = 0; i < z->n_events; i++)
		z->clock[z->timed_event[i].clock].end = i + 1;
	for (uint32_t k = 1; k < z->n_clocks; k++) {
		z->clock[k].next = z->clock[k - 1].end;
		if (z->clock[k].end < z->clock[k].next)
			z->clock[k].end = z->clock[k].next;
	}
}

struct frozen *frozen_open(const struct steplog *requests,
			   const uint32_t *clock_of, uint32_t n_replicas,
			   struct problem *p)
{
	struct logged_request q;
	struct frozen *z = calloc(1, sizeof *z);
	if (z) {
		*z = (struct frozen){.clock_of = clock_of,
				     .n_replicas = n_replicas,
				     .first_ns = INFINITY,
				     .last_ns = -INFINITY};
		count(z, requests);
		z->member = calloc(z->n_rows + 1, sizeof *z->member);
		z->timed_event =
		    calloc(z->n_events + 1, sizeof *z->timed_event);
		z->clock = calloc(z->n_clocks + 1, sizeof *z->clock);
	}
	if (!z || !z->member || !z->timed_event || !z->clock) {
		frozen_free(z);
		problem_no_memory(p);
		return NULL;
	}
	z->n_events = 0;
	for (size_t at = 0; steplog_next_request(requests, &at, &q);)
		add_request(z, &q);
	sort_moments(z);
	return z;
}

void frozen_free(struct frozen *z)
{
	if (!z)
		return;
	free(z->member);
	free(z->timed_event);
	free(z->clock);
	stats_free(&z->itl);
	free(z);
}

/* ---- steps ---- */

/* A request comes or leaves where f(t) − t is shift_ns. */
static void pass(struct frozen *z, struct clock *c, const struct timed_event *m,
		 double shift_ns)
{
	struct member *q = &z->member[m->row];
	double moved_ns = (double)m->at_ns + shift_ns;
	if (m->has_first) {
		q->after_ns -= m->by * shift_ns;
		c->n_after += (uint64_t)m->by;
		c->after_per_gap += m->by * q->per_gap;
		if (c->n_after == 0)
			/* exactly 0, without rounding errors */
			c->after_per_gap = 0;
	} else {
		q->before_ns -= m->by * shift_ns;
		c->n_before += (uint64_t)m->by;
	}
	q->stays_open += (uint32_t)m->by;
	if (m->is_end && m->by > 0)
		z->first_ns = fmin(z->first_ns, moved_ns);
	if (m->is_end && m->by < 0)
		z->last_ns = fmax(z->last_ns, moved_ns);
}

/* Handles moments outside of steps. */
static void pass_until(struct frozen *z, struct clock *c, int64_t until_ns)
{
	while (c->next < c->end && z->timed_event[c->next].at_ns <= until_ns)
		pass(z, c, &z->timed_event[c->next++], c->shift_ns);
}

/* Requests in a step, each weighted with its share of the step. */
struct present {
	double before, after, after_per_gap;
};

/* Handles moments within the step, which owns [from, end) and becomes longer by
 * `more`. */
static void pass_step(struct frozen *z, struct clock *c, int64_t from_ns,
		      int64_t end_ns, double more_ns, struct present *n)
{
	double owned_ns = (double)(end_ns - from_ns);
	while (c->next < c->end && z->timed_event[c->next].at_ns <= end_ns) {
		const struct timed_event *m = &z->timed_event[c->next++];
		double gone = (double)(m->at_ns - from_ns) / owned_ns;
		double rest = (double)(end_ns - m->at_ns) / owned_ns;
		if (m->has_first) {
			n->after += m->by * rest;
			n->after_per_gap +=
			    m->by * rest * z->member[m->row].per_gap;
		} else {
			n->before += m->by * rest;
		}
		pass(z, c, m, c->shift_ns + gone * more_ns);
	}
}

static void weigh(const struct frozen *z, struct frozen_step *s,
		  const struct present *n, double share)
{
	double per_request = z->n_requests ? share / (double)z->n_requests : 0;
	double per_multi = z->n_multi ? share / (double)z->n_multi : 0;
	s->weight[ATTRIBUTION_TTFT] = per_request * fmax(n->before, 0);
	s->weight[ATTRIBUTION_TPOT] = per_multi * fmax(n->after_per_gap, 0);
	s->weight[ATTRIBUTION_E2EL] =
	    per_request * fmax(n->before + n->after, 0);
}

void frozen_step(struct frozen *z, struct frozen_step *s)
{
	struct clock *c = &z->clock[s->clock];
	int64_t from_ns = s->start_ns, lasted_ns = s->end_ns - s->start_ns;
	if (c->has_run && c->end_ns > from_ns)
		from_ns = c->end_ns;
	pass_until(z, c, from_ns < s->end_ns ? from_ns : s->end_ns);
	struct present n = {(double)c->n_before, (double)c->n_after,
			    c->after_per_gap};
	/* The part that overlaps with earlier steps belongs to them; a step
	 * that took no time can still become longer. */
	double share = lasted_ns <= 0 ? 1
		       : from_ns < s->end_ns
			   ? (double)(s->end_ns - from_ns) / (double)lasted_ns
			   : 0;
	double more_ns = share * (double)(s->lasts_ns - lasted_ns);
	pass_step(z, c, from_ns, s->end_ns, more_ns, &n);
	weigh(z, s, &n, share);
	c->shift_ns += more_ns;
	c->has_run = 1;
	if (c->end_ns < s->end_ns)
		c->end_ns = s->end_ns;
}

void frozen_token(struct frozen *z, uint32_t clock, uint64_t row)
{
	const struct clock *c = &z->clock[clock];
	if (row >= z->n_rows || !z->member[row].ended)
		return;
	struct member *q = &z->member[row];
	/* The step was scheduled ahead, before the engine knew that a draft
	 * ends the request. */
	if (c->end_ns > q->last_ns)
		return;
	double shift_ns =
	    q->before_ns + q->after_ns + (q->stays_open ? c->shift_ns : 0);
	int64_t now_ns = c->end_ns + llround(shift_ns);
	if (q->n_tokens++)
		stats_add(&z->itl, now_ns - q->token_ns, 1);
	q->token_ns = now_ns;
}

/* ---- results ---- */

struct totals {
	struct stats ttft, tpot, e2el;
	__int128 was[ATTRIBUTION_STEPS];
	double more[ATTRIBUTION_STEPS];
};

/* Requests are recorded in the same way: no time is below that. */
static int64_t at_least(int64_t least_ns, int64_t ns)
{
	return ns < least_ns ? least_ns : ns;
}

static void add_up(struct totals *t, const struct member *q)
{
	double tpot_ns = q->after_ns * q->per_gap;
	int64_t ttft_ns = at_least(0, q->ttft_ns + llround(q->before_ns));
	int64_t e2el_ns = q->e2el_ns + llround(q->before_ns + q->after_ns);
	t->was[ATTRIBUTION_TTFT] += q->ttft_ns;
	t->was[ATTRIBUTION_E2EL] += q->e2el_ns;
	t->more[ATTRIBUTION_TTFT] += q->before_ns;
	t->more[ATTRIBUTION_E2EL] += q->before_ns + q->after_ns;
	stats_add(&t->ttft, ttft_ns, 1);
	stats_add(&t->e2el, at_least(ttft_ns, e2el_ns), 1);
	if (q->tpot_ns < 0)
		return;
	t->was[ATTRIBUTION_TPOT] += q->tpot_ns;
	t->more[ATTRIBUTION_TPOT] += tpot_ns;
	stats_add(&t->tpot, at_least(0, q->tpot_ns + llround(tpot_ns)), 1);
}

/* Computes the same bits as stats_summarise(). */
static double mean(__int128 sum, uint64_t n)
{
	__int128 whole = n ? sum / (__int128)n : 0;
	__int128 rest = sum - (__int128)n * whole;
	return n ? (double)whole + (double)rest / (double)n : 0;
}

static void summarise(struct frozen *z, struct totals *t,
		      struct frozen_run *out)
{
	for (int m = 0; m < ATTRIBUTION_STEPS; m++) {
		uint64_t n = m == ATTRIBUTION_TPOT ? z->n_multi : z->n_requests;
		out->recorded_ns[m] = mean(t->was[m], n);
		out->difference_ns[m] = n ? t->more[m] / (double)n : 0;
	}
	out->n_requests = z->n_requests;
	out->duration_ns = z->n_requests ? z->last_ns - z->first_ns : 0;
	stats_summarise(&t->ttft, &out->ttft);
	stats_summarise(&t->tpot, &out->tpot);
	stats_summarise(&z->itl, &out->itl);
	stats_summarise(&t->e2el, &out->e2el);
}

int frozen_close(struct frozen *z, struct frozen_run *out, struct problem *p)
{
	struct totals t = {0};
	*out = (struct frozen_run){0};
	for (uint32_t k = 0; k < z->n_clocks; k++)
		pass_until(z, &z->clock[k], INT64_MAX);
	for (uint64_t i = 0; i < z->n_rows; i++)
		if (z->member[i].ended)
			add_up(&t, &z->member[i]);
	summarise(z, &t, out);
	int failed = t.ttft.out_of_memory || t.tpot.out_of_memory ||
		     t.e2el.out_of_memory || z->itl.out_of_memory;
	stats_free(&t.ttft);
	stats_free(&t.tpot);
	stats_free(&t.e2el);
	return failed ? problem_no_memory(p) : 0;
}
