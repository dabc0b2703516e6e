/* A frozen schedule against a second, plain computation; weights, components
 * and regimes that add up; a planted term that is found. */
#include "record/attribution.h"
#include "engine/engine.h"
#include "tap.h"

enum { N_REPLICAS = 2, N_REQUESTS = 60, MAX_STEPS = 4000, SEQS = 8 };

static uint64_t seed = 1;
static uint32_t dice(uint32_t n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(seed >> 33) % n;
}

/* ---- two models, alike except a planted term ---- */

struct model {
	double longer; /* decode attention of requests of 8192 tokens or more */
	double gemm;
};

static int32_t eval(void *inst, const sc_step *s, sc_result *out, sc_error *err)
{
	const struct model *m = inst;
	double tokens = s->n_decode, attention = 0;
	(void)err;
	for (uint32_t i = 0; i < s->n_decode; i++)
		attention += 0.01 * s->decode_ctx[i] *
			     (s->decode_ctx[i] >= 8192 ? m->longer : 1);
	for (uint32_t i = 0; i < s->n_prefill; i++)
		tokens += s->prefill_new[i];
	out->gemm_us[SC_DECODE] = m->gemm * tokens;
	out->attention_us[SC_DECODE] = attention;
	out->overhead_us = 5;
	out->exact_us = out->gemm_us[SC_DECODE] + attention + 5;
	out->total_us = round(out->exact_us * 10) / 10;
	return SC_OK;
}

static void destroy(void *inst)
{
	(void)inst;
}

static const sc_plugin plugin = {.size = sizeof plugin,
				 .abi_major = SC_ABI_MAJOR,
				 .capabilities = SC_CAP_ADDITIVE,
				 .name = "planted",
				 .destroy = destroy,
				 .eval = eval};

/* ---- a made-up run ---- */

struct made_step {
	int64_t start_ns, end_ns;
	uint32_t replica, n_decode, n_prefill;
	uint64_t decode_id[SEQS], prefill_id[SEQS];
	uint32_t decode_ctx[SEQS], prefill_ctx[SEQS], prefill_new[SEQS];
	uint32_t prefill_last[SEQS];
	double a_us;
};
static struct made_step made[MAX_STEPS];
static int n_made;
struct made_request {
	int64_t arrival, first, last; /* ends of steps                       */
	uint32_t output, left, ctx, done;
};
static struct made_request request[N_REQUESTS];

static sc_step as_step(const struct made_step *s, uint64_t index)
{
	return (sc_step){.size = sizeof(sc_step),
			 .step_index = index,
			 .replica = s->replica,
			 .n_prefill = s->n_prefill,
			 .n_decode = s->n_decode,
			 .n_sampled = s->n_decode + s->n_prefill,
			 .prefill_new = s->prefill_new,
			 .prefill_ctx = s->prefill_ctx,
			 .prefill_last = s->prefill_last,
			 .prefill_id = s->prefill_id,
			 .decode_ctx = s->decode_ctx,
			 .decode_id = s->decode_id};
}

static const sc_result *price(struct cost *c, const struct made_step *s,
			      uint64_t index)
{
	struct problem p;
	sc_step step = as_step(s, index);
	return cost_eval(c, &step, &p);
}

/* Requests of replica k are k, k + N_REPLICAS …; a step takes up to SEQS of
 * those that are there; some are finished, some wait for idle time to end. */
static void member(struct made_step *s, int r)
{
	struct made_request *q = &request[r];
	if (q->done == 0) {
		s->prefill_id[s->n_prefill] = (uint64_t)r;
		s->prefill_ctx[s->n_prefill] = 0;
		s->prefill_new[s->n_prefill] = q->ctx;
		s->prefill_last[s->n_prefill++] = 1;
	} else {
		s->decode_id[s->n_decode] = (uint64_t)r;
		s->decode_ctx[s->n_decode++] = q->ctx + q->done - 1;
	}
}

static void ended(const struct made_step *s, int r)
{
	struct made_request *q = &request[r];
	if (q->done++ == 0) {
		q->first = s->end_ns;
	}
	q->last = s->end_ns;
	q->left--;
}

static void make_step(struct cost *a, int replica, int64_t *now)
{
	struct made_step *s = &made[n_made];
	*s = (struct made_step){.replica = (uint32_t)replica};
	int64_t next = INT64_MAX;
	for (int r = replica; r < N_REQUESTS; r += N_REPLICAS)
		if (request[r].left && request[r].arrival < next)
			next = request[r].arrival;
	s->start_ns = next > *now ? next : *now;
	int taken[SEQS], n = 0;
	for (int r = replica; r < N_REQUESTS && n < SEQS; r += N_REPLICAS)
		if (request[r].left && request[r].arrival <= s->start_ns) {
			member(s, r);
			taken[n++] = r;
		}
	s->a_us = price(a, s, (uint64_t)n_made)->total_us;
	s->end_ns = s->start_ns + llround(1000 * s->a_us);
	for (int i = 0; i < n; i++)
		ended(s, taken[i]);
	*now = s->end_ns;
	n_made++;
}

static void make_run(struct cost *a, uint32_t gap_us)
{
	int64_t now[N_REPLICAS] = {0}, at = 0;
	n_made = 0;
	for (int r = 0; r < N_REQUESTS; r++) {
		at += (int64_t)dice(gap_us) * 1000 + dice(1000);
		request[r] = (struct made_request){
		    .arrival = at,
		    .output = 1 + dice(40),
		    .ctx = dice(2) ? 1 + dice(300) : 6000 + dice(20000)};
		request[r].left = request[r].output;
	}
	for (int busy = 1; busy;) {
		busy = 0;
		for (int k = 0; k < N_REPLICAS; k++) {
			int left = 0;
			for (int r = k; r < N_REQUESTS; r += N_REPLICAS)
				left += request[r].left > 0;
			if (left)
				make_step(a, k, &now[k]);
			busy |= left;
		}
	}
}

static void write_logs(struct cost *a, FILE *steps, FILE *requests)
{
	for (int i = 0; i < n_made; i++) {
		const struct made_step *m = &made[i];
		sc_step s = as_step(m, (uint64_t)i);
		sc_result r = *price(a, m, (uint64_t)i);
		struct step_event e = {.step = &s,
				       .result = &r,
				       .start_ns = m->start_ns,
				       .end_ns = m->end_ns};
		steplog_write_step(steps, &e, 0);
	}
	for (int i = 0; i < N_REQUESTS; i++) {
		const struct made_request *q = &request[i];
		struct request_event e = {
		    .request = {.row = (uint64_t)i,
				.arrival_ns = q->arrival,
				.output_tokens = q->output},
		    .ending = REQUEST_ENDED,
		    .first_token_ns = q->first,
		    .last_token_ns = q->last,
		    .n_visits = 1,
		    .visit = {{(uint32_t)i % N_REPLICAS, q->arrival, q->last}},
		    .ttft_ns = q->first - q->arrival,
		    .tpot_ns = q->output > 1 ? (q->last - q->first +
						(q->output - 1) / 2) /
						   (q->output - 1)
					     : -1,
		    .e2el_ns = q->last - q->arrival};
		steplog_write_request(requests, &e);
	}
}

/* ---- the plain computation ---- */

/* f(t) − t on the clock of a replica, for steps that last as b says. */
static double shift_at(struct cost *b, int replica, int64_t t)
{
	double shift = 0;
	for (int i = 0; i < n_made; i++) {
		const struct made_step *m = &made[i];
		if ((int)m->replica != replica || m->start_ns >= t)
			continue;
		double lasted = (double)(m->end_ns - m->start_ns);
		double more = 1000 * price(b, m, (uint64_t)i)->total_us;
		double within =
		    t < m->end_ns ? (double)(t - m->start_ns) / lasted : 1;
		shift += within * ((double)llround(more) - lasted);
	}
	return shift;
}

static void plainly(struct cost *b, double more[N_ATTRIBUTED])
{
	int multi = 0;
	memset(more, 0, N_ATTRIBUTED * sizeof *more);
	for (int r = 0; r < N_REQUESTS; r++) {
		const struct made_request *q = &request[r];
		int k = r % N_REPLICAS;
		double came = shift_at(b, k, q->arrival);
		double first = shift_at(b, k, q->first);
		double last = shift_at(b, k, q->last);
		more[ATTRIBUTION_TTFT] += (first - came) / N_REQUESTS;
		more[ATTRIBUTION_E2EL] += (last - came) / N_REQUESTS;
		if (q->output > 1) {
			more[ATTRIBUTION_TPOT] +=
			    (last - first) / (q->output - 1);
			multi++;
		}
	}
	more[ATTRIBUTION_TPOT] /= multi;
}

/* ---- checks ---- */

static double sum_of_bins(const struct attribution *x, int m, int regime, int k)
{
	double sum = 0;
	for (int b = 0; b < REGIME_BINS; b++)
		sum += x->regime_ns[m][regime][k][b];
	return sum;
}

static void check_sums(const struct attribution *x)
{
	int bins = 1;
	for (int m = 0; m < N_ATTRIBUTED; m++) {
		double sum = 0, apart = x->difference_ns[m];
		double size = 1e-9 * x->recorded_ns[m];
		for (int k = 0; k < N_COMPONENTS; k++) {
			double c = x->component_ns[m][k];
			sum += c;
			for (int r = 0; r < N_ATTRIBUTION_REGIMES; r++)
				bins &=
				    fabs(sum_of_bins(x, m, r, k) - c) <= size;
		}
		ok(fabs(sum - apart) <= size, "components of %s add up",
		   attributed_name[m]);
		if (fabs(sum - apart) > size)
			printf("# %.17g is not %.17g\n", sum, apart);
	}
	ok(bins, "bins of every regime add up");
}

static void check(struct cost *a, struct cost *b, uint32_t gap_us,
		  struct attribution *x)
{
	struct problem p = {0};
	FILE *f = tmpfile(), *g = tmpfile();
	struct steplog steps, requests;
	double want[N_ATTRIBUTED];
	make_run(a, gap_us);
	write_logs(a, f, g);
	ok(steplog_map(&steps, f, &p) == 0 &&
	       steplog_map(&requests, g, &p) == 0,
	   "%d steps are logged", n_made);
	const struct engine engine = {.replicas = N_REPLICAS};
	struct attribution_task t = {.steps = &steps,
				     .engine = &engine,
				     .requests = &requests,
				     .a = {a, a},
				     .b = {b, b},
				     .threshold = 0.01};
	ok(attribute(&t, x, &p) == 0, "attributed %s", p.text);
	plainly(b, want);
	for (int m = 0; m < ATTRIBUTION_STEPS; m++)
		ok(fabs(x->difference_ns[m] - want[m]) <=
		       1e-9 * x->recorded_ns[m],
		   "frozen, %s: %.17g, %.17g", attributed_name[m],
		   x->difference_ns[m], want[m]);
	check_sums(x);
	steplog_unmap(&steps);
	steplog_unmap(&requests);
	fclose(f);
	fclose(g);
}

static void check_planted(const struct attribution *x)
{
	for (int m = 0; m < N_ATTRIBUTED; m++) {
		double all = x->difference_ns[m];
		double found = x->component_ns[m][COMPONENT_DECODE_ATTENTION];
		ok(fabs(found - all) < 0.01 * fabs(all),
		   "%s: the planted term is found: %g of %g",
		   attributed_name[m], found, all);
	}
}

int main(void)
{
	static struct attribution x;
	struct model plain = {1, 1}, planted = {1.07, 1}, slow = {1.07, 1.5},
		     fast = {1, 0.5};
	struct cost a = {.p = &plugin, .inst = &plain};
	struct cost b = {.p = &plugin, .inst = &planted};
	struct cost c = {.p = &plugin, .inst = &slow};
	struct cost d = {.p = &plugin, .inst = &fast};
	static const uint32_t gaps_us[] = {10, 3000, 60000};
	ok(regime_bin(0) == 0 && regime_bin(1) == 0 && regime_bin(1.9) == 0 &&
	       regime_bin(2) == 1 && regime_bin(8191) == 12 &&
	       regime_bin(8192) == 13 && regime_bin(1e300) == REGIME_BINS - 1,
	   "bins are powers of two");
	for (int i = 0; i < 3; i++) {
		check(&a, &b, gaps_us[i], &x);
		check_planted(&x);
		check(&a, &c, gaps_us[i], &x);
		check(&a, &d, gaps_us[i], &x);
		check(&c, &a, gaps_us[i], &x);
		ok(x.first.found && x.largest_difference.found &&
		       x.n_shapes == SHAPES_KEPT,
		   "steps are named");
	}
	check(&a, &a, 3000, &x);
	int zero = 1;
	for (int m = 0; m < N_ATTRIBUTED; m++)
		for (int k = 0; k < N_COMPONENTS; k++)
			zero &= x.component_ns[m][k] == 0;
	ok(zero && !x.first.found, "a model against itself: exactly nothing");
	return done();
}
