/* openloop.c -- Replays recorded steps with other durations. */
#include <config.h>
#include "record/openloop.h"
#include <stdlib.h>
#include <string.h>

/* A request on its way. */
struct member {
	int64_t shift_first, shift_last; /* of the ends of its steps         */
	int64_t last_end_ns;             /* replayed, of its latest token    */
	size_t first_step, last_step;
	uint32_t tokens;
	int ended;
	struct logged_request is;
};

struct player {
	struct openloop *r;
	const struct steplog *steps, *requests;
	struct member *member; /* by row                                     */
	uint64_t n_rows;
	int64_t *end_ns; /* by replica: of its latest step, as recorded      */
	int64_t *shift_ns;
	uint32_t n_replicas;
	int64_t schedule_ns;
	struct stats ttft, tpot, itl, e2el;
	struct stats recorded[N_OPENLOOP];
	struct problem *p;
};

static int no_memory(struct player *y)
{
	return problem_set(y->p, EXIT_USAGE, "out of memory");
}

/* ---- who takes part ---- */

static void count_rows(struct player *y)
{
	struct logged_request q;
	struct logged_step s;
	for (size_t at = 0; steplog_next_request(y->requests, &at, &q);) {
		if (q.request.row >= y->n_rows)
			y->n_rows = q.request.row + 1;
	}
	for (size_t at = 0; steplog_next_step(y->steps, &at, &s);) {
		if (s.step.replica >= y->n_replicas)
			y->n_replicas = s.step.replica + 1;
	}
}

static int prepare(struct player *y, size_t n_steps)
{
	struct logged_request q;
	count_rows(y);
	y->member = calloc(y->n_rows + 1, sizeof *y->member);
	y->end_ns = calloc(y->n_replicas + 1, sizeof *y->end_ns);
	y->shift_ns = calloc(y->n_replicas + 1, sizeof *y->shift_ns);
	y->r->step = calloc(n_steps + 1, sizeof *y->r->step);
	if (!y->member || !y->end_ns || !y->shift_ns || !y->r->step)
		return no_memory(y);
	for (uint32_t i = 0; i < y->n_replicas; i++)
		y->end_ns[i] = INT64_MIN;
	y->r->first_arrival_ns = INT64_MAX;
	for (size_t at = 0; steplog_next_request(y->requests, &at, &q);) {
		y->member[q.request.row].is = q;
		y->member[q.request.row].ended = 1;
		y->r->n_requests++;
		if (q.request.arrival_ns < y->r->first_arrival_ns)
			y->r->first_arrival_ns = q.request.arrival_ns;
	}
	return 0;
}

/* ---- forwards: when each step ends now ---- */

static void token(struct player *y, uint64_t row, size_t step, int64_t end_ns,
		  int64_t shift_ns)
{
	if (row >= y->n_rows || !y->member[row].ended)
		return;
	struct member *m = &y->member[row];
	if (m->tokens++ == 0) {
		m->first_step = step;
		m->shift_first = shift_ns;
	} else {
		stats_add(&y->itl, end_ns - m->last_end_ns, 1);
	}
	m->last_step = step;
	m->shift_last = shift_ns;
	m->last_end_ns = end_ns;
}

static void tokens(struct player *y, const struct logged_step *s, size_t step,
		   int64_t shift_ns)
{
	int64_t end = s->end_ns + shift_ns;
	for (uint32_t i = 0; i < s->step.n_decode; i++)
		token(y, s->step.decode_id[i], step, end, shift_ns);
	for (uint32_t i = 0; i < s->step.n_prefill; i++)
		if (s->step.prefill_last[i])
			token(y, s->step.prefill_id[i], step, end, shift_ns);
}

static void move(struct player *y, const struct logged_step *s, int64_t lasts,
		 struct openloop_step *out)
{
	uint32_t k = s->step.replica;
	int64_t before = y->shift_ns[k], gap = 0, at_start = before;
	int first = y->end_ns[k] == INT64_MIN;
	if (!first)
		gap = s->start_ns - y->end_ns[k];
	/* Idle time swallows a delay, and gives no head start. */
	if (first || (gap > 0 && gap != y->schedule_ns))
		at_start = !first && before > gap ? before - gap : 0;
	*out = (struct openloop_step){
	    .lasted_ns = s->end_ns - s->start_ns,
	    .lasts_ns = lasts,
	    .replica = k,
	    .carried = before ? (double)at_start / (double)before : 1,
	};
	/* Nothing was carried: nor would a small delay have been. */
	if (before == 0 && at_start == 0 && gap > 0 && gap != y->schedule_ns)
		out->carried = 0;
	y->shift_ns[k] = at_start + lasts - out->lasted_ns;
	out->shift_ns = y->shift_ns[k];
	y->end_ns[k] = s->end_ns;
}

static void play(struct player *y, const int64_t *lasts_ns, size_t n_steps)
{
	struct logged_step s;
	size_t at = 0;
	for (size_t i = 0; i < n_steps && steplog_next_step(y->steps, &at, &s);
	     i++) {
		move(y, &s, lasts_ns[i], &y->r->step[i]);
		tokens(y, &s, i, y->r->step[i].shift_ns);
		y->r->n_steps = i + 1;
	}
}

/* ---- metrics, and what each step's end weighs in them ---- */

static void finish_request(struct player *y, const struct member *m,
			   double per_request, double per_multi)
{
	struct openloop *r = y->r;
	int64_t ttft = m->is.ttft_ns + m->shift_first;
	int64_t e2el = m->is.e2el_ns + m->shift_last;
	struct openloop_step *first = &r->step[m->first_step];
	struct openloop_step *last = &r->step[m->last_step];
	stats_add(&y->ttft, ttft, 1);
	stats_add(&y->e2el, e2el, 1);
	first->weight[OPENLOOP_TTFT] += per_request;
	last->weight[OPENLOOP_E2EL] += per_request;
	if (m->is.request.arrival_ns + e2el > r->last_token_ns)
		r->last_token_ns = m->is.request.arrival_ns + e2el;
	if (m->is.request.output_tokens < 2)
		return;
	int64_t gaps = m->is.request.output_tokens - 1;
	/* To the nearest ns, as the engine does. */
	stats_add(&y->tpot, (e2el - ttft + gaps / 2) / gaps, 1);
	last->weight[OPENLOOP_TPOT] += per_multi / (double)gaps;
	first->weight[OPENLOOP_TPOT] -= per_multi / (double)gaps;
}

static void finish(struct player *y)
{
	struct openloop *r = y->r;
	double n = (double)r->n_requests, n_multi = 0;
	for (uint64_t i = 0; i < y->n_rows; i++) {
		const struct member *m = &y->member[i];
		if (!m->ended)
			continue;
		stats_add(&y->recorded[OPENLOOP_TTFT], m->is.ttft_ns, 1);
		stats_add(&y->recorded[OPENLOOP_E2EL], m->is.e2el_ns, 1);
		if (m->is.request.output_tokens < 2)
			continue;
		stats_add(&y->recorded[OPENLOOP_TPOT], m->is.tpot_ns, 1);
		n_multi++;
	}
	for (uint64_t i = 0; i < y->n_rows; i++)
		if (y->member[i].ended)
			finish_request(y, &y->member[i], 1 / n, 1 / n_multi);
	for (int m = 0; m < N_OPENLOOP; m++) {
		struct stats_summary was;
		stats_summarise(&y->recorded[m], &was);
		r->recorded_mean_ns[m] = was.mean;
	}
	stats_summarise(&y->ttft, &r->ttft);
	stats_summarise(&y->tpot, &r->tpot);
	stats_summarise(&y->itl, &r->itl);
	stats_summarise(&y->e2el, &r->e2el);
}

/* Backwards: a step's difference moves its own end and what it is carried to,
 * later steps of its replica.  What a weight of an end was becomes the weight
 * of a difference. */
static int carry_back(struct player *y)
{
	double(*later)[N_OPENLOOP] = calloc(y->n_replicas + 1, sizeof *later);
	double *carried = calloc(y->n_replicas + 1, sizeof *carried);
	if (!later || !carried) {
		free(later), free(carried);
		return no_memory(y);
	}
	for (size_t i = y->r->n_steps; i-- > 0;) {
		struct openloop_step *s = &y->r->step[i];
		uint32_t k = s->replica;
		for (int m = 0; m < N_OPENLOOP; m++) {
			s->weight[m] += carried[k] * later[k][m];
			later[k][m] = s->weight[m];
		}
		carried[k] = s->carried;
	}
	free(later);
	free(carried);
	return 0;
}

int openloop_run(struct openloop *r, const struct steplog *steps,
		 const struct steplog *requests, const int64_t *lasts_ns,
		 size_t n_steps, int64_t schedule_ns, struct problem *p)
{
	struct player y = {.r = r,
			   .steps = steps,
			   .requests = requests,
			   .schedule_ns = schedule_ns,
			   .p = p};
	*r = (struct openloop){0};
	int rc = prepare(&y, n_steps);
	if (rc == 0) {
		play(&y, lasts_ns, n_steps);
		finish(&y);
		rc = carry_back(&y);
	}
	struct stats *all[] = {&y.ttft,       &y.tpot,        &y.itl,
			       &y.e2el,       &y.recorded[0], &y.recorded[1],
			       &y.recorded[2]};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		if (rc == 0 && all[i]->out_of_memory)
			rc = no_memory(&y);
		stats_free(all[i]);
	}
	free(y.member);
	free(y.end_ns);
	free(y.shift_ns);
	return rc;
}

void openloop_free(struct openloop *r)
{
	free(r->step);
	*r = (struct openloop){0};
}
