/* replay.c -- Hands out the rows of a trace in order of time. */
#include "workload/replay.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/grow.h"
#include "workload/trace/trace_reader.h"

/* ---- the order of the rows ---- */

/* Equal times keep the order of the file. */
static int earlier(const void *va, const void *vb)
{
	const struct replay_place *a = va, *b = vb;
	int by_time = (a->time_ns > b->time_ns) - (a->time_ns < b->time_ns);
	return by_time ? by_time
		       : (a->offset > b->offset) - (a->offset < b->offset);
}

/* Counts up to a million; beyond that counting would take too long. */
static void count_left_out(struct replay *r)
{
	struct trace_row row;
	int got;
	while ((got = trace_next(r->trace, &row, NULL)) == 1)
		if (++r->n_left_out == 1000000)
			break;
	r->more_left_out = got != 0;
}

/* The times of the rows read so far; rows without a time of their own are left
 * out. */
struct spacing {
	uint64_t n;
	int64_t before_ns; /* the last one */
	uint64_t gap_ns;   /* before the last one */
	int64_t last_ns;   /* the latest */
	int is_even;
};

static void note_time(struct replay *r, struct spacing *s,
		      const struct trace_row *row)
{
	int64_t ns = row->time_ns;
	if (s->n == 0 || ns < r->first_ns)
		r->first_ns = ns;
	if (s->n == 0 || ns > s->last_ns)
		s->last_ns = ns;
	if (s->n && ns < s->before_ns && !r->inversion)
		r->inversion = row->request.line;
	/* modulo 2^64: rows may lie centuries apart */
	uint64_t gap_ns = (uint64_t)ns - (uint64_t)s->before_ns;
	s->is_even &= s->n < 2 || gap_ns == s->gap_ns;
	s->gap_ns = gap_ns;
	s->before_ns = ns;
	s->n++;
}

/* The next time around begins a mean gap behind the last row. */
static int64_t period(const struct replay *r, const struct spacing *s)
{
	int64_t span_ns;
	double n = (double)s->n;
	if (s->n < 2 ||
	    __builtin_sub_overflow(s->last_ns, r->first_ns, &span_ns) ||
	    span_ns > REQUEST_LAST_NS / 2)
		return 0;
	return llround((double)span_ns * (n / (n - 1)));
}

/* Counts the rows and finds the first that is not in order.  Writes their
 * places if `place` is not NULL. */
static int scan(struct replay *r, uint64_t limit, struct replay_place *place,
		struct problem *p)
{
	struct trace_row row;
	struct spacing spacing = {.is_even = 1};
	int got = 1;
	uint64_t n = 0;
	for (; limit == 0 || n < limit; n++) {
		got = trace_next(r->trace, &row, p);
		if (got <= 0)
			break;
		for (uint32_t i = 0; i < row.request.n_items; i++)
			if (row.request.item[i].length > r->longest_item)
				r->longest_item = row.request.item[i].length;
		r->may_leave |= request_may_leave(&row.request);
		r->has_after |= row.n_after > 0;
		if (!row.n_after)
			note_time(r, &spacing, &row);
		if (place)
			place[n] = (struct replay_place){
			    row.time_ns, row.offset, row.request.line};
	}
	r->n_failed = trace_failed(r->trace);
	if (limit && n == limit && !place)
		count_left_out(r);
	r->is_even =
	    spacing.n >= 4 && spacing.is_even && (int64_t)spacing.gap_ns > 0;
	r->period_ns = period(r, &spacing);
	r->n = n;
	if (got >= 0 && n == 0)
		return trace_no_requests(r->trace, p);
	return got < 0 ? -1 : trace_rewind(r->trace, p);
}

static int sort(struct replay *r, struct problem *p)
{
	r->sorted = calloc(r->n, sizeof *r->sorted);
	if (!r->sorted)
		return problem_no_memory(p);
	if (scan(r, r->n, r->sorted, p) < 0)
		return -1;
	qsort(r->sorted, r->n, sizeof *r->sorted, earlier);
	return 0;
}

static int find_order(struct replay *r, int by_time, struct problem *p)
{
	if (trace_has_trees(r->trace)) {
		if (trees_read(&r->trees, r->trace, r->n, by_time, p) < 0)
			return -1;
		if (r->has_after || !trace_is_record(r->trace))
			return 0;
		/* The record was read for its ids, which are there once each.
		 */
		trees_free(&r->trees);
		r->trees = (struct trees){0};
	}
	return by_time && r->inversion ? sort(r, p) : 0;
}

int replay_open(struct replay *r, struct trace *t, uint64_t limit, int by_time,
		struct problem *p)
{
	*r = (struct replay){.trace = t};
	if (scan(r, limit, NULL, p) == 0 && find_order(r, by_time, p) == 0) {
		if (!by_time)
			r->period_ns = 0;
		if (trace_is_absolute(t))
			r->first_ns = 0;
		r->rows = r->n;
		return 0;
	}
	replay_free(r);
	return -1;
}

static void forget_conversations(struct replay *r)
{
	for (size_t i = 0; i < r->n_conversations; i++)
		segments_free(&r->conversation[i].said);
	r->n_conversations = 0;
	map64_free(&r->sessions);
}

int replay_begin_at(struct replay *r, uint64_t first, uint64_t n,
		    struct problem *p)
{
	struct trace_row row;
	int got = 1;
	for (r->next = 0; got == 1 && r->next < first; r->next++)
		got = trace_next(r->trace, &row, p);
	r->n = n;
	return got < 0 ? -1 : 0;
}

int replay_repeat(struct replay *r, uint64_t times, struct problem *p)
{
	if (r->trees.n && trees_repeat(&r->trees, times, r->period_ns, p) < 0)
		return -1;
	r->n = r->rows * times;
	return 0;
}

/* Returns 0 after the last row, or -1 with *p. */
static int go_around(struct replay *r, struct problem *p)
{
	if (r->next < r->rows)
		return 0;
	r->next = 0;
	forget_conversations(r);
	return trace_rewind(r->trace, p);
}

int replay_late(const struct replay *r, struct problem *p)
{
	uint64_t line = r->trees.n
			    ? r->trees.row[trees_next(&r->trees)->first].line
			    : r->row.request.line;
	return problem_at(p, trace_path(r->trace), line,
			  "arrives after 146 years, where the clock ends");
}

/* Reads the row that is next, at that place of the file if it is given. */
static int read_row(struct replay *r, uint64_t offset, uint64_t line,
		    struct problem *p)
{
	if (line && trace_seek(r->trace, offset, line, p) < 0)
		return -1;
	int got = trace_next(r->trace, &r->row, p);
	if (got == 0)
		return problem_set(p, EXIT_INPUT,
				   "%s: became shorter while it was read",
				   trace_path(r->trace));
	r->has_row = got == 1;
	return got < 0 ? -1 : 0;
}

/* The next row of the file, or in the order of time. */
static int read_next(struct replay *r, struct problem *p)
{
	if (go_around(r, p) < 0)
		return -1;
	r->around = r->taken / r->rows;
	if (!r->sorted)
		return read_row(r, 0, 0, p);
	const struct replay_place *at = &r->sorted[r->taken % r->rows];
	return read_row(r, at->offset, at->line, p);
}

int replay_peek(struct replay *r, int64_t *time_ns, struct problem *p)
{
	int64_t ns;
	if (r->trees.n) {
		if (r->trees.begun == r->trees.n_trees)
			return 0;
		ns = trees_next(&r->trees)->ns;
	} else {
		if (!r->has_row && r->taken == r->n)
			return 0;
		if (!r->has_row && read_next(r, p) < 0)
			return -1;
		ns = r->row.time_ns;
	}
	if (__builtin_sub_overflow(ns, r->first_ns, time_ns))
		return replay_late(r, p);
	/* Trees have all their times. */
	double behind_ns =
	    r->trees.n ? 0 : (double)r->around * (double)r->period_ns;
	if (behind_ns + (double)*time_ns > (double)REQUEST_LAST_NS)
		return replay_late(r, p);
	*time_ns += (int64_t)behind_ns;
	return 1;
}

/* ---- shared prefixes ---- */

/* Returns an id that the times around before did not have. */
static uint64_t anew(const struct replay *r, uint64_t id)
{
	return id && r->around ? segment_id(SEGMENT_AGAIN, id, r->around) : id;
}

/* Makes the segments of a prompt from the blocks of its row. */
static int blocks(struct replay *r, struct request *q)
{
	const struct trace_row *row = &r->row;
	uint32_t size = row->own_block_tokens ? row->own_block_tokens
					      : trace_block_tokens(r->trace);
	if (!row->block_tokens)
		return segments_add_blocks(&r->segments, row->block,
					   row->n_blocks, size, q);
	int64_t left =
	    row->input_tokens + (q->has_answer ? row->output_tokens : 0);
	for (uint32_t i = 0; i < row->n_blocks && left > 0; i++) {
		int64_t n = row->block_tokens[i];
		if (n > left)
			n = left;
		if (segments_add(&r->segments,
				 segment_id(SEGMENT_BLOCK, row->block[i], 0),
				 (uint32_t)n) < 0)
			return -1;
		left -= n;
	}
	return 0;
}

static struct conversation *conversation_of(struct replay *r, uint64_t session)
{
	uint64_t *at = map64_at(&r->sessions, session, NULL);
	if (!at)
		return NULL;
	if (!*at) {
		if (!MAKE_ROOM(r->conversation, r->n_conversations,
			       r->conversations_cap))
			return NULL;
		r->conversation[r->n_conversations] = (struct conversation){0};
		*at = ++r->n_conversations;
	}
	return &r->conversation[*at - 1];
}

/* Adds the first `tokens` tokens of the conversation so far. */
static int cut(struct replay *r, const struct conversation *c, uint64_t tokens)
{
	for (uint32_t i = 0; i < c->said.n && tokens; i++) {
		uint32_t n = c->said.item[i].tokens;
		if (n > tokens)
			n = (uint32_t)tokens;
		if (segments_add(&r->segments, c->said.item[i].id, n) < 0)
			return -1;
		tokens -= n;
	}
	return 0;
}

static int prefix(struct replay *r)
{
	return segments_add(&r->segments,
			    segment_id(SEGMENT_GROUP, r->row.prefix_group, 1),
			    r->row.prefix_tokens);
}

/* The prompt of a turn is the conversation so far (cut if the prompt is
 * shorter) and its own tokens; then its answer joins the conversation. */
static int turn(struct replay *r, struct request *q, struct problem *p)
{
	struct conversation *c = conversation_of(r, q->session);
	uint32_t tokens = q->input_tokens;
	int rc;
	if (!c)
		return problem_no_memory(p);
	if (c->turns && q->turn && q->turn <= c->last)
		return problem_set(p, EXIT_INPUT,
				   "%s:%llu: turn %u after turn %u of its "
				   "session",
				   trace_path(r->trace),
				   (unsigned long long)q->line, q->turn,
				   c->last);
	if (c->turns)
		rc = cut(r, c, tokens);
	else
		rc = prefix(r);
	uint64_t known = c->turns ? c->tokens : r->row.prefix_tokens;
	if (rc == 0 && known < tokens)
		rc = segments_add(
		    &r->segments,
		    segment_id(SEGMENT_TURN, q->session, c->turns + 1u),
		    tokens - (uint32_t)known);
	q->output_id = segment_id(SEGMENT_ANSWER, q->session, c->turns + 1u);
	c->said.n = 0;
	for (uint32_t i = 0; rc == 0 && i < r->segments.n; i++)
		rc = segments_add(&c->said, r->segments.item[i].id,
				  r->segments.item[i].tokens);
	if (rc == 0)
		rc = segments_add(&c->said, q->output_id, q->output_tokens);
	c->tokens = (uint64_t)tokens + q->output_tokens;
	c->last = q->turn;
	c->turns++;
	return rc ? problem_no_memory(p) : 0;
}

/* Copies n bytes to *to, which has room for *cap and grows.  Returns the copy,
 * or NULL if memory is out. */
static void *keep(void *to, size_t *cap, const void *from, size_t n)
{
	if (n > *cap) {
		to = realloc(to, 2 * n);
		if (!to)
			return NULL;
		*cap = 2 * n;
	}
	return memcpy(to, from, n);
}

/* The row's own memory is needed for the next row. */
static int keep_row(struct replay *r, struct request *q)
{
	if (q->name) {
		char *name =
		    keep(r->name, &r->name_cap, q->name, strlen(q->name) + 1);
		if (!name)
			return -1;
		q->name = r->name = name;
	}
	if (q->n_items) {
		struct mm_item *item = keep(r->item, &r->item_cap, q->item,
					    q->n_items * sizeof *item);
		if (!item)
			return -1;
		q->item = r->item = item;
		for (uint32_t i = 0; i < q->n_items; i++)
			r->item[i].name = anew(r, item[i].name);
	}
	return 0;
}

int replay_take(struct replay *r, struct request *q, struct problem *p)
{
	const struct trace_row *row = &r->row;
	*q = row->request;
	q->session = anew(r, q->session);
	r->segments.n = 0;
	r->has_row = 0;
	r->taken++;
	r->next++;
	if (row->grows) {
		if (turn(r, q, p) < 0)
			return -1;
	} else if (prefix(r) < 0 || blocks(r, q) < 0) {
		return problem_no_memory(p);
	}
	if (keep_row(r, q) < 0)
		return problem_no_memory(p);
	for (uint32_t i = 0; i < r->segments.n; i++)
		r->segments.item[i].id = anew(r, r->segments.item[i].id);
	q->output_id = anew(r, q->output_id);
	q->n_segments = r->segments.n;
	q->segment = r->segments.item;
	return 0;
}

int replay_take_row(struct replay *r, uint64_t row, struct request *q,
		    struct problem *p)
{
	const struct tree_row *at = &r->trees.row[row];
	r->around = row / r->rows;
	if (read_row(r, at->offset, at->line, p) < 0)
		return -1;
	return replay_take(r, q, p);
}

void replay_free(struct replay *r)
{
	forget_conversations(r);
	free(r->conversation), free(r->sorted), free(r->name);
	free(r->item);
	segments_free(&r->segments);
	trees_free(&r->trees);
	trace_free(r->trace);
	*r = (struct replay){0};
}
