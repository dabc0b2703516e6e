/* workload.c -- Opens the source of requests, and hands them out in order. */
#include "workload/workload.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "workload/generate/arrival_keys.h"
#include "workload/trace/named_trace.h"
#include "workload/trace/trace_formats.h"
#include "workload/trace/traces.h"
#include "workload/workload_private.h"

/* ---- opening ---- */

static void note(struct workload *w, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
static void note(struct workload *w, const char *fmt, ...)
{
	va_list ap;
	if (w->n_notes == N_NOTES)
		return;
	va_start(ap, fmt);
	vsnprintf(w->note[w->n_notes++], sizeof w->note[0], fmt, ap);
	va_end(ap);
}

static int open_arrival(struct workload *w, const struct ini *c,
			struct problem *p)
{
	struct workload_keys *k = &w->keys;
	if (arrival_from_keys(&w->arrival, k, c, p) < 0)
		return -1;
	return clients_open(&w->clients, k, c, p);
}

static void note_unused(struct workload *w, int takes_lengths,
			const struct ini *c)
{
	char list[300], others[300];
	uint32_t n = workload_unused_keys(list, sizeof list, w->is_timed,
					  takes_lengths, c);
	uint32_t n_others =
	    workload_unused_keys(others, sizeof others, 0, takes_lengths, c);
	if (n)
		note(w,
		     "the trace has its own requests, so [workload] %s %s not "
		     "used%s",
		     list, n > 1 ? "are" : "is",
		     n > n_others ? "; retime = true gives it other arrivals"
				  : "");
}

static int no_requests(const struct workload *w, const struct ini *c,
		       struct problem *p)
{
	return problem_set(p, EXIT_USAGE, "%s: stages = %s: no requests",
			   workload_at(c, "stages"), w->keys.stages);
}

static void note_cut(struct workload *w)
{
	const struct replay *r = &w->replay;
	if (r->n_left_out)
		note(w,
		     "%s: only its first %llu requests are used "
		     "(num_requests); left out: %s%llu",
		     trace_path(r->trace), (unsigned long long)w->total,
		     r->more_left_out ? "at least " : "",
		     (unsigned long long)r->n_left_out);
}

/* The stages may have fewer requests than the trace has rows. */
static int retime(struct workload *w, const struct ini *c, struct problem *p)
{
	if (open_arrival(w, c, p) < 0)
		return -1;
	uint64_t n = arrival_in_stages(&w->arrival), rows = w->total;
	if (!w->arrival.n_stages || n >= w->n_sessions)
		return 0;
	if (n == 0)
		return no_requests(w, c, p);
	w->n_sessions = n;
	if (w->replay.trees.n)
		n = trees_rows(&w->replay.trees, n);
	w->total = n;
	note(w,
	     "%s: only its first %llu requests are used (stages); left out: "
	     "%llu",
	     trace_path(w->replay.trace), (unsigned long long)n,
	     (unsigned long long)(rows - n));
	return 0;
}

int workload_read_trace(struct traces *s, const struct workload_keys *k,
			const struct ini *c, uint64_t *hash, struct problem *p)
{
	struct distribution input = {0}, output = {0};
	struct trace *t = NULL;
	char *path = named_trace_path(k, c, p);
	const struct trace_cached *kept = path ? traces_find(s, k, path) : NULL;
	if (path && !kept) {
		t = named_trace_open(k, path, c, &input, &output, p);
		kept = t ? traces_add(s, k, path, t, p) : NULL;
	}
	if (kept)
		*hash = trace_cached_hash(kept);
	trace_free(t);
	distribution_free(&input), distribution_free(&output);
	free(path);
	return kept ? 0 : -1;
}

/* Opens the trace from s if it is kept there, else from its file. */
static struct trace *find_trace(struct workload *w, const struct ini *c,
				const struct traces *s, struct problem *p)
{
	const struct workload_keys *k = &w->keys;
	struct trace *t = NULL;
	char *path = named_trace_path(k, c, p);
	const struct trace_cached *kept =
	    path && s ? traces_find(s, k, path) : NULL;
	if (kept && trace_cached_bytes(kept) && !(t = trace_of_cached(kept)))
		problem_no_memory(p);
	else if (path && !t)
		t = named_trace_open(k, path, c, &w->generated.input,
				     &w->generated.output, p);
	free(path);
	return t;
}

static int open_trace(struct workload *w, const struct ini *c,
		      const struct traces *s, struct problem *p)
{
	const struct workload_keys *k = &w->keys;
	struct trace *t = find_trace(w, c, s, p);
	if (!t)
		return -1;
	w->is_timed = trace_has_times(t) && !k->retime && !k->concurrency;
	if (replay_open(&w->replay, t, (uint64_t)k->num_requests, w->is_timed,
			p) < 0)
		return -1;
	w->total = w->n_sessions = w->replay.n;
	if (w->replay.trees.n)
		w->n_sessions = w->replay.trees.n_trees;
	if (k->concurrency && trace_has_times(t) && !k->retime)
		note(w,
		     "%s: its arrival times are not used: concurrency = "
		     "%lld is a closed loop",
		     trace_path(t), (long long)k->concurrency);
	note_unused(w, trace_takes_lengths(t), c);
	if (trace_note(t))
		note(w, "%s: %s", trace_path(t), trace_note(t));
	if (w->is_timed && w->replay.is_even && !trace_is_absolute(t))
		note(w,
		     "%s: its requests are exactly evenly spaced; measured "
		     "requests are not",
		     trace_path(t));
	note_cut(w);
	if (w->replay.n_failed)
		note(w,
		     "%s: %llu failed requests (0 tokens) dropped, %llu kept",
		     trace_path(t), (unsigned long long)w->replay.n_failed,
		     (unsigned long long)w->total);
	if (w->is_timed && w->replay.inversion)
		note(w,
		     "%s:%llu: earlier than the row before; rows are sorted by "
		     "time",
		     trace_path(t), (unsigned long long)w->replay.inversion);
	return w->is_timed ? 0 : retime(w, c, p);
}

static int open_generated(struct workload *w, const struct ini *c,
			  struct problem *p)
{
	const struct workload_keys *k = &w->keys;
	w->turns = (uint64_t)k->turns;
	if (open_arrival(w, c, p) < 0 ||
	    generated_open(&w->generated, k, c, p) < 0)
		return -1;
	uint64_t staged = arrival_in_stages(&w->arrival) * w->turns;
	if (w->arrival.n_stages && staged == 0)
		return no_requests(w, c, p);
	w->total = k->num_requests ? (uint64_t)k->num_requests : 1000;
	if (w->arrival.n_stages && (!k->num_requests || w->total > staged))
		w->total = staged;
	w->n_sessions = (w->total + w->turns - 1) / w->turns;
	return generated_longest_item(&w->generated, w->total, &w->longest_item,
				      p);
}

struct workload *workload_open(const struct workload_keys *k,
			       const struct ini *c, struct problem *p)
{
	return workload_open_with(k, c, NULL, p);
}

struct workload *workload_open_with(const struct workload_keys *k,
				    const struct ini *c, const struct traces *s,
				    struct problem *p)
{
	struct workload *w = calloc(1, sizeof *w);
	if (!w) {
		problem_no_memory(p);
		return NULL;
	}
	w->keys = *k;
	w->turns = 1;
	w->is_trace = *k->trace != '\0';
	int rc = 0;
	if (workload_given(c, "num_requests") && k->num_requests == 0)
		rc = problem_set(p, EXIT_USAGE,
				 "%s: num_requests = 0: must be at least 1",
				 workload_at(c, "num_requests"));
	if (rc == 0)
		rc = w->is_trace ? open_trace(w, c, s, p)
				 : open_generated(w, c, p);
	if (rc == 0 && !w->is_timed)
		rc = workload_check_total(w->total, c, p);
	w->promised = workload_promised(w);
	if (rc == 0)
		return w;
	workload_free(w);
	return NULL;
}

void workload_send_at_once(struct workload *w)
{
	w->all_at_once = 1;
	w->clients.do_not_think = 1;
	if (w->arrival.n_stages && !w->is_trace && w->keys.num_requests) {
		w->total = (uint64_t)w->keys.num_requests;
		w->n_sessions = (w->total + w->turns - 1) / w->turns;
	}
}

struct workload *workload_planned(const struct planned_request *request,
				  uint64_t n, uint64_t concurrency,
				  struct problem *p)
{
	struct workload *w = calloc(1, sizeof *w);
	if (!w || planned_open(&w->plan, request, n, concurrency) < 0) {
		free(w);
		problem_no_memory(p);
		return NULL;
	}
	w->keys.concurrency = (int64_t)concurrency;
	w->turns = 1;
	w->total = n;
	return w;
}

struct workload *workload_live(uint32_t longest_item)
{
	struct workload *w = calloc(1, sizeof *w);
	if (!w)
		return NULL;
	w->is_live = 1;
	w->turns = 1;
	w->longest_item = longest_item;
	return w;
}

int workload_give(struct workload *w, const struct request *r)
{
	return given_add(&w->given, r);
}

void workload_free(struct workload *w)
{
	if (!w)
		return;
	given_free(&w->given);
	planned_free(&w->plan);
	generated_free(&w->generated);
	replay_free(&w->replay);
	clients_free(&w->clients);
	free(w->arrival.stage), free(w);
}

/* ---- known arrivals ---- */

/* Scales the time of a trace's row, in ns; -1: beyond the end of the clock. */
static int rescale(const struct workload *w, int64_t *ns)
{
	double at_ns = (double)*ns / w->keys.rate_scale;
	if (w->keys.rate_scale != 1 && at_ns < (double)INT64_MAX)
		*ns = llround(at_ns);
	return at_ns <= (double)REQUEST_LAST_NS ? 1 : -1;
}

static int beyond_the_clock(const struct workload *w, struct problem *p)
{
	return problem_set(
	    p, EXIT_USAGE,
	    "[workload]: at this rate request %llu of %llu arrives "
	    "after 146 years, where the clock ends",
	    (unsigned long long)(w->started * w->turns),
	    (unsigned long long)w->total);
}

/* Finds the start of the next session of an open loop, or of one of the first
 * of a closed loop.  Returns 1, 0 if none is known, or -1 with *p filled in. */
static int next_start(struct workload *w, struct problem *p)
{
	if (w->has_start)
		return 1;
	if (w->is_over || w->started == w->n_sessions)
		return 0;
	int got = 1;
	if (w->is_timed) {
		got = replay_peek(&w->replay, &w->start_ns, p);
		if (got == 1 && rescale(w, &w->start_ns) < 0)
			return replay_late(&w->replay, p);
	} else if (w->all_at_once) {
		w->start_ns = 0;
	} else if (w->keys.concurrency) {
		got = w->started < (uint64_t)w->keys.concurrency;
		w->start_ns = 0;
	} else {
		got = arrival_next(&w->arrival, &w->start_ns);
		if (got < 0)
			return beyond_the_clock(w, p);
	}
	w->is_over = got == 0;
	w->has_start = got == 1;
	return got;
}

/* Returns the first row of the session that starts next. */
static uint64_t next_row(const struct workload *w)
{
	return w->replay.trees.n ? trees_next(&w->replay.trees)->first
				 : w->started * w->turns;
}

/* Returns 1 with the next request in *x; is_start: it begins a session of an
 * open loop, or one of the first sessions of a closed loop.  Returns 0 if none
 * is known, or -1 with *p filled in. */
static int choose(struct workload *w, struct pending *x, int *is_start,
		  struct problem *p)
{
	const struct clients *l = &w->clients;
	if (l->out_of_memory)
		return problem_no_memory(p);
	int got = next_start(w, p);
	if (got < 0)
		return -1;
	*x = (struct pending){w->start_ns, 0};
	if (got)
		x->row = next_row(w);
	*is_start = got && (!l->n || pending_before(x, &l->heap[0]));
	if (!*is_start && l->n)
		*x = l->heap[0];
	return got || l->n;
}

int workload_peek(struct workload *w, int64_t *arrival_ns, struct problem *p)
{
	struct pending x = {0, 0};
	if (w->is_live)
		return given_peek(&w->given, arrival_ns);
	if (w->plan.request)
		return planned_peek(&w->plan, arrival_ns);
	int is_start, got = choose(w, &x, &is_start, p);
	if (got == 1)
		*arrival_ns = x.ns;
	return got;
}

/* ---- requests ---- */

static uint64_t hash_of_unhashed(const struct workload *w)
{
	uint64_t sum = 0;
	for (uint32_t i = 0; i < w->n_unhashed; i++)
		sum += request_hash(&w->unhashed[i], 1);
	return sum;
}

/* A hash is one long chain of multiplications, so several requests are hashed
 * together: their chains run in parallel. */
static void hash_later(struct workload *w, const struct request *r,
		       int with_arrival)
{
	if (r->n_segments || r->n_items) { /* valid until the next pop */
		w->hash += request_hash(r, with_arrival);
		return;
	}
	w->unhashed[w->n_unhashed] = *r;
	if (!with_arrival)
		w->unhashed[w->n_unhashed].arrival_ns = 0;
	if (++w->n_unhashed < HASHED_TOGETHER)
		return;
	w->hash += hash_of_unhashed(w);
	w->n_unhashed = 0;
}

static int take_planned(struct workload *w, struct request *r)
{
	planned_pop(&w->plan, r);
	hash_later(w, r, !w->keys.concurrency);
	return 0;
}

/* Takes the request that choose() found: the first of a session if is_start,
 * else the next turn of a session, or a client's next session.  Returns its
 * row. */
static uint64_t start(struct workload *w, const struct pending *x, int is_start)
{
	if (is_start) {
		w->has_start = 0;
	} else {
		is_start = x->row == PENDING_SESSION;
		clients_take(&w->clients);
	}
	if (!is_start)
		return x->row;
	uint64_t row = next_row(w);
	w->started++;
	if (w->replay.trees.n)
		trees_begin(&w->replay.trees, x->ns,
			    w->is_timed ? 1 / w->keys.rate_scale : 1,
			    &w->clients);
	return row;
}

static int make_request(struct workload *w, uint64_t row, struct request *r,
			struct problem *p)
{
	int64_t unused;
	if (!w->is_trace)
		return generated_request(&w->generated, row, r, p);
	if (w->replay.trees.n) {
		int rc = replay_take_row(&w->replay, row, r, p);
		r->row = row;
		return rc;
	}
	int got = replay_peek(&w->replay, &unused, p);
	if (got == 0)
		return problem_set(p, EXIT_INPUT, "%s: no row is left",
				   trace_path(w->replay.trace));
	if (got < 0 || replay_take(&w->replay, r, p) < 0)
		return -1;
	r->row = row;
	return 0;
}

/* Returns the turn of a row in its session, counted from 0. */
static uint64_t turn_of(const struct workload *w, uint64_t row)
{
	return w->turns == 1 ? 0 : row % w->turns;
}

/* Returns 1 if it comes at a time that does not depend on the arm. */
static int is_timed_row(const struct workload *w, uint64_t row)
{
	if (w->keys.concurrency && !w->is_timed)
		return 0;
	return w->replay.trees.n ? (int)w->replay.trees.row[row].is_root
				 : turn_of(w, row) == 0;
}

int workload_pop(struct workload *w, struct request *r, struct problem *p)
{
	struct pending x = {0, 0};
	if (w->is_live) {
		given_pop(&w->given, r);
		hash_later(w, r, 1);
		return 0;
	}
	if (w->plan.request)
		return take_planned(w, r);
	int is_start, got = choose(w, &x, &is_start, p);
	if (got <= 0)
		return got < 0 ? -1
			       : problem_set(p, EXIT_USAGE,
					     "no request is known to come");
	if (make_request(w, start(w, &x, is_start), r, p) < 0)
		return -1;
	r->arrival_ns = x.ns;
	if (r->cancel_ns) /* so far the time that its client waits */
		r->cancel_ns += x.ns;
	hash_later(w, r, is_timed_row(w, r->row));
	return 0;
}

/* The client of a closed loop begins another session if one is left.  Returns
 * 1 if it does. */
static int begin_another(struct workload *w, uint64_t row, int64_t finish_ns)
{
	if (w->is_timed || !w->keys.concurrency || w->promised >= w->n_sessions)
		return 0;
	w->promised++;
	clients_next(&w->clients, row, finish_ns);
	return 1;
}

int workload_finished(struct workload *w, uint64_t row, int64_t finish_ns)
{
	if (w->is_live)
		return 0;
	if (w->plan.request) {
		planned_finished(&w->plan, finish_ns);
	} else if (w->replay.trees.n) {
		if (trees_ended(&w->replay.trees, row, finish_ns, &w->clients))
			begin_another(w, row, finish_ns);
	} else if (turn_of(w, row) + 1 < w->turns && row + 1 < w->total) {
		clients_turn(&w->clients, row, finish_ns);
	} else {
		return begin_another(w, row, finish_ns);
	}
	return 1;
}

/* ---- facts ---- */

int workload_is_timed(const struct workload *w)
{
	return w->is_timed;
}

int workload_has_trees(const struct workload *w)
{
	return w->replay.trees.n > 0;
}

const struct trees *workload_trees(const struct workload *w)
{
	return w->replay.trees.n ? &w->replay.trees : NULL;
}

uint64_t workload_turns(const struct workload *w)
{
	return w->turns;
}

uint64_t workload_total(const struct workload *w)
{
	return w->total;
}

uint64_t workload_clients(const struct workload *w)
{
	return (uint64_t)w->keys.concurrency;
}

uint32_t workload_longest_item(const struct workload *w)
{
	return w->is_trace ? w->replay.longest_item : w->longest_item;
}

uint64_t workload_hash(const struct workload *w)
{
	return w->hash + hash_of_unhashed(w);
}

int workload_may_leave(const struct workload *w)
{
	return w->is_live || w->replay.may_leave;
}

size_t workload_resets(const struct workload *w,
		       const struct workload_reset **reset)
{
	*reset = NULL;
	return w->is_timed ? trace_resets(w->replay.trace, reset) : 0;
}

const char *workload_note(const struct workload *w, uint32_t i)
{
	return i < w->n_notes ? w->note[i] : NULL;
}
