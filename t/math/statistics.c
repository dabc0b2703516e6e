/* Percentiles, deviations and time series. */
#include "math/statistics.h"
#include "tap.h"

static uint64_t state = 1;
static uint64_t draw(void)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return state >> 20;
}

static int up(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return (x > y) - (x < y);
}

/* numpy.percentile of sorted values. */
static double linear(const int64_t *v, size_t n, double q)
{
	double at = q * (double)(n - 1);
	size_t i = (size_t)at;
	double t = at - (double)i, a = (double)v[i];
	double b = (double)v[i + 1 < n ? i + 1 : i];
	return t < 0.5 ? a + (b - a) * t : b - (b - a) * (1 - t);
}

static void small(void)
{
	struct stats s = {0};
	struct stats_summary r;
	stats_summarise(&s, &r);
	ok(r.n == 0 && isnan(r.mean) && isnan(r.std) && isnan(r.p50) &&
	       isnan(r.p99) && isnan(r.max),
	   "of nothing there is no mean");
	stats_add(&s, 40, 1);
	stats_summarise(&s, &r);
	ok(r.n == 1 && r.mean == 40 && r.std == 0 && r.p50 == 40 &&
	       r.p99 == 40 && r.exact,
	   "one sample");
	stats_add(&s, 10, 1);
	stats_add(&s, 30, 1);
	stats_add(&s, 20, 1);
	stats_summarise(&s, &r);
	ok(r.mean == 25 && r.min == 10 && r.max == 40, "mean and range");
	near(r.std, sqrt(125.), 1e-15, "deviation of the population");
	near(r.p50, 25, 1e-15, "the median lies between");
	near(r.p90, 37, 1e-15, "p90 as numpy's");
	near(r.p95, 38.5, 1e-15, "p95");
	near(r.p99, 39.7, 1e-15, "p99");
	stats_add(&s, 5, 0);
	stats_summarise(&s, &r);
	ok(r.n == 4 && r.min == 10, "no sample is none");
	stats_free(&s);
}

static void weights(void)
{
	struct stats a = {0}, b = {0};
	struct stats_summary x, y;
	for (int i = 0; i < 1000; i++) {
		int64_t v = (int64_t)(draw() % 50);
		uint64_t n = draw() % 4;
		stats_add(&a, v, n);
		while (n--)
			stats_add(&b, v, 1);
	}
	stats_summarise(&a, &x);
	stats_summarise(&b, &y);
	ok(!memcmp(&x, &y, sizeof x), "a weight is as many samples");
	stats_free(&a);
	stats_free(&b);
}

static void large(int64_t most, const char *what)
{
	enum { N = 1000000 };
	static const double q[] = {0, 0.001, 0.5, 0.9, 0.95, 0.99, 1};
	struct stats s = {0};
	struct stats_summary below, above;
	int64_t *v = malloc(N * sizeof *v);
	double sum = 0, squares = 0, worst = 0;
	for (size_t i = 0; i < N; i++) {
		/* many sizes: from a few ns to `most` */
		v[i] = (int64_t)(draw() % (uint64_t)most) >> draw() % 30;
		sum += (double)v[i];
		stats_add(&s, v[i], 1);
		if (i == N - 2)
			stats_summarise(&s, &below);
	}
	for (size_t i = 0; i < N; i++) {
		double d = (double)v[i] - sum / N;
		squares += d * d;
	}
	stats_summarise(&s, &above);
	ok(below.exact && !above.exact && below.n == N - 1 && above.n == N,
	   "%s: exact below a million samples", what);
	near(above.mean, sum / N, 1e-12, "its mean stays exact");
	near(above.std, sqrt(squares / N), 1e-9, "its deviation too");
	qsort(v, N, sizeof *v, up);
	for (size_t i = 0; i < sizeof q / sizeof *q; i++) {
		double want = linear(v, N, q[i]);
		double got = stats_quantile(&s, q[i]);
		worst = fmax(worst, fabs(got - want) / fmax(want, 1));
	}
	ok(worst <= 0.001, "and percentiles are within 0.1 %% (%.4f %%)",
	   100 * worst);
	near(below.p99, above.p99, 0.001, "both ways agree");
	stats_free(&s);
	free(v);
}

/* Steps as one, if they are of one bin; or one by one. */
static void put_as_one(struct series *s, struct series_buffer *buffer,
		       const struct series_steps *step, uint32_t n)
{
	struct series_steps all = step[0];
	if (!series_is_one_bin(s, step[0].start_ns, step[n - 1].start_ns)) {
		for (uint32_t i = 0; i < n; i++)
			series_put(s, buffer, &step[i]);
		return;
	}
	for (uint32_t i = 1; i < n; i++) {
		const struct series_bin *x = &step[i].sum;
		all.sum.steps++;
		all.sum.busy_ns += x->busy_ns;
		all.sum.sequences += x->sequences;
		all.sum.tokens += x->tokens;
		all.sum.blocks += x->blocks;
		if (all.sum.max_blocks < x->blocks)
			all.sum.max_blocks = x->blocks;
	}
	series_put(s, buffer, &all);
}

/* Many at once are the same as one by one, also where they change the width of
 * bins; so are those put aside, and those put aside as one. */
static void together(void)
{
	enum { N = 16, ROUNDS = 70000 };
	static struct series a, b, c, d;
	static struct series_buffer buffer, sums;
	struct series_steps step[N];
	int64_t now = 0;
	for (uint32_t round = 0; round < ROUNDS; round++) {
		uint32_t n = 1 + round % N;
		for (uint32_t i = 0; i < n; i++) {
			int64_t lasts_ns = 1 + (int64_t)(i * round);
			step[i] = series_step(now, now + lasts_ns, round % 97,
					      round % 5, i + 1, round % 13 + i);
			now += lasts_ns;
			series_add(&b, &step[i], 1);
			series_put(&c, &buffer, &step[i]);
		}
		series_add(&a, step, n);
		put_as_one(&d, &sums, step, n);
	}
	series_settle(&c, &buffer);
	series_settle(&d, &sums);
	ok(a.shift > 20 && memcmp(&a, &b, sizeof a) == 0,
	   "steps given together are the same steps");
	ok(memcmp(&a, &c, sizeof a) == 0, "as are those put aside");
	ok(memcmp(&a, &d, sizeof a) == 0, "and those put aside as one");
}

/* Samples that come in parts, and are asked for in between, are the same
 * samples, also where they change the kind of store. */
static void in_parts(void)
{
	enum { ROUNDS = 700000 };
	struct stats x = {0}, y = {0};
	struct stats_summary of_x, of_y;
	for (int64_t round = 0; round < ROUNDS; round++) {
		int64_t value = round * 7919 % 1000003;
		stats_add(&x, value, (uint64_t)(round % 4));
		for (int64_t i = 0; i < round % 4; i++)
			stats_add(&y, value, 1);
		if (round % 10007 == 0)
			stats_settle(&x);
	}
	stats_summarise(&x, &of_x);
	stats_summarise(&y, &of_y);
	ok(!of_x.exact && of_x.n == ROUNDS / 4 * 6 &&
	       memcmp(&of_x, &of_y, sizeof of_x) == 0,
	   "samples given together are the same samples");
	stats_free(&x);
	stats_free(&y);
}

static void bins(void)
{
	static struct series a, b;
	uint64_t steps = 0, tokens = 0;
	uint32_t most = 0;
	for (int64_t t = 0; t < 2000000; t++) {
		struct series_steps x =
		    series_step(t * 10007000, t * 10007000 + 10000000,
				(uint32_t)(t % 97), 0, 3, (uint64_t)(t % 13));
		series_add(&a, &x, 1);
		if (t < 100)
			series_add(&b, &x, 1);
	}
	for (uint32_t i = 0; i < a.n_bins; i++) {
		steps += a.bin[i].steps;
		tokens += a.bin[i].tokens;
		if (most < a.bin[i].max_sequences)
			most = a.bin[i].max_sequences;
	}
	ok(steps == 2000000 && tokens == 6000000 && most == 96,
	   "a long series loses nothing but resolution");
	ok(a.n_bins > SERIES_BINS / 2 && a.n_bins <= SERIES_BINS,
	   "and fits: %u bins", a.n_bins);
	ok(b.width_ns < a.width_ns && b.bin[0].steps >= 1,
	   "a short one is finer");
}

static void plain_numbers(void)
{
	double v[] = {3, -1, 7, 3, 0.5};
	stats_sort(v, 5);
	ok(v[0] == -1 && v[1] == 0.5 && v[2] == 3 && v[3] == 3 && v[4] == 7,
	   "numbers in ascending order, equal ones stay");
	ok(stats_percentile(v, 5, 0) == -1 && stats_percentile(v, 5, 1) == 7,
	   "percentiles end at the least and the greatest");
	ok(stats_percentile(v, 5, 0.5) == 3, "in the middle is the median");
	near(stats_percentile(v, 5, 0.9), 5.4, 1e-15, "p90 as numpy has it");
	near(stats_percentile(v, 5, 0.1), -0.4, 1e-15, "p10 too");
	ok(stats_percentile(v + 4, 1, 0.99) == 7, "one number is all of them");
}

int main(void)
{
	plain_numbers();
	small();
	weights();
	large(INT64_C(1) << 40, "up to 18 minutes");
	large(1000, "a few ns");
	bins();
	together();
	in_parts();
	return done();
}
