/* queues.c -- Follows the queues of replicas through a run. */
#include "record/queues.h"
#include <math.h>
#include <stdlib.h>
#include "base/arrays.h"
#include "engine/engine.h"

/* A request begins to wait on its first replica, or its first step starts. */
struct turn {
	int64_t at_ns;
	uint64_t row;
	uint32_t replica;
	int is_end;
};

struct reading {
	struct queues *to;
	uint32_t n_replicas; /* of the pool */
	int64_t *started_ns; /* by row; INT64_MAX: not yet */
	struct turn *turn;
	size_t n;
	double waiting;    /* at all replicas */
	double *at;        /* waiting, by replica */
	double *uneven_ns; /* by replica: of one who waited there always */
	struct arrays arrays;
};

/* Among turns at the same time the order does not matter. */
static int sooner(const void *x, const void *y)
{
	const struct turn *a = x, *b = y;
	if (a->at_ns != b->at_ns)
		return a->at_ns < b->at_ns ? -1 : 1;
	return a->row != b->row ? (a->row < b->row ? -1 : 1)
				: a->is_end - b->is_end;
}

static void starts(struct reading *r, uint64_t row, int64_t at_ns)
{
	if (row < r->to->n_rows && r->started_ns[row] == INT64_MAX)
		r->started_ns[row] = at_ns;
}

static void read_steps(struct reading *r, const struct steplog *l)
{
	struct logged_step s;
	for (size_t at = 0; steplog_next_step(l, &at, &s);) {
		for (uint32_t i = 0; i < s.step.n_prefill; i++)
			starts(r, s.step.prefill_id[i], s.start_ns);
		for (uint32_t i = 0; i < s.step.n_decode; i++)
			starts(r, s.step.decode_id[i], s.start_ns);
	}
}

static void read_requests(struct reading *r, const struct steplog *l)
{
	const struct logged_request *q;
	for (size_t at = 0; (q = steplog_see_request(l, &at)) != NULL;) {
		uint64_t row = q->request.row;
		int64_t to_ns = r->started_ns[row];
		if (!q->n_visits || q->visit[0].replica >= r->n_replicas ||
		    q->seen_ns >= to_ns || to_ns == INT64_MAX)
			continue;
		uint32_t replica = q->visit[0].replica;
		r->turn[r->n++] = (struct turn){q->seen_ns, row, replica, 0};
		r->turn[r->n++] = (struct turn){to_ns, row, replica, 1};
	}
	qsort(r->turn, r->n, sizeof *r->turn, sooner);
}

static void pass(struct reading *r, int64_t ns)
{
	double mean = r->waiting / r->n_replicas;
	for (uint32_t i = 0; i < r->n_replicas; i++)
		if (r->at[i] > mean)
			r->uneven_ns[i] += (double)ns * (1 - mean / r->at[i]);
}

static void take(struct reading *r, const struct turn *t)
{
	struct queued *q = &r->to->queued[t->row];
	int64_t uneven_ns = llround(r->uneven_ns[t->replica]);
	double change = t->is_end ? -1 : 1;
	r->waiting += change;
	r->at[t->replica] += change;
	q->wait_ns += t->is_end ? t->at_ns : -t->at_ns;
	q->uneven_ns += t->is_end ? uneven_ns : -uneven_ns;
}

static void follow(struct reading *r)
{
	for (size_t i = 0; i < r->n; i++) {
		const struct turn *t = &r->turn[i];
		if (i && t[-1].at_ns < t->at_ns)
			pass(r, t->at_ns - t[-1].at_ns);
		take(r, t);
	}
}

static int make_room(struct reading *r, const struct steplog *requests)
{
	const struct logged_request *q;
	struct queues *to = r->to;
	size_t n = 0;
	for (size_t at = 0; (q = steplog_see_request(requests, &at)); n++)
		if (q->request.row >= to->n_rows)
			to->n_rows = q->request.row + 1;
	to->queued = calloc(to->n_rows + 1, sizeof *to->queued);
	struct arrays *a = &r->arrays;
	r->started_ns = arrays_add(a, to->n_rows, sizeof *r->started_ns);
	r->turn = arrays_add(a, 2 * n, sizeof *r->turn);
	r->at = arrays_add(a, r->n_replicas, sizeof *r->at);
	r->uneven_ns = arrays_add(a, r->n_replicas, sizeof *r->uneven_ns);
	if (!to->queued || a->out_of_memory)
		return -1;
	for (uint64_t i = 0; i < to->n_rows; i++)
		r->started_ns[i] = INT64_MAX;
	return 0;
}

int queues_read(struct queues *x, const struct engine *e,
		const struct steplog *steps, const struct steplog *requests,
		struct problem *p)
{
	struct reading r = {.to = x,
			    .n_replicas = e->prefill_replicas
					      ? e->prefill_replicas
					      : e->replicas};
	*x = (struct queues){0};
	if (r.n_replicas < 2 || fleet_changes(&e->fleet))
		return 0;
	int rc = make_room(&r, requests);
	if (rc == 0) {
		read_steps(&r, steps);
		read_requests(&r, requests);
		follow(&r);
	}
	arrays_free(&r.arrays);
	return rc < 0 ? problem_no_memory(p) : 0;
}

int64_t queues_uneven(const struct queues *x, uint64_t row, int64_t ns)
{
	if (!x->queued || row >= x->n_rows || x->queued[row].wait_ns <= 0)
		return 0;
	const struct queued *q = &x->queued[row];
	int64_t uneven_ns =
	    (int64_t)((double)ns * (double)q->uneven_ns / (double)q->wait_ns);
	return uneven_ns < 0 ? 0 : uneven_ns > ns ? ns : uneven_ns;
}

void queues_free(struct queues *x)
{
	free(x->queued);
	*x = (struct queues){0};
}
