/* uncertainty.c -- Adds up the errors of steps to those of latencies. */
#include "record/uncertainty.h"
#include <stdlib.h>
#include <string.h>
#include "base/arrays.h"
#include "math/own_coverage.h"

/* ln(high) - ln(low) of a 5 % and a 95 % quantile, in standard deviations */
static const double quantiles_apart = 2 * 1.6448536269514722;

static double or_0(double us)
{
	return isnan(us) ? 0 : us;
}

/* The standard deviation by low_us and high_us; 0: none. */
static double of_quantiles(const sc_result *r)
{
	return r->low_us > 0 && r->high_us >= r->low_us
		   ? r->total_us * log(r->high_us / r->low_us) / quantiles_apart
		   : 0;
}

double uncertainty_step_variance(const sc_result *r, uint32_t n_sigma)
{
	double noise = or_0(r->noise_us), own = of_quantiles(r);
	double sum = noise * noise + own * own;
	for (uint32_t k = 0; r->sigma_us && k < n_sigma; k++)
		sum += or_0(r->sigma_us[k]) * or_0(r->sigma_us[k]);
	return sum;
}

/* ---- steps ---- */

/* Steps of a replica.  A step owns its part after the end of the step
 * before. */
struct lane {
	int64_t (*owned)[2]; /* [n] from, to */
	/* [n][1 + sources] noise, then each source, in ns of the owned part;
	 * uncertainty_close() adds up those of sources from the left. */
	double *error_ns;
	size_t n, cap;
	int64_t end_ns;
};

struct lived {
	uint32_t n_visits, gaps; /* output tokens - 1 */
	struct visit visit[REQUEST_VISITS];
	int64_t first_token_ns, last_token_ns;
	double ns[N_UNCERTAIN]; /* below 0: none */
};

struct uncertainty {
	uint32_t n_sigma, n_errors; /* noise, sources, quantiles */
	struct lane *lane;          /* [n_lanes] by replica */
	uint32_t n_lanes;
	struct lived *request;
	size_t n_requests, cap;
	uint64_t n_steps;
};

struct uncertainty *uncertainty_new(uint32_t n_sigma)
{
	struct uncertainty *u = calloc(1, sizeof *u);
	if (u) {
		u->n_sigma = n_sigma;
		u->n_errors = n_sigma + 2;
	}
	return u;
}

void uncertainty_free(struct uncertainty *u)
{
	if (!u)
		return;
	for (uint32_t i = 0; i < u->n_lanes; i++) {
		free(u->lane[i].owned);
		free(u->lane[i].error_ns);
	}
	free(u->lane);
	free(u->request);
	free(u);
}

static struct lane *lane_of(struct uncertainty *u, uint32_t replica)
{
	if (replica >= u->n_lanes) {
		uint32_t n = replica + 1;
		struct lane *more = realloc(u->lane, n * sizeof *more);
		if (!more)
			return NULL;
		memset(more + u->n_lanes, 0, (n - u->n_lanes) * sizeof *more);
		u->lane = more;
		u->n_lanes = n;
	}
	return &u->lane[replica];
}

static int grow(struct lane *l, uint32_t n_errors)
{
	size_t cap = l->cap ? 2 * l->cap : 256;
	void *owned = realloc(l->owned, cap * sizeof *l->owned);
	if (owned)
		l->owned = owned;
	void *errors =
	    realloc(l->error_ns, cap * n_errors * sizeof *l->error_ns);
	if (errors)
		l->error_ns = errors;
	if (!owned || !errors)
		return -1;
	l->cap = cap;
	return 0;
}

int uncertainty_step(struct uncertainty *u, uint32_t replica, int64_t start_ns,
		     int64_t end_ns, const sc_result *r, uint32_t first,
		     uint32_t n_sigma)
{
	struct lane *l = lane_of(u, replica);
	if (!l || (l->n == l->cap && grow(l, u->n_errors) < 0))
		return -1;
	int64_t from_ns = l->n && l->end_ns > start_ns ? l->end_ns : start_ns;
	double share = end_ns <= start_ns ? 1
		       : from_ns < end_ns ? (double)(end_ns - from_ns) /
						(double)(end_ns - start_ns)
					  : 0;
	double *to = l->error_ns + l->n * u->n_errors, ns = 1e3 * share;
	if (from_ns > end_ns)
		from_ns = end_ns;
	to[0] = ns * or_0(r->noise_us);
	memset(to + 1, 0, u->n_sigma * sizeof *to);
	for (uint32_t k = 0; r->sigma_us && k < n_sigma; k++)
		to[1 + first + k] = ns * or_0(r->sigma_us[k]);
	to[1 + u->n_sigma] = ns * of_quantiles(r);
	l->owned[l->n][0] = from_ns;
	l->owned[l->n][1] = end_ns;
	l->n++;
	l->end_ns = end_ns > l->end_ns || l->n == 1 ? end_ns : l->end_ns;
	u->n_steps++;
	return 0;
}

int uncertainty_request(struct uncertainty *u, const struct request_event *e)
{
	if (e->ending != REQUEST_ENDED || !u->n_steps)
		return 0;
	if (u->n_requests == u->cap) {
		size_t cap = u->cap ? 2 * u->cap : 256;
		struct lived *more = realloc(u->request, cap * sizeof *more);
		if (!more)
			return -1;
		u->request = more;
		u->cap = cap;
	}
	struct lived *q = &u->request[u->n_requests++];
	*q = (struct lived){
	    .n_visits = e->n_visits,
	    .gaps = e->tpot_ns < 0 ? 0 : e->request.output_tokens - 1,
	    .first_token_ns = e->first_token_ns,
	    .last_token_ns = e->last_token_ns,
	    .ns = {(double)e->ttft_ns, -1, (double)e->e2el_ns}};
	if (q->gaps)
		q->ns[UNCERTAIN_TPOT] =
		    (double)(e->e2el_ns - e->ttft_ns) / q->gaps;
	memcpy(q->visit, e->visit, sizeof q->visit);
	return 0;
}

/* ---- a time among steps ---- */

/* A place among the steps of a lane: `share` of step i are over. */
struct place {
	size_t i;
	double share; /* below 1; 0 if i is the number of steps */
};

static struct place place_of(const struct lane *l, int64_t at_ns)
{
	size_t low = 0, high = l->n;
	while (low < high) { /* the first step that ends after it */
		size_t middle = low + (high - low) / 2;
		if (l->owned[middle][1] > at_ns)
			high = middle;
		else
			low = middle + 1;
	}
	struct place p = {low, 0};
	if (low < l->n && at_ns > l->owned[low][0])
		p.share = (double)(at_ns - l->owned[low][0]) /
			  (double)(l->owned[low][1] - l->owned[low][0]);
	return p;
}

/* Replaces the errors of sources by their sums from the left. */
static void add_up(const struct uncertainty *u, struct lane *l)
{
	for (size_t i = 1; i < l->n; i++)
		for (uint32_t k = 1; k < u->n_errors; k++)
			l->error_ns[i * u->n_errors + k] +=
			    l->error_ns[(i - 1) * u->n_errors + k];
}

/* Returns the sum of source k up to a place. */
static double sum_to(const struct uncertainty *u, const struct lane *l,
		     struct place p, uint32_t k)
{
	double before = p.i ? l->error_ns[(p.i - 1) * u->n_errors + k] : 0;
	if (p.i == l->n)
		return before;
	return before + p.share * (l->error_ns[p.i * u->n_errors + k] - before);
}

/* ---- requests ---- */

/* Sums over all requests, for one kind of latency. */
struct sums {
	double *common_ns; /* [sources] of mean latencies */
	double *own_ns;    /* [sources] of the present request */
	double **weight;   /* [lanes][steps + 1] of noise */
	double **more;     /* [lanes][steps + 1] differences to the left */
	struct arrays arrays;
	struct stats low, high;
	double total_ns;
	uint64_t n;
};

/* Adds a stay of a request on a lane, from one time to another. */
static void stay(const struct uncertainty *u, struct sums *s, uint32_t replica,
		 int64_t from_ns, int64_t to_ns, double per)
{
	if (replica >= u->n_lanes || to_ns <= from_ns)
		return;
	const struct lane *l = &u->lane[replica];
	struct place a = place_of(l, from_ns), b = place_of(l, to_ns);
	double *w = s->weight[replica], *more = s->more[replica];
	for (uint32_t k = 1; k < u->n_errors; k++)
		s->own_ns[k - 1] +=
		    per * (sum_to(u, l, b, k) - sum_to(u, l, a, k));
	w[a.i] -= per * a.share;
	w[b.i] += per * b.share;
	more[a.i] += per;
	more[b.i] -= per;
}

static int64_t later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static int64_t earlier(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static void end_request(const struct uncertainty *u, struct sums *s,
			double latency_ns, double z)
{
	double variance = 0;
	for (uint32_t k = 0; k + 1 < u->n_errors; k++) {
		s->common_ns[k] += s->own_ns[k];
		variance += s->own_ns[k] * s->own_ns[k];
		s->own_ns[k] = 0;
	}
	double by = latency_ns > 0 ? exp(z * sqrt(variance) / latency_ns) : 1;
	s->total_ns += latency_ns;
	s->n++;
	stats_add(&s->low, llround(latency_ns / by), 1);
	stats_add(&s->high, llround(fmin(latency_ns * by, 9e18)), 1);
}

static void add_request(const struct uncertainty *u, struct sums *s,
			enum uncertain kind, const struct lived *q, double z)
{
	int64_t from_ns =
	    kind == UNCERTAIN_TPOT ? q->first_token_ns : INT64_MIN;
	int64_t to_ns =
	    kind == UNCERTAIN_TTFT ? q->first_token_ns : q->last_token_ns;
	double per = kind == UNCERTAIN_TPOT ? 1.0 / q->gaps : 1;
	for (uint32_t i = 0; i < q->n_visits; i++)
		stay(u, s, q->visit[i].replica,
		     later(q->visit[i].from_ns, from_ns),
		     earlier(q->visit[i].to_ns, to_ns), per);
	end_request(u, s, q->ns[kind], z);
}

/* Returns the sum of squares of noise, weighted. */
static double noise_of(const struct uncertainty *u, const struct sums *s)
{
	double sum = 0;
	for (uint32_t r = 0; r < u->n_lanes; r++) {
		double present = 0;
		for (size_t i = 0; i < u->lane[r].n; i++) {
			present += s->more[r][i];
			double ns = (present + s->weight[r][i]) *
				    u->lane[r].error_ns[i * u->n_errors];
			sum += ns * ns;
		}
	}
	return sum;
}

/* Computes the standard deviation of the mean.  Common errors of all steps add
 * up linearly, the noise of each by squares. */
static void conclude(const struct uncertainty *u, struct sums *s,
		     struct uncertain_latency *out)
{
	double n = (double)s->n, common = 0;
	*out = (struct uncertain_latency){0};
	if (s->n == 0)
		return;
	for (uint32_t k = 0; k + 1 < u->n_errors; k++)
		common += s->common_ns[k] * s->common_ns[k];
	double noise = noise_of(u, s);
	out->mean_ns = s->total_ns / n;
	out->sd_ns = sqrt(common + noise) / n;
	out->noise_share = common + noise > 0 ? noise / (common + noise) : 0;
	stats_summarise(&s->low, &out->low);
	stats_summarise(&s->high, &out->high);
}

static int make_sums(struct sums *s, const struct uncertainty *u)
{
	*s = (struct sums){0};
	struct arrays *a = &s->arrays;
	s->common_ns = arrays_add(a, u->n_errors, sizeof *s->common_ns);
	s->own_ns = arrays_add(a, u->n_errors, sizeof *s->own_ns);
	s->weight = arrays_add(a, u->n_lanes, sizeof *s->weight);
	s->more = arrays_add(a, u->n_lanes, sizeof *s->more);
	for (uint32_t r = 0; !a->out_of_memory && r < u->n_lanes; r++) {
		size_t n = u->lane[r].n + 1;
		s->weight[r] = arrays_add(a, n, sizeof **s->weight);
		s->more[r] = arrays_add(a, n, sizeof **s->more);
	}
	return a->out_of_memory ? -1 : 0;
}

static void free_sums(struct sums *s)
{
	arrays_free(&s->arrays);
	stats_free(&s->low);
	stats_free(&s->high);
}

int uncertainty_close(struct uncertainty *u, struct uncertainty_run *out,
		      struct problem *p)
{
	const double z = normal_quantile(UNCERTAINTY_COVERAGE);
	*out = (struct uncertainty_run){.n_steps = u->n_steps};
	for (uint32_t r = 0; r < u->n_lanes; r++)
		add_up(u, &u->lane[r]);
	for (int kind = 0; u->n_steps && kind < N_UNCERTAIN; kind++) {
		struct sums s;
		int rc = make_sums(&s, u);
		for (size_t i = 0; rc == 0 && i < u->n_requests; i++)
			if (u->request[i].ns[kind] >= 0)
				add_request(u, &s, (enum uncertain)kind,
					    &u->request[i], z);
		if (rc == 0)
			conclude(u, &s, &out->of[kind]);
		rc |= s.low.out_of_memory || s.high.out_of_memory;
		free_sums(&s);
		if (rc)
			return problem_no_memory(p);
	}
	return 0;
}

/* ---- a run that asks ---- */

int uncertainty_ask(struct uncertainty_watch *w, struct cost *const cost[2],
		    struct problem *p)
{
	enum { SINCE_MINOR = 3 };
	int is_one = cost[1]->p->sigma == cost[0]->p->sigma;
	uint32_t n = cost[0]->p->n_sigma;
	*w = (struct uncertainty_watch){.cost = {cost[0], cost[1]}};
	for (int pool = 0; pool < 2; pool++)
		if (cost[pool]->p->n_sigma &&
		    cost_ask_figures(cost[pool], p) < 0)
			return -1;
	if (cost[0]->p->abi_minor < SINCE_MINOR &&
	    cost[1]->p->abi_minor < SINCE_MINOR)
		return 0;
	w->first[1] = is_one ? 0 : n;
	w->sum = uncertainty_new(n + (is_one ? 0 : cost[1]->p->n_sigma));
	return w->sum ? 0 : problem_no_memory(p);
}

int uncertainty_add(struct uncertainty_watch *w, uint32_t pool,
		    uint32_t replica, int64_t start_ns, int64_t end_ns,
		    const sc_result *r, struct problem *p)
{
	struct cost *c = w->cost[pool];
	w->is_known = 1;
	if (!c->checks_figures && cost_ask_figures(c, p) < 0)
		return -1;
	return uncertainty_step(w->sum, replica, start_ns, end_ns, r,
				w->first[pool], c->p->n_sigma) < 0
		   ? problem_no_memory(p)
		   : 0;
}

int uncertainty_add_run(struct uncertainty_watch *w,
			const struct decode_run *run, struct problem *p)
{
	for (uint32_t i = 0; i < run->n; i++)
		if (uncertainty_is_asked(w, run->pool, run->result[i]) &&
		    uncertainty_add(w, run->pool, run->replica,
				    run->start_ns[i], run->end_ns[i],
				    run->result[i], p) < 0)
			return -1;
	return 0;
}

/* ---- intervals of figures ---- */

const char *const uncertainty_metric[] = {"mean_ttft_ms",
					  "median_ttft_ms",
					  "p90_ttft_ms",
					  "p99_ttft_ms",
					  "mean_tpot_ms",
					  "median_tpot_ms",
					  "p90_tpot_ms",
					  "p99_tpot_ms",
					  "mean_e2el_ms",
					  "median_e2el_ms",
					  "p90_e2el_ms",
					  "p99_e2el_ms",
					  NULL};
enum { PER_LATENCY = 4 };

static double percentile(const struct stats_summary *s, size_t which)
{
	return which == 1 ? s->p50 : which == 2 ? s->p90 : s->p99;
}

int uncertainty_interval(const struct uncertainty_run *run, const char *metric,
			 double *low_ms, double *high_ms, double *noise_share)
{
	size_t i = 0;
	while (uncertainty_metric[i] && strcmp(uncertainty_metric[i], metric))
		i++;
	if (!uncertainty_metric[i] || !run->n_steps)
		return 0;
	const struct uncertain_latency *l = &run->of[i / PER_LATENCY];
	size_t which = i % PER_LATENCY;
	if (!(l->mean_ns > 0))
		return 0;
	double by =
	    exp(normal_quantile(UNCERTAINTY_COVERAGE) * l->sd_ns / l->mean_ns);
	*low_ms = (which ? percentile(&l->low, which) : l->mean_ns / by) / 1e6;
	*high_ms =
	    (which ? percentile(&l->high, which) : l->mean_ns * by) / 1e6;
	*noise_share = which ? 0 : l->noise_share;
	return 1;
}
