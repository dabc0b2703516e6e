/* replica_series.c -- Sums up each replica of a run over time. */
#include "record/replica_series.h"
#include <stdlib.h>

/* A request that ended. */
struct arrival {
	int64_t seen_ns; /* -1: it did not end, or its first step was seen */
	uint32_t replica, input_tokens;
};

struct reading {
	struct replica_series *to;
	struct arrival *arrival; /* by row */
	uint64_t n_rows;
	/* [n_replicas] 1 + the last bin of `computing` that counts it */
	uint32_t *counted;
};

/* ---- bins ---- */

static int64_t width_of(const struct replica_series *x, int64_t bins)
{
	int64_t width = (x->to_ns - x->from_ns + bins - 1) / bins;
	return width > 0 ? width : 1;
}

/* Returns the bin at that time, the first or the last one outside of the run.
 */
static int64_t bin_at(const struct replica_series *x, int64_t bins, int64_t ns)
{
	int64_t bin = (ns - x->from_ns) / width_of(x, bins);
	return bin < 0 ? 0 : bin < bins ? bin : bins - 1;
}

static struct replica_bin *bins_of(const struct replica_series *x,
				   uint32_t replica)
{
	return &x->bin[(size_t)replica * REPLICA_BINS];
}

/* Returns the share of a bin that [from, to) covers. */
static double covered(const struct replica_series *x, int64_t bin,
		      int64_t from_ns, int64_t to_ns)
{
	int64_t width = width_of(x, REPLICA_BINS);
	int64_t begin_ns = x->from_ns + bin * width, end_ns = begin_ns + width;
	int64_t from = from_ns > begin_ns ? from_ns : begin_ns;
	int64_t to = to_ns < end_ns ? to_ns : end_ns;
	return to > from ? (double)(to - from) / (double)width : 0;
}

static void add_waiting(const struct replica_series *x, uint32_t replica,
			int64_t from_ns, int64_t to_ns)
{
	struct replica_bin *bin = bins_of(x, replica);
	int64_t last = bin_at(x, REPLICA_BINS, to_ns);
	for (int64_t b = bin_at(x, REPLICA_BINS, from_ns); b <= last; b++)
		bin[b].waiting += covered(x, b, from_ns, to_ns);
}

static void add_kv(const struct replica_series *x, const struct logged_step *s)
{
	struct replica_bin *bin = bins_of(x, s->step.replica);
	int64_t last = bin_at(x, REPLICA_BINS, s->end_ns);
	double tokens = step_kv_tokens(&s->step);
	for (int64_t b = bin_at(x, REPLICA_BINS, s->start_ns); b <= last; b++)
		bin[b].kv_tokens +=
		    tokens * covered(x, b, s->start_ns, s->end_ns);
}

/* ---- the logs ---- */

static int read_requests(struct reading *r, const struct steplog *l)
{
	const struct logged_request *q;
	struct replica_series *x = r->to;
	x->from_ns = INT64_MAX;
	for (size_t at = 0; (q = steplog_see_request(l, &at)) != NULL;) {
		if (q->request.row >= r->n_rows)
			r->n_rows = q->request.row + 1;
		if (q->request.arrival_ns < x->from_ns)
			x->from_ns = q->request.arrival_ns;
		if (q->last_token_ns > x->to_ns)
			x->to_ns = q->last_token_ns;
	}
	if (x->from_ns > x->to_ns)
		x->from_ns = x->to_ns;
	r->arrival = malloc((r->n_rows + 1) * sizeof *r->arrival);
	if (!r->arrival)
		return -1;
	for (uint64_t i = 0; i < r->n_rows; i++)
		r->arrival[i] = (struct arrival){.seen_ns = -1};
	for (size_t at = 0; (q = steplog_see_request(l, &at)) != NULL;)
		if (q->n_visits)
			r->arrival[q->request.row] =
			    (struct arrival){q->seen_ns, q->visit[0].replica,
					     q->request.input_tokens};
	return 0;
}

static void first_step(struct reading *r, const struct logged_step *s,
		       uint64_t row, uint32_t hit_tokens)
{
	struct arrival *a = row < r->n_rows ? &r->arrival[row] : NULL;
	if (!a || a->seen_ns < 0 || a->replica != s->step.replica)
		return;
	add_waiting(r->to, a->replica, a->seen_ns, s->start_ns);
	struct replica_bin *bin = bins_of(r->to, a->replica) +
				  bin_at(r->to, REPLICA_BINS, s->start_ns);
	bin->prompt_tokens += a->input_tokens;
	bin->hit_tokens += hit_tokens;
	a->seen_ns = -1;
}

static void count_computing(struct reading *r, const struct logged_step *s)
{
	struct replica_series *x = r->to;
	uint32_t *counted = &r->counted[s->step.replica];
	int64_t last = bin_at(x, COMPUTE_BINS, s->end_ns);
	int64_t b = bin_at(x, COMPUTE_BINS, s->start_ns);
	for (b = b < *counted ? *counted : b; b <= last; b++)
		x->computing[b]++;
	*counted = (uint32_t)b;
}

static void read_steps(struct reading *r, const struct steplog *l)
{
	struct logged_step s;
	for (size_t at = 0; steplog_next_step(l, &at, &s);) {
		if (s.step.replica >= r->to->n_replicas)
			continue;
		add_kv(r->to, &s);
		count_computing(r, &s);
		for (uint32_t i = 0; i < s.step.n_prefill; i++)
			first_step(r, &s, s.step.prefill_id[i],
				   s.step.prefill_ctx[i]);
	}
}

int replica_series_read(struct replica_series *x, uint32_t n_replicas,
			const struct steplog *steps,
			const struct steplog *requests, struct problem *p)
{
	struct reading r = {.to = x};
	*x = (struct replica_series){.n_replicas = n_replicas};
	x->bin = calloc((size_t)n_replicas * REPLICA_BINS + 1, sizeof *x->bin);
	r.counted = calloc((size_t)n_replicas + 1, sizeof *r.counted);
	int rc = x->bin && r.counted ? read_requests(&r, requests) : -1;
	if (rc == 0)
		read_steps(&r, steps);
	free(r.arrival);
	free(r.counted);
	return rc < 0 ? problem_no_memory(p) : 0;
}

void replica_series_free(struct replica_series *x)
{
	free(x->bin);
	*x = (struct replica_series){0};
}
