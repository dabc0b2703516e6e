/* sessions.c -- Follows each session back from its last end. */
#include "record/sessions.h"
#include <inttypes.h>
#include <stdlib.h>
#include "base/csv.h"
#include "base/number.h"

#define NO_ROW UINT64_MAX

struct session {
	uint64_t requests, completed, last; /* last: the row that ended last */
	int64_t begin_ns;
};

static int grow(struct sessions *s, uint64_t n)
{
	uint64_t cap = s->cap ? s->cap : 1024;
	while (cap < n)
		cap *= 2;
	void *more = realloc(s->row, cap * sizeof *s->row);
	if (!more)
		return -1;
	s->row = more;
	s->cap = cap;
	return 0;
}

int sessions_take(struct sessions *s, const struct request_event *e,
		  struct problem *p)
{
	uint64_t row = e->request.row;
	int is_completed = e->ending == REQUEST_ENDED;
	if (row >= s->cap && grow(s, row + 1) < 0)
		return problem_no_memory(p);
	while (s->n <= row)
		s->row[s->n++] = (struct session_row){0};
	s->row[row] = (struct session_row){
	    .arrival_ns = e->request.arrival_ns,
	    .end_ns = e->request.arrival_ns + (is_completed ? e->e2el_ns : 0),
	    .ttft_ns = is_completed ? e->ttft_ns : 0,
	    .is_known = 1,
	    .is_completed = is_completed};
	return 0;
}

/* ---- the order of requests ---- */

static uint64_t session_of(const struct session_shape *shape, uint64_t row)
{
	return shape->trees ? shape->trees->row[row].tree : row / shape->turns;
}

/* `next` waited for `row`, perhaps longer than for others. */
static void waited(const struct sessions *s, uint64_t *before, uint64_t next,
		   uint64_t row)
{
	if (next < s->n && s->row[row].is_known &&
	    (before[next] == NO_ROW ||
	     s->row[before[next]].end_ns < s->row[row].end_ns))
		before[next] = row;
}

static void find_before(const struct sessions *s,
			const struct session_shape *shape, uint64_t *before)
{
	const struct trees *t = shape->trees;
	for (uint64_t i = 0; i < s->n; i++)
		before[i] = !t && i % shape->turns ? i - 1 : NO_ROW;
	for (uint64_t i = 0; t && i < s->n; i++)
		for (uint32_t k = t->row[i].edges; k < t->row[i + 1].edges; k++)
			waited(s, before, t->edge[k], i);
}

static void add_up(const struct sessions *s, const struct session_shape *shape,
		   struct session *to)
{
	for (uint64_t i = 0; i < s->n; i++) {
		const struct session_row *r = &s->row[i];
		struct session *x = &to[session_of(shape, i)];
		if (!r->is_known)
			continue;
		if (!x->requests || r->arrival_ns < x->begin_ns)
			x->begin_ns = r->arrival_ns;
		if (!x->requests || r->end_ns > s->row[x->last].end_ns)
			x->last = i;
		x->requests++;
		x->completed += (uint64_t)r->is_completed;
	}
}

/* ---- output ---- */

void sessions_head(FILE *f)
{
	fputs("arm,session,requests,completed,begin_ns,end_ns,makespan_ms,"
	      "critical_requests,critical_ttft_ms,critical_ttft_share\n",
	      f);
}

static void cell(FILE *f, double value)
{
	char text[NUMBER_SIZE];
	number_format(text, value);
	fprintf(f, ",%s", text);
}

static void write_one(const struct sessions *s, const uint64_t *before,
		      const struct session *x, FILE *f)
{
	int64_t end_ns = s->row[x->last].end_ns, ttft_ns = 0;
	int64_t lasts_ns = end_ns - x->begin_ns;
	uint64_t n = 0;
	for (uint64_t i = x->last; i != NO_ROW; i = before[i], n++)
		ttft_ns += s->row[i].ttft_ns;
	fprintf(f, ",%" PRIu64 ",%" PRIu64 ",%" PRId64 ",%" PRId64, x->requests,
		x->completed, x->begin_ns, end_ns);
	cell(f, (double)lasts_ns / 1e6);
	fprintf(f, ",%" PRIu64, n);
	cell(f, (double)ttft_ns / 1e6);
	cell(f, lasts_ns > 0 ? (double)ttft_ns / (double)lasts_ns : 0);
	fputc('\n', f);
}

int sessions_write(const struct sessions *s, const struct session_shape *shape,
		   const char *arm, FILE *f, struct problem *p)
{
	uint64_t n = 0;
	for (uint64_t i = 0; i < s->n; i++)
		if (session_of(shape, i) >= n)
			n = session_of(shape, i) + 1;
	struct session *x = calloc(n + 1, sizeof *x);
	uint64_t *before = calloc(s->n + 1, sizeof *before);
	int rc = x && before ? 0 : problem_no_memory(p);
	if (rc == 0) {
		find_before(s, shape, before);
		add_up(s, shape, x);
	}
	for (uint64_t i = 0; rc == 0 && i < n; i++) {
		if (!x[i].requests)
			continue;
		csv_text(f, arm);
		fprintf(f, ",%" PRIu64, i + 1); /* as in --write-requests */
		write_one(s, before, &x[i], f);
	}
	free(x);
	free(before);
	return rc;
}

void sessions_free(struct sessions *s)
{
	free(s->row);
	*s = (struct sessions){0};
}
