/* How sure a model is of latencies: against the definition, written out step by
 * step and request by request. */
#include "record/uncertainty.h"
#include "tap.h"

enum { STEPS = 60, REQUESTS = 25, SOURCES = 2, REPLICAS = 2 };

static struct {
	int64_t start_ns, end_ns;
	double noise_us, sigma_us[SOURCES], low_us, high_us, total_us;
} step[REPLICAS][STEPS];
static struct request_event request[REQUESTS];
static uint64_t state = 7;

static double draw(void) /* in [0, 1) */
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (double)(state >> 11) / 9007199254740992.0;
}

/* Steps with gaps between them; those of replica 1 overlap. */
static void make_schedule(void)
{
	for (int r = 0; r < REPLICAS; r++)
		for (int i = 0, at = 1000; i < STEPS; i++) {
			int lasts = 1000 + (int)(9000 * draw());
			step[r][i].start_ns = at - (r ? 700 : 0);
			step[r][i].end_ns = at + lasts;
			step[r][i].total_us = lasts / 1e3;
			step[r][i].noise_us =
			    i == 5 ? NAN : lasts * draw() / 1e4;
			for (int k = 0; k < SOURCES; k++)
				step[r][i].sigma_us[k] = lasts * draw() / 1e4;
			step[r][i].low_us = r ? NAN : 0.9 * lasts / 1e3;
			step[r][i].high_us = r ? NAN : 1.2 * lasts / 1e3;
			at += lasts + (i % 4 ? 0 : 800);
		}
}

static void make_requests(void)
{
	for (int i = 0; i < REQUESTS; i++) {
		struct request_event *e = &request[i];
		uint32_t r = (uint32_t)i % REPLICAS;
		int from = (int)(20 * draw()),
		    first = from + 1 + (int)(9 * draw());
		int last = first + (int)(20 * draw());
		*e = (struct request_event){.ending = REQUEST_ENDED,
					    .n_visits = 1};
		e->request.output_tokens = (uint32_t)(1 + last - first);
		e->request.arrival_ns =
		    step[r][from].start_ns + (int64_t)(3000 * draw());
		e->first_token_ns = step[r][first].end_ns;
		e->last_token_ns = step[r][last].end_ns;
		e->ttft_ns = e->first_token_ns - e->request.arrival_ns;
		e->e2el_ns = e->last_token_ns - e->request.arrival_ns;
		e->tpot_ns = last == first
				 ? -1
				 : (e->last_token_ns - e->first_token_ns) /
				       (last - first);
		e->visit[0] =
		    (struct visit){r, e->request.arrival_ns, e->last_token_ns};
		/* a request that moves in the midst */
		if (i % 5 == 0 && last > first) {
			int64_t cut = e->first_token_ns + 100;
			e->n_visits = 2;
			e->visit[0].to_ns = cut;
			e->visit[1] =
			    (struct visit){r, cut + 500, e->last_token_ns};
		}
	}
}

/* The share of a step that lies within a time; a step owns the part behind the
 * end of the step before. */
static double share(int r, int i, int64_t from, int64_t to)
{
	int64_t a = step[r][i].start_ns, b = step[r][i].end_ns;
	double whole = (double)(b - a);
	if (i && step[r][i - 1].end_ns > a)
		a = step[r][i - 1].end_ns;
	a = a > from ? a : from;
	b = b < to ? b : to;
	return b > a ? (double)(b - a) / whole : 0;
}

/* The share of step i that the request lived through, for that latency. */
static double lived(const struct request_event *e, int kind, int r, int i)
{
	double sum = 0;
	for (uint32_t v = 0; v < e->n_visits; v++) {
		int64_t from = e->visit[v].from_ns, to = e->visit[v].to_ns;
		if (kind == UNCERTAIN_TPOT && from < e->first_token_ns)
			from = e->first_token_ns;
		if (kind == UNCERTAIN_TTFT && to > e->first_token_ns)
			to = e->first_token_ns;
		if (e->visit[v].replica == (uint32_t)r)
			sum += share(r, i, from, to);
	}
	return kind == UNCERTAIN_TPOT ? sum / (e->request.output_tokens - 1)
				      : sum;
}

static double zero(double v)
{
	return isnan(v) ? 0 : v;
}

static void compare(const struct uncertainty_run *run, int kind)
{
	double common[SOURCES + 1] = {0}, noise = 0, n = 0, mean = 0;
	for (int q = 0; q < REQUESTS; q++) {
		const int64_t ns[] = {request[q].ttft_ns, request[q].tpot_ns,
				      request[q].e2el_ns};
		n += ns[kind] >= 0;
		mean += ns[kind] >= 0 ? (double)ns[kind] : 0;
	}
	for (int r = 0; r < REPLICAS; r++)
		for (int i = 0; i < STEPS; i++) {
			double w = 0;
			for (int q = 0; q < REQUESTS; q++)
				if (kind != UNCERTAIN_TPOT ||
				    request[q].tpot_ns >= 0)
					w += lived(&request[q], kind, r, i) / n;
			for (int k = 0; k < SOURCES; k++)
				common[k] += w * step[r][i].sigma_us[k];
			if (!r)
				common[SOURCES] += w * step[r][i].total_us *
						   log(1.2 / 0.9) /
						   3.2897072539;
			noise += w * w * zero(step[r][i].noise_us) *
				 zero(step[r][i].noise_us);
		}
	double sd = noise;
	for (int k = 0; k <= SOURCES; k++)
		sd += common[k] * common[k];
	const struct uncertain_latency *l = &run->of[kind];
	ok(fabs(l->mean_ns * n / mean - 1) < 1e-4, "the mean");
	ok(fabs(l->sd_ns / (1e3 * sqrt(sd)) - 1) < 1e-9,
	   "standard deviation %g ns, by definition %g", l->sd_ns,
	   1e3 * sqrt(sd));
	ok(fabs(l->noise_share / (noise / sd) - 1) < 1e-9, "share of noise");
	ok(l->low.p99 < l->high.p99 && l->low.p50 < l->high.p50, "percentiles");
}

int main(void)
{
	struct problem p;
	struct uncertainty_run run;
	struct uncertainty *u = uncertainty_new(SOURCES);
	double low, high, noise;
	make_schedule();
	make_requests();
	for (int i = 0; i < STEPS; i++)
		for (uint32_t r = 0; r < REPLICAS; r++) {
			sc_result of = {.size = sizeof of,
					.total_us = step[r][i].total_us,
					.noise_us = step[r][i].noise_us,
					.low_us = step[r][i].low_us,
					.high_us = step[r][i].high_us,
					.sigma_us = step[r][i].sigma_us};
			if (uncertainty_step(u, r, step[r][i].start_ns,
					     step[r][i].end_ns, &of, 0,
					     SOURCES) < 0)
				bail_out("out of memory");
		}
	for (int q = 0; q < REQUESTS; q++)
		uncertainty_request(u, &request[q]);
	ok(uncertainty_close(u, &run, &p) == 0 &&
	       run.n_steps == STEPS * REPLICAS,
	   "closed");
	for (int kind = 0; kind < N_UNCERTAIN; kind++)
		compare(&run, kind);
	uncertainty_free(u);
	const struct uncertain_latency *l = &run.of[UNCERTAIN_TPOT];
	ok(uncertainty_interval(&run, "mean_tpot_ms", &low, &high, &noise) &&
	       fabs(high / (l->mean_ns / 1e6) -
		    exp(1.6448536269514722 * l->sd_ns / l->mean_ns)) < 1e-12 &&
	       fabs(low * high / (l->mean_ns * l->mean_ns / 1e12) - 1) < 1e-12,
	   "ends at exp(+- z sd / mean)");
	ok(!uncertainty_interval(&run, "output_throughput", &low, &high,
				 &noise),
	   "throughput has none");
	sc_result of = {.noise_us = 3, .low_us = NAN, .high_us = NAN};
	double sigma[] = {4, NAN};
	of.sigma_us = sigma;
	ok(fabs(uncertainty_step_variance(&of, 2) - 25) < 1e-12, "one step");
	u = uncertainty_new(0);
	ok(uncertainty_close(u, &run, &p) == 0 && run.n_steps == 0 &&
	       !uncertainty_interval(&run, "mean_ttft_ms", &low, &high, &noise),
	   "a model that does not say has none");
	uncertainty_free(u);
	return done();
}
