/* Errors as data, and intervals that are tried on the rows of other folds. */
#include "validate/score/scores.h"
#include "config_of.h"
#include "validated.h"

static struct scored scored;

static const struct scored_row *find(const char *id, const char *metric)
{
	for (size_t i = 0; i < scored.n; i++)
		if (!strcmp(scored.row[i].source_row, id) &&
		    !strcmp(scored.row[i].metric, metric))
			return &scored.row[i];
	return NULL;
}

static void score(enum fold_by by)
{
	scored_free(&scored);
	if (validation_scores(&validated, 0, by, &scored, &why) < 0)
		bail_out(why.text);
}

static void as_data(void)
{
	validated_fresh();
	validated_row[1].flags = TEXT("SATURATED");
	validated_row[2].time[RUN_TTFT].of[STATISTIC_P90] = NAN;
	validated_is[0][3].priced = 0;
	score(FOLD_BY_MODEL);
	ok(scored.n == 3 * 15 - 1,
	   "each figure of a priced row that was "
	   "measured: %zu",
	   scored.n);
	const struct scored_row *x = find("A-1", "mean_ttft_ms");
	ok(x && x->measured == 10 && fabs(x->predicted - 11) < 1e-9,
	   "measured and predicted");
	ok(find("A-1", "median_ttft_ms") && !find("A-1", "p50_ttft_ms"),
	   "p50 is called median");
	ok(!find("B-1", "p90_ttft_ms") && find("B-1", "p99_ttft_ms"),
	   "a figure that was not measured is none");
	ok(!x->saturated && find("A-2", "mean_ttft_ms")->saturated,
	   "saturated rows say so");
	ok(x->at.input_tokens == 500 && x->at.load == 3 && x->at.tp == 1,
	   "a row knows its load and its split");
	is(x->at.engine, "vllm", "and its engine");
}

static void folds(void)
{
	validated_fresh();
	validated_row[1].run = TEXT("run-1");
	score(FOLD_BY_MODEL);
	is(find("A-1", "mean_ttft_ms")->fold, "meta/llama", "a model");
	is(find("A-1", "mean_ttft_ms")->left_out, "model", "which is named");
	score(FOLD_BY_GPU);
	is(find("A-1", "mean_ttft_ms")->fold, "H100 (SXM)", "a GPU");
	score(FOLD_BY_RUN);
	is(find("A-2", "mean_ttft_ms")->fold, "run-1", "a run");
	is(find("A-1", "mean_ttft_ms")->fold, "A-1",
	   "a row without a run is one");
	score(FOLD_BY_PUBLISHER);
	is(find("A-2", "mean_ttft_ms")->fold,
	   find("A-2", "mean_ttft_ms")->publisher, "a publisher");
	score(FOLD_BY_DEPLOYMENT);
	ok(!strncmp(find("A-1", "mean_ttft_ms")->fold, "meta/llama ", 11) &&
	       strstr(find("A-1", "mean_ttft_ms")->fold, " vllm "),
	   "a deployment: %s", find("A-1", "mean_ttft_ms")->fold);
	is(find("A-1", "mean_ttft_ms")->left_out, "deployment", "whole");
	ok(fold_by_name[FOLD_BY_DEPLOYMENT + 1] == NULL,
	   "the names end with NULL");
}

static void throughput(void)
{
	validated_fresh();
	for (int k = 0; k < N_RUN_LATENCIES; k++)
		validated_row[0].time[k] = measured_no_times;
	validated_row[0].output_throughput = 1000;
	validated_is[0][0].output_throughput = 900;
	score(FOLD_BY_RUN);
	const struct scored_row *x = find("A-1", "output_throughput");
	ok(x && x->measured == 1000 && x->predicted == 900 &&
	       !find("A-2", "output_throughput"),
	   "the throughput of offline runs");
}

static void written(void)
{
	char *text = NULL;
	size_t size;
	validated_fresh();
	score(FOLD_BY_RUN);
	FILE *f = open_memstream(&text, &size);
	scored_write_head(f);
	validation_write_scores(&validated, 0, &scored, f);
	fclose(f);
	struct scored back = {0};
	const struct scored_of of = {.plugin = "const_step",
				     .version = "1",
				     .preset = "",
				     .tables = "",
				     .changed = ""};
	scored_read(&back, scratch_file("errors.csv", text), &of);
	ok(back.n == scored.n, "what is written reads back: %zu rows, %s",
	   back.n, back.why);
	ok(back.n && back.row[0].measured == scored.row[0].measured &&
	       fabs(back.row[0].predicted - scored.row[0].predicted) < 1e-3 &&
	       !strcmp(back.row[0].fold, "A-1"),
	   "row by row");
	scored_free(&back);
	free(text);
}

/* ---- intervals ---- */

/* Forty rows of a fold each; their ratios are evenly spread from 0.8 to 1.19.
 */
static void spread(void)
{
	char id[20];
	struct scored_row x = {.metric = TEXT("mean_ttft_ms"),
			       .predicted = 100,
			       .at = {.gpu_family = "H100",
				      .model_class = "dense",
				      .weight_format = "bf16"}};
	scored_free(&scored);
	for (int i = 0; i < 40; i++) {
		snprintf(id, sizeof id, "row-%d", i);
		x.source_row = x.fold = id;
		x.measured = 80 + i;
		if (scored_add(&scored, &x) < 0)
			bail_out("out of memory");
	}
}

static void intervals(void)
{
	spread();
	struct trust_interval i =
	    scores_interval(&scored, "row-20", "mean_ttft_ms");
	ok(i.n == 39, "the interval of a row is that of all other folds");
	ok(i.low > .8 && i.low < .84 && i.high > 1.17 && i.high < 1.21,
	   "from %.2f to %.2f of the prediction", i.low, i.high);
	ok(scores_interval(&scored, "row-20", "mean_tpot_ms").n == 0 &&
	       scores_interval(&scored, "row-99", "mean_ttft_ms").n == 0,
	   "no row, no interval");
	struct achieved_coverage a =
	    scores_coverage(&scored, "mean_ttft_ms", NULL);
	ok(a.n == 40, "each was tried");
	for (int k = 0; k < N_NOMINAL; k++)
		ok(fabs(a.share[k] - nominal_coverage[k]) < .06,
		   "%.0f %% are to lie within, and %.0f %% do",
		   100 * nominal_coverage[k], 100 * a.share[k]);
	ok(a.width[0] < a.width[1] && a.width[1] < a.width[2],
	   "a wider interval for more of them");
	scored.row[0].saturated = 1;
	ok(scores_coverage(&scored, "mean_ttft_ms", NULL).n == 39,
	   "a saturated row is not tried");
	ok(scores_coverage(&scored, "p99_e2el_ms", NULL).n == 0,
	   "nothing was measured");
}

/* ---- the shipped errors, each publisher left out ---- */

static void read_shipped(const struct scored_of *of)
{
	char path[200];
	const char *top = getenv("top_srcdir");
	scored_free(&scored);
	snprintf(path, sizeof path, "%s/bench_data/accuracy/%s.csv",
		 top ? top : ".", of->plugin);
	scored_read(&scored, path, of);
	if (!scored.n || scored_derive(&scored) < 0)
		bail_out(scored.why);
	for (size_t i = 0; i < scored.n; i++) {
		free(scored.row[i].fold);
		scored.row[i].fold = strdup(scored.row[i].publisher);
	}
}

/* doc/accuracy.md shows these lines. */
static void left_out(const char *metric, double widest)
{
	struct names publishers = {0};
	struct achieved_coverage a = scores_coverage(&scored, metric, NULL);
	ok(a.share[2] >= .85 && a.share[2] <= .97 && a.width[2] < widest,
	   "90 %% intervals of %s hold %.1f %% of %zu rows of publishers left "
	   "out, half width %.0f %%",
	   metric, 100 * a.share[2], a.n, 100 * a.width[2]);
	for (size_t i = 0; i < scored.n; i++)
		names_add_new(&publishers, scored.row[i].fold);
	for (size_t i = 0; i < publishers.n; i++) {
		a = scores_coverage(&scored, metric, publishers.item[i]);
		if (a.n)
			printf("# %.1f %% of %zu of %s, half width %.0f %%\n",
			       100 * a.share[2], a.n, publishers.item[i],
			       100 * a.width[2]);
	}
	names_free(&publishers);
}

int main(void)
{
	scratch_open();
	config_good(&validated_config,
		    CONFIG_SETUP CONFIG_ONE_BY_ONE CONFIG_ARM("a", "100"));
	as_data();
	folds();
	throughput();
	written();
	intervals();
	read_shipped(&(struct scored_of){.plugin = "operators",
					 .version = "2",
					 .preset = "",
					 .tables = "auto",
					 .changed = ""});
	left_out("mean_ttft_ms", 1);
	left_out("mean_tpot_ms", .6);
	left_out("mean_e2el_ms", .4);
	scored_free(&scored);
	config_free(&validated_config);
	return done();
}
