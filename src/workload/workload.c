/* workload.c -- Picks where requests come from, and runs closed loops and
 * sessions. */
#include <config.h>
#include "workload/workload.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/hash.h"
#include "setup/keys.h"
#include "workload/arrival.h"
#include "workload/generated.h"
#include "workload/keys.h"
#include "workload/planned.h"
#include "workload/replay.h"
#include "workload/trace_reader.h"

enum { N_NOTES = 6 };

/* A request whose time is known: a session's next turn, or (new_session)
 * whatever comes next to a client of the closed loop that is free. */
static const uint64_t new_session = UINT64_MAX;
struct pending {
	int64_t ns;
	uint64_t row;
};

struct workload {
	struct workload_keys keys;
	int is_trace, is_timed; /* timed: the trace's own times               */
	struct generated generated;
	struct replay replay;
	struct arrival arrival;
	struct distribution think;
	uint64_t total, turns, n_sessions; /* a trace's rows are one each     */
	uint64_t started;                  /* sessions                        */
	int64_t start_ns; /* of the next session, once it is known            */
	int has_start, is_over;
	struct pending *heap; /* earliest first                               */
	size_t n_heap, heap_cap;
	uint64_t n_new; /* of them, sessions to come                          */
	struct planned plan; /* if it has requests, they are all there is */
	int out_of_memory;
	uint64_t hash;
	char note[N_NOTES][400];
	uint32_t n_notes;
};

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

/* The keys that say when requests arrive: exactly one. */
static const char *const rate_key[] = {"request_rate", "interarrival_us",
				       "concurrency", "stages"};
enum { RATE, INTERVAL, CONCURRENCY, STAGES, N_RATE_KEYS };

/* A --set of one takes the place of another in the file. */
static void drop_overridden(struct workload_keys *k, const struct ini *c)
{
	int is_by_set[N_RATE_KEYS], any = 0;
	for (int i = 0; i < N_RATE_KEYS; i++) {
		is_by_set[i] = !strcmp(workload_at(c, rate_key[i]), "--set");
		any |= is_by_set[i];
	}
	if (any && !is_by_set[RATE])
		k->request_rate = 0;
	if (any && !is_by_set[INTERVAL])
		k->interarrival_us = 0;
	if (any && !is_by_set[CONCURRENCY])
		k->concurrency = 0;
	if (any && !is_by_set[STAGES])
		k->stages = "";
}

static int check_rate(struct workload_keys *k, const struct ini *c,
		      struct problem *p)
{
	const int was_set[N_RATE_KEYS] = {k->request_rate > 0,
					  k->interarrival_us > 0,
					  k->concurrency > 0, *k->stages != 0};
	drop_overridden(k, c);
	const int is_set[N_RATE_KEYS] = {k->request_rate > 0,
					 k->interarrival_us > 0,
					 k->concurrency > 0, *k->stages != 0};
	int first = -1;
	for (int i = 0; i < N_RATE_KEYS; i++) {
		const struct ini_item *item = workload_given(c, rate_key[i]);
		if (item && !was_set[i])
			return problem_set(p, EXIT_USAGE,
					   "%s: %s = %s: is more than 0",
					   item->at, rate_key[i], item->value);
		if (is_set[i] && first >= 0)
			return problem_set(
			    p, EXIT_USAGE,
			    "%s: %s and %s: only one says when requests arrive",
			    workload_at(c, rate_key[i]), rate_key[first],
			    rate_key[i]);
		if (is_set[i])
			first = i;
	}
	if (first < 0)
		return problem_set(p, EXIT_USAGE,
				   "%s: [workload] needs request_rate, "
				   "interarrival_us, concurrency or stages",
				   c ? c->path : "?");
	if (first == CONCURRENCY && k->rate_scale != 1)
		return problem_set(p, EXIT_USAGE,
				   "%s: rate_scale: a closed loop has no rate",
				   workload_at(c, "rate_scale"));
	return 0;
}

static int open_arrival(struct workload *w, const struct ini *c,
			struct problem *p)
{
	struct workload_keys *k = &w->keys;
	struct arrival *a = &w->arrival;
	if (check_rate(k, c, p) < 0)
		return -1;
	*a = (struct arrival){.process = (enum arrival_process)k->arrival,
			      .rate = k->request_rate * k->rate_scale,
			      .interval_us = k->interarrival_us / k->rate_scale,
			      .cv = k->cv,
			      .burst = (uint64_t)k->burst_size,
			      .on_ns = llround(1e9 * k->on_s),
			      .off_ns = llround(1e9 * k->off_s)};
	if (k->interarrival_us > 0 && c && !workload_given(c, "arrival"))
		a->process = ARRIVAL_CONSTANT;
	if (workload_given(c, "cv") && a->process != ARRIVAL_GAMMA &&
	    a->process != ARRIVAL_WEIBULL)
		note(w,
		     "%s: cv is not used: arrival is neither gamma nor "
		     "weibull",
		     workload_at(c, "cv"));
	if (*k->stages &&
	    arrival_parse_stages(k->stages, workload_at(c, "stages"), "stages",
				 &a->stage, &a->n_stages, p) < 0)
		return -1;
	for (uint32_t i = 0; i < a->n_stages; i++)
		a->stage[i].rate *= k->rate_scale;
	arrival_start(a, (uint64_t)k->seed);
	return distribution_parse(&w->think, k->think_time_s, OF_SECONDS,
				  workload_at(c, "think_time_s"),
				  "think_time_s", c, p);
}

/* What of [workload] a trace with its own times leaves unused. */
static void note_unused(struct workload *w, int takes_lengths,
			const struct ini *c)
{
	static const char *const key[] = {
	    "request_rate",  "interarrival_us",
	    "concurrency",   "stages",
	    "arrival",       "prompts",
	    "prompt_groups", "shared_prefix_tokens",
	    "turns",         "think_time_s",
	    "input_tokens",  "output_tokens"};
	size_t n_keys = sizeof key / sizeof *key - (takes_lengths ? 2 : 0);
	char list[300] = "";
	size_t n = 0;
	for (size_t i = 0; i < n_keys; i++)
		if (workload_given(c, key[i]) && n < sizeof list)
			n += (size_t)snprintf(list + n, sizeof list - n, "%s%s",
					      n ? ", " : "", key[i]);
	if (n)
		note(w,
		     "the trace has its own requests: [workload] %s %s not "
		     "used",
		     list, strstr(list, ", ") ? "are" : "is");
}

/* 1: parsed, 0: not given, -1: *p. */
static int lengths(struct distribution *d, const char *text, const char *key,
		   const struct ini *c, struct problem *p)
{
	if (!*text)
		return 0;
	return distribution_parse(d, text, OF_TOKENS, workload_at(c, key), key,
				  c, p) < 0
		   ? -1
		   : 1;
}

struct trace *workload_trace(const struct workload_keys *k, const char *path,
			     const struct ini *c, struct distribution *input,
			     struct distribution *output, struct problem *p)
{
	int in = lengths(input, k->input_tokens, "input_tokens", c, p);
	int out =
	    in < 0 ? -1
		   : lengths(output, k->output_tokens, "output_tokens", c, p);
	const struct trace_options option = {
	    .format = workload_format(k),
	    .block_tokens = (uint32_t)k->hash_block_tokens,
	    .failed_is_error = k->failed != 0,
	    .chars_per_token = k->chars_per_token,
	    .seed = (uint64_t)k->seed,
	    .input = in > 0 ? input : NULL,
	    .output = out > 0 ? output : NULL};
	return out < 0 ? NULL : trace_open(path, &option, p);
}

static int open_trace(struct workload *w, const struct ini *c,
		      struct problem *p)
{
	const struct workload_keys *k = &w->keys;
	char *path = c ? ini_resolve_key(c, "workload", "trace", k->trace)
		       : strdup(k->trace);
	struct trace *t = path ? workload_trace(k, path, c, &w->generated.input,
						&w->generated.output, p)
			       : NULL;
	if (!path)
		problem_set(p, EXIT_USAGE, "out of memory");
	free(path);
	if (!t)
		return -1;
	w->is_timed = trace_has_times(t) && !k->retime && !k->concurrency;
	if (replay_open(&w->replay, t, (uint64_t)k->num_requests, w->is_timed,
			p) < 0)
		return -1;
	w->total = w->n_sessions = w->replay.n;
	if (k->concurrency && trace_has_times(t) && !k->retime)
		note(w,
		     "%s: its arrival times are not used: concurrency = "
		     "%lld is a closed loop",
		     trace_path(t), (long long)k->concurrency);
	if (w->is_timed)
		note_unused(w, trace_takes_lengths(t), c);
	if (trace_note(t))
		note(w, "%s: %s", trace_path(t), trace_note(t));
	if (w->is_timed && w->replay.is_even && !trace_is_absolute(t))
		note(w,
		     "%s: its requests are exactly evenly spaced, which "
		     "measured ones are not",
		     trace_path(t));
	if (w->replay.is_cut)
		note(w,
		     "%s: only its first %llu requests are used "
		     "(num_requests)",
		     trace_path(t), (unsigned long long)w->total);
	if (w->replay.n_failed)
		note(w,
		     "%s: %llu failed requests (0 tokens) dropped, %llu kept",
		     trace_path(t), (unsigned long long)w->replay.n_failed,
		     (unsigned long long)w->total);
	if (w->is_timed && w->replay.inversion)
		note(w,
		     "%s:%llu: is earlier than the row before: all rows are "
		     "sorted by time",
		     trace_path(t), (unsigned long long)w->replay.inversion);
	return w->is_timed ? 0 : open_arrival(w, c, p);
}

static int open_generated(struct workload *w, const struct ini *c,
			  struct problem *p)
{
	const struct workload_keys *k = &w->keys;
	uint64_t in_stages = 0;
	w->turns = (uint64_t)k->turns;
	if (open_arrival(w, c, p) < 0 ||
	    generated_open(&w->generated, k, c, p) < 0)
		return -1;
	for (uint32_t i = 0; i < w->arrival.n_stages; i++)
		in_stages += arrival_stage_count(&w->arrival.stage[i]);
	if (w->arrival.n_stages && in_stages == 0)
		return problem_set(p, EXIT_USAGE,
				   "%s: stages = %s: no requests",
				   workload_at(c, "stages"), k->stages);
	w->total = k->num_requests ? (uint64_t)k->num_requests : 1000;
	if (w->arrival.n_stages &&
	    (!k->num_requests || w->total > in_stages * w->turns))
		w->total = in_stages * w->turns;
	w->n_sessions = (w->total + w->turns - 1) / w->turns;
	return 0;
}

struct workload *workload_open(const struct workload_keys *k,
			       const struct ini *c, struct problem *p)
{
	struct workload *w = calloc(1, sizeof *w);
	if (!w) {
		problem_set(p, EXIT_USAGE, "out of memory");
		return NULL;
	}
	w->keys = *k;
	w->turns = 1;
	w->is_trace = *k->trace != '\0';
	int rc = 0;
	if (workload_given(c, "num_requests") && k->num_requests == 0)
		rc = problem_set(p, EXIT_USAGE,
				 "%s: num_requests = 0: is at least 1",
				 workload_at(c, "num_requests"));
	if (rc == 0)
		rc =
		    w->is_trace ? open_trace(w, c, p) : open_generated(w, c, p);
	if (rc == 0)
		return w;
	workload_free(w);
	return NULL;
}

struct workload *workload_planned(const struct planned_request *request,
				  uint64_t n, uint64_t concurrency,
				  struct problem *p)
{
	struct workload *w = calloc(1, sizeof *w);
	if (!w || planned_open(&w->plan, request, n, concurrency) < 0) {
		free(w);
		problem_set(p, EXIT_USAGE, "out of memory");
		return NULL;
	}
	w->keys.concurrency = (int64_t)concurrency;
	w->turns = 1;
	w->total = n;
	return w;
}

void workload_free(struct workload *w)
{
	if (!w)
		return;
	planned_free(&w->plan);
	generated_free(&w->generated);
	replay_free(&w->replay);
	distribution_free(&w->think);
	free(w->arrival.stage), free(w->heap), free(w);
}

/* ---- what is known to come ---- */

static int before(struct pending a, struct pending b)
{
	return a.ns != b.ns ? a.ns < b.ns : a.row < b.row;
}

static void push(struct workload *w, struct pending x)
{
	if (w->n_heap == w->heap_cap) {
		size_t cap = w->heap_cap ? 2 * w->heap_cap : 64;
		struct pending *heap = realloc(w->heap, cap * sizeof *heap);
		if (!heap) {
			w->out_of_memory = 1;
			return;
		}
		w->heap = heap;
		w->heap_cap = cap;
	}
	size_t i = w->n_heap++;
	for (; i && before(x, w->heap[(i - 1) / 2]); i = (i - 1) / 2)
		w->heap[i] = w->heap[(i - 1) / 2];
	w->heap[i] = x;
}

static struct pending pull(struct workload *w)
{
	struct pending top = w->heap[0], x = w->heap[--w->n_heap];
	size_t i = 0;
	for (size_t k; (k = 2 * i + 1) < w->n_heap; i = k) {
		if (k + 1 < w->n_heap && before(w->heap[k + 1], w->heap[k]))
			k++;
		if (!before(w->heap[k], x))
			break;
		w->heap[i] = w->heap[k];
	}
	w->heap[i] = x;
	return top;
}

static int64_t rescale(const struct workload *w, int64_t ns)
{
	return w->keys.rate_scale == 1
		   ? ns
		   : llround((double)ns / w->keys.rate_scale);
}

/* The start of the next session of an open loop, or of one of the first
 * sessions of a closed loop.  1, 0: none is known, -1: *p. */
static int next_start(struct workload *w, struct problem *p)
{
	if (w->has_start)
		return 1;
	if (w->is_over || w->started == w->n_sessions)
		return 0;
	int got = 1;
	if (w->is_timed) {
		got = replay_peek(&w->replay, &w->start_ns, p);
		w->start_ns = rescale(w, w->start_ns);
	} else if (w->keys.concurrency) {
		got = w->started < (uint64_t)w->keys.concurrency;
		w->start_ns = 0;
	} else {
		got = arrival_next(&w->arrival, &w->start_ns);
	}
	w->is_over = got == 0;
	w->has_start = got == 1;
	return got;
}

/* 1: the next request is *x; is_start: it begins a session. */
static int choose(struct workload *w, struct pending *x, int *is_start,
		  struct problem *p)
{
	if (w->out_of_memory)
		return problem_set(p, EXIT_USAGE, "out of memory");
	int got = next_start(w, p);
	if (got < 0)
		return -1;
	*x = (struct pending){w->start_ns, w->started * w->turns};
	*is_start = got && (!w->n_heap || before(*x, w->heap[0]));
	if (!*is_start && w->n_heap)
		*x = w->heap[0];
	return got || w->n_heap;
}

int workload_peek(struct workload *w, int64_t *arrival_ns, struct problem *p)
{
	struct pending x = {0, 0};
	if (w->plan.request)
		return planned_peek(&w->plan, arrival_ns);
	int is_start, got = choose(w, &x, &is_start, p);
	if (got == 1)
		*arrival_ns = x.ns;
	return got;
}

/* ---- requests ---- */

static uint64_t hash_request(const struct workload *w, const struct request *r)
{
	int fixed = !w->keys.concurrency || w->is_timed;
	uint64_t h = hash_mix(r->row + 1);
	const uint64_t part[] = {
	    fixed && r->row % w->turns == 0 ? (uint64_t)r->arrival_ns : 0,
	    (uint64_t)r->input_tokens << 32 | r->output_tokens,
	    (uint64_t)(uint32_t)r->priority << 32 | r->slo_class,
	    r->session,
	    r->turn,
	    r->output_id};
	for (size_t i = 0; i < sizeof part / sizeof *part; i++)
		h = hash_mix(h ^ part[i]) + i;
	for (uint32_t i = 0; i < r->n_segments; i++)
		h = hash_mix(h ^ r->segment[i].id) + r->segment[i].tokens;
	return hash_mix(h);
}

int workload_pop(struct workload *w, struct request *r, struct problem *p)
{
	struct pending x = {0, 0};
	if (w->plan.request) {
		planned_pop(&w->plan, r);
		w->hash += hash_request(w, r);
		return 0;
	}
	int is_start, got = choose(w, &x, &is_start, p);
	if (got <= 0)
		return got < 0 ? -1
			       : problem_set(p, EXIT_USAGE,
					     "no request is known to come");
	if (is_start) {
		w->has_start = 0;
	} else {
		pull(w);
		is_start = x.row == new_session;
		w->n_new -= (uint64_t)is_start;
	}
	if (is_start)
		x.row = w->started++ * w->turns;
	if (w->is_trace) {
		int64_t unused;
		if (replay_peek(&w->replay, &unused, p) < 0 ||
		    replay_take(&w->replay, r, p) < 0)
			return -1;
		r->row = x.row;
	} else if (generated_request(&w->generated, x.row, r, p) < 0) {
		return -1;
	}
	r->arrival_ns = x.ns;
	w->hash += hash_request(w, r);
	return 0;
}

void workload_finished(struct workload *w, uint64_t row, int64_t finish_ns)
{
	if (w->plan.request) {
		planned_finished(&w->plan, finish_ns);
		return;
	}
	int is_turn = row % w->turns + 1 < w->turns && row + 1 < w->total;
	if (!is_turn && (w->is_timed || !w->keys.concurrency ||
			 w->started + w->n_new >= w->n_sessions))
		return;
	struct rng r = rng_stream((uint64_t)w->keys.seed, RNG_THINK, row);
	int64_t ns =
	    finish_ns + llround(1e9 * distribution_draw(&w->think, &r));
	w->n_new += (uint64_t)!is_turn;
	push(w, (struct pending){ns, is_turn ? row + 1 : new_session});
}

/* ---- facts ---- */

uint64_t workload_total(const struct workload *w)
{
	return w->total;
}

uint64_t workload_hash(const struct workload *w)
{
	return w->hash;
}

const char *workload_note(const struct workload *w, uint32_t i)
{
	return i < w->n_notes ? w->note[i] : NULL;
}

const char *workload_kind(const struct workload *w)
{
	return w->is_trace ? trace_format_name(w->replay.trace) : "generated";
}

uint32_t workload_block_tokens(const struct workload *w)
{
	return w->is_trace ? trace_block_tokens(w->replay.trace) : 0;
}
