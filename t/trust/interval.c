/* Intervals by hand: order statistics of residuals, group by group. */
#include "trust/interval.h"
#include "tap.h"

static struct scored scored;
static struct trust_place at = {.gpu_family = "H100",
				.model_class = "dense",
				.weight_format = "bf16",
				.engine = "vllm",
				.n_params = 7};

/* measured / predicted = exp(i / 100), i = 1 ... n. */
static void add(int n, const char *family, const char *class, const char *fold)
{
	struct scored_row x = {.source_row = (char *)"r",
			       .metric = (char *)"mean_tpot_ms",
			       .fold = (char *)fold,
			       .at = at,
			       .predicted = 10};
	snprintf(x.at.gpu_family, sizeof x.at.gpu_family, "%s", family);
	snprintf(x.at.model_class, sizeof x.at.model_class, "%s", class);
	for (int i = 1; i <= n; i++) {
		x.measured = 10 * exp(i / 100.0);
		if (scored_add(&scored, &x) < 0)
			bail_out("out of memory");
	}
}

static struct trust_interval asked(double coverage, int extrapolated,
				   const char *without)
{
	return trust_interval_of(
	    &(struct interval_of){.scored = &scored,
				  .at = &at,
				  .metric = "mean_tpot_ms",
				  .coverage = coverage,
				  .extrapolated = extrapolated,
				  .without_fold = without});
}

static void ends(void)
{
	struct trust_interval x;
	add(19, "H100", "dense", "a");
	x = asked(.9, 0, NULL);
	ok(x.n == 0, "19 rows: none");
	scored_free(&scored);
	add(20, "H100", "dense", "a");
	x = asked(.9, 0, NULL);
	/* The median is 10.5; distances .5 .5 1.5 1.5 ...: the 19th is 9.5. */
	near(log(x.low), .01, 1e-12, "20 rows: symmetric around the median");
	near(log(x.high), .20, 1e-12, "the 19th smallest distance");
	is(x.group, "dense bf16 on H100", "the group is named");
	scored_free(&scored);
	add(60, "H100", "dense", "a");
	x = asked(.9, 0, NULL);
	near(log(x.low), .03, 1e-12, "60 rows: the 3rd residual");
	near(log(x.high), .58, 1e-12, "and the 58th");
	x = asked(.5, 0, NULL);
	near(log(x.low), .15, 1e-12, "half of them: from the 15th");
	near(log(x.high), .46, 1e-12, "to the 46th");
}

static void groups(void)
{
	struct trust_interval x;
	scored_free(&scored);
	add(12, "H100", "dense", "a");
	add(12, "A100", "dense", "b");
	x = asked(.9, 0, NULL);
	ok(x.n == 24 && !strcmp(x.group, "dense bf16"),
	   "a group too small: the next wider one");
	add(10, "H100", "dense", "a");
	x = asked(.9, 0, NULL);
	ok(x.n == 22 && !strcmp(x.group, "dense bf16 on H100"),
	   "the most specific that is large enough");
	x = asked(.9, 1, NULL);
	ok(x.n == 34 && !strcmp(x.group, "dense bf16"),
	   "an extrapolated place takes the next wider one");
	x = asked(.9, 0, "a");
	ok(x.n == 0, "without a fold");
	add(30, "B200", "moe", "c");
	x = asked(.9, 0, "a");
	ok(x.n == 42 && !strcmp(x.group, "all"), "all");
	x = asked(.9, 1, "a");
	ok(x.n == 42, "there is none wider");
}

/* A row of another model, with measured / predicted = exp(percent / 100). */
static void deployed(uint64_t n_params, const char *engine, const char *class,
		     double percent)
{
	struct scored_row x = {.source_row = (char *)"r",
			       .metric = (char *)"mean_tpot_ms",
			       .fold = (char *)"other",
			       .at = at,
			       .predicted = 10,
			       .measured = 10 * exp(percent / 100)};
	x.at.n_params = n_params;
	snprintf(x.at.engine, sizeof x.at.engine, "%s", engine);
	snprintf(x.at.model_class, sizeof x.at.model_class, "%s", class);
	if (scored_add(&scored, &x) < 0)
		bail_out("out of memory");
}

static void from_to(double coverage, double low, double high, const char *what)
{
	struct trust_interval x = asked(coverage, 0, NULL);
	near(100 * log(x.low), low, 1e-9, "%s: from %g %%", what, low);
	near(100 * log(x.high), high, 1e-9, "%s: to %g %%", what, high);
}

/* Returns how many rows the interval of a figure of some class is made of. */
static uint32_t rows_behind(const char *class, const char *metric)
{
	struct trust_place of = at;
	snprintf(of.model_class, sizeof of.model_class, "%s", class);
	return trust_interval_of(&(struct interval_of){.scored = &scored,
						       .at = &of,
						       .metric = metric,
						       .coverage = .9})
	    .n;
}

/* TTFT of models with linear layers has no interval. */
static void unclaimed(void)
{
	scored_free(&scored);
	for (uint64_t model = 1; model < 4; model++)
		for (int i = 0; i < 2; i++) {
			struct scored_row x = {
			    .source_row = (char *)"r",
			    .metric =
				(char *)(i ? "mean_ttft_ms" : "mean_tpot_ms"),
			    .fold = (char *)"other",
			    .at = at,
			    .predicted = 10,
			    .measured = 11};
			x.at.n_params = model;
			if (scored_add(&scored, &x) < 0)
				bail_out("out of memory");
		}
	ok(rows_behind("sparse", "mean_ttft_ms") == 3, "TTFT of others");
	ok(rows_behind("linear", "mean_tpot_ms") == 3, "TPOT of linear layers");
	ok(rows_behind("linear", "mean_ttft_ms") == 0, "and not their TTFT");
}

static void deployments(void)
{
	struct trust_interval x;
	scored_free(&scored);
	deployed(1, "vllm", "dense", -5);
	deployed(2, "vllm", "dense", 4);
	deployed(2, "trtllm", "moe", 9);
	x = asked(.9, 0, NULL);
	is(x.group, "all, 3 deployments, models left out",
	   "two of that engine: all");
	ok(x.n == 3, "with their rows");
	from_to(.9, -5, 9, "three weigh a quarter, half of one is beyond");
	for (int i = 1; i <= 30; i++)
		deployed(3, "vllm", "dense", i);
	/* Half a deployment is beyond each end, and 1/20 of five is reached. */
	from_to(.9, -5, 30, "four: the most");
	/* 1.875 is reached by 1/2, 1 at -5, three rows of 1/30 and 1 at 4, and
	 * by 1/2, 21 rows of 1/30 and 1 at 9. */
	from_to(.25, 4, 9, "the least");
	/* 2.25: two more of 1/30. */
	from_to(.1, 4, 8, "rows of one deployment share its weight");
	for (uint64_t m = 20; m < 27; m++)
		deployed(m, "vllm", "moe", 20);
	x = asked(.9, 1, NULL);
	is(x.group, "vllm, 10 deployments, models left out",
	   "nine of that engine, and no wider group");
	for (uint64_t m = 30; m < 36; m++)
		deployed(m, "vllm", "dense", 2);
	x = asked(.9, 0, NULL);
	is(x.group, "dense under vllm, 9 deployments, models left out",
	   "nine of that class");
	ok(x.n == 38, "with all rows of each");
	scored_free(&scored);
	for (int m = 0; m < 12; m++)
		for (int i = 0; i < 10; i++)
			deployed(10 + (uint64_t)m, "vllm", "dense", 10 * m + i);
	from_to(.9, 1, 118, "twelve of ten rows: the second from each end");
	deployed(7, "vllm", "dense", 0);
	x = asked(.9, 0, NULL);
	is(x.group, "dense bf16 on H100", "a model with runs: row by row");
	scored_free(&scored);
	for (int i = 0; i < 20; i++)
		deployed(0, "vllm", "dense", i);
	x = asked(.9, 0, NULL);
	is(x.group, "dense bf16 on H100", "rows that tell no model, too");
}

/* Rows of TTFT: 20 of closed loops from 1 to 20 %, 25 of light loads at 1 %
 * each.
 */
static void loads(void)
{
	static const char metric[] = "mean_ttft_ms";
	struct scored_row x = {.source_row = (char *)"r",
			       .metric = (char *)metric,
			       .fold = (char *)"f",
			       .at = at,
			       .predicted = 10};
	struct interval_of q = {
	    .scored = &scored, .at = &at, .metric = metric, .coverage = .9};
	scored_free(&scored);
	for (int i = 1; i <= 45; i++) {
		x.at.loading = i <= 20 ? LOADING_LOOP : LOADING_LIGHT;
		x.measured = 10 * exp((i <= 20 ? i : 1) / 100.0);
		if (scored_add(&scored, &x) < 0)
			bail_out("out of memory");
	}
	at.loading = LOADING_LIGHT;
	struct trust_interval is_light = trust_interval_of(&q);
	ok(is_light.n == 25, "a light load: rows of light loads");
	near(log(is_light.high), .01, 1e-12, "with their errors alone");
	is(is_light.group, "dense bf16 on H100, light load", "and says so");
	at.loading = LOADING_LOOP;
	ok(trust_interval_of(&q).n == 45, "a closed loop: all");
	for (size_t i = 0; i < scored.n; i++)
		scored.row[i].metric[7] = 'o';
	at.loading = LOADING_LIGHT, q.metric = "mean_ttot_ms";
	ok(trust_interval_of(&q).n == 25, "another figure: the same rows");
	for (size_t i = 0; i < scored.n; i++) {
		scored.row[i].metric[7] = 'f';
		scored.row[i].at.loading =
		    i < 10 ? LOADING_LIGHT : LOADING_LOOP;
	}
	q.metric = metric;
	is_light = trust_interval_of(&q);
	ok(is_light.n == 45 && !strstr(is_light.group, "light"),
	   "too few light loads: all");
	at.loading = LOADING_UNKNOWN;
}

/* Each of 25 runs has a mean of TTFT, and a p99 that errs by 7 % more; the
 * group has the means alone. */
static void percentiles(struct interval_of *q)
{
	struct scored_row x = {
	    .fold = (char *)(uintptr_t) "a", .at = *q->at, .predicted = 10};
	for (int i = 0; i < 50; i++) {
		char run[8];
		snprintf(run, sizeof run, "%c", 'A' + i);
		x.source_row = run;
		snprintf(x.at.model_class, sizeof x.at.model_class, "%s",
			 i < 25 ? "moe" : "mla");
		x.metric = (char *)(uintptr_t) "mean_ttft_ms";
		x.measured = 10 * exp(i % 25 / 100.);
		if (scored_add(&scored, &x) < 0)
			bail_out("out of memory");
		x.metric = (char *)(uintptr_t) "p99_ttft_ms";
		x.measured = 10 * exp((i % 25 + 7) / 100.);
		if (i >= 25 && scored_add(&scored, &x) < 0)
			bail_out("out of memory");
	}
	struct trust_interval p99 = trust_interval_of(q);
	q->metric = "mean_ttft_ms";
	struct trust_interval mean = trust_interval_of(q);
	ok(mean.n == 25 && p99.n == 25, "it errs as its mean does");
	near(p99.low, mean.low, 1e-12, "at the least");
	near(log(p99.high / mean.high), .07, 1e-9, "and 7 %% more");
}

/* Of 30 runs with a TPOT 25 have a p99 of TTFT; of 12 more on H100, none. */
static void one_group(void)
{
	struct trust_place other = at;
	struct interval_of q = {
	    .scored = &scored, .at = &at, .coverage = .9, .metric = "mean"};
	scored_free(&scored);
	add(30, "H100", "dense", "a");
	for (size_t i = 0; i < 25; i++) {
		struct scored_row x = scored.row[i];
		x.metric = (char *)(uintptr_t) "p99_ttft_ms";
		if (scored_add(&scored, &x) < 0)
			bail_out("out of memory");
	}
	q.metric = "p99_ttft_ms";
	ok(trust_interval_of(&q).n == 25, "the runs of a group that have it");
	add(20, "H100", "moe", "a");
	snprintf(other.model_class, sizeof other.model_class, "moe");
	q.at = &other;
	ok(!trust_interval_of(&q).n, "no other group where they do not");
	percentiles(&q);
	q.metric = "mean_tpot_ms";
	is(trust_interval_of(&q).group, "moe bf16 on H100", "the group");
	snprintf(other.gpu_family, sizeof other.gpu_family, "MI300X");
	ok(!trust_interval_of(&q).n, "none of a GPU that was never scored");
}

/* ---- publishers never seen ---- */

enum { PUBLISHERS = 4, MODELS = 5, RUNS = 12 };

/* Rows of all publishers but one; each errs in a way of its own. */
static void publish(int without)
{
	scored_free(&scored);
	for (int p = 0; p < PUBLISHERS; p++)
		for (int m = 0; m < MODELS && p != without; m++)
			for (int i = 0; i < RUNS; i++) {
				deployed((uint64_t)(1 + p * MODELS + m), "vllm",
					 "dense",
					 6 * p + 2 * m - 9 + .3 * (i % 7));
				snprintf(scored.row[scored.n - 1].publisher, 24,
					 "p%d", p);
			}
}

/* Returns the share of rows of publishers left out that intervals hold, the
 * least of the publishers. */
static double held(double widening)
{
	double least = 1;
	for (int p = 0; p < PUBLISHERS; p++) {
		struct scored all = {0};
		struct scored_row *row = NULL;
		size_t n = 0, in = 0;
		publish(-1);
		all = scored;
		scored = (struct scored){0};
		publish(p);
		scored.widening[SCORED_TPOT] = widening;
		for (size_t i = 0; i < all.n; i++) {
			row = &all.row[i];
			if (row->publisher[1] != '0' + p)
				continue;
			struct interval_of q = {.scored = &scored,
						.at = &row->at,
						.metric = "mean_tpot_ms",
						.coverage = .9};
			struct trust_interval x = trust_interval_of(&q);
			double ratio = row->measured / row->predicted;
			n++;
			in += ratio >= x.low * (1 - 1e-9) &&
			      ratio <= x.high * (1 + 1e-9);
		}
		least = fmin(least, (double)in / (double)n);
		scored_free(&all);
	}
	return least;
}

static void widened(void)
{
	publish(-1);
	struct interval_of of = {.coverage = .9};
	trust_prepare(&scored, &of);
	double by = scored.widening[SCORED_TPOT];
	ok(by > 0 && scored.widening[SCORED_TTFT] == 0,
	   "publishers that differ: by %.3f at either end", by);
	ok(held(0) < .9, "as wide as a group: %.2f of them hold", held(0));
	ok(held(by) >= .9 - 1e-9, "so much wider: %.2f", held(by));
	ok(held(by - .003) < .9 - 1e-9, "and no wider than that: %.2f",
	   held(by - .003));
	of.coverage = .5, of.metric = "p99_tpot_ms";
	publish(-1);
	scored.widening[SCORED_TTFT] = 7;
	trust_prepare(&scored, &of);
	ok(scored.widening[SCORED_TPOT] != by &&
	       scored.widening[SCORED_TTFT] == 7,
	   "half of them: by %.3f; of one latency alone",
	   scored.widening[SCORED_TPOT]);
	of.metric = NULL;
	publish(-1);
	for (size_t i = 0; i < scored.n; i++)
		snprintf(scored.row[i].publisher, 24, "one");
	of.coverage = .9;
	trust_prepare(&scored, &of);
	ok(scored.widening[SCORED_TPOT] == 0, "one publisher: as wide");
}

static void loadings(void)
{
	struct trust_place x = {.load = 49};
	place_set_loading(&x, 0, 100, 1);
	ok(x.loading == LOADING_LIGHT, "fewer than half of what may run");
	place_set_loading(&x, 0, 98, 1);
	ok(x.loading == LOADING_FULL, "half of it");
	place_set_loading(&x, 0, 100, 0);
	ok(x.loading == LOADING_FULL, "a queue piles up");
	place_set_loading(&x, 1, 10, 1);
	ok(x.loading == LOADING_LIGHT, "one after another");
	place_set_loading(&x, 2, 1000, 1);
	ok(x.loading == LOADING_LOOP, "two clients");
}

int main(void)
{
	ends();
	groups();
	deployments();
	unclaimed();
	loads();
	one_group();
	widened();
	loadings();
	scored_free(&scored);
	return done();
}
