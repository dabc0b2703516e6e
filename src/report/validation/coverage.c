/* coverage.c -- Tables of how many measured figures lie within intervals. */
#include "report/validation/coverage.h"
#include "report/columns.h"
#include "report/validation/validation_parts.h"

static void coverage_row(struct columns *c, const char *arm,
			 const struct scored *scored, const char *metric,
			 const char *fold)
{
	struct achieved_coverage a = scores_coverage(scored, metric, fold);
	if (!a.n)
		return;
	columns_metric(c, metric, "");
	columns_words(c, 0, 0, "%s", fold ? fold : arm);
	columns_cell(c, 0, 1, "%zu", a.n);
	for (size_t i = 0; i < N_NOMINAL; i++)
		columns_cell(c, 0, 2 + i, "%.1f (+-%.1f)", 100 * a.share[i],
			     100 * a.width[i]);
}

/* Publishers are few and unlike: each has a row of its own. */
static void coverage_rows(struct columns *c, const char *arm,
			  const struct scored *scored, enum fold_by by)
{
	static const char *const metrics[] = {"mean_e2el_ms", "mean_ttft_ms",
					      "mean_tpot_ms", "p99_ttft_ms",
					      "output_throughput"};
	struct names folds = {0};
	for (size_t i = 0; by == FOLD_BY_PUBLISHER && i < scored->n; i++)
		names_add_new(&folds, scored->row[i].fold);
	for (size_t k = 0; k < sizeof metrics / sizeof *metrics; k++) {
		coverage_row(c, arm, scored, metrics[k], NULL);
		for (size_t i = 0; i < folds.n; i++)
			coverage_row(c, arm, scored, metrics[k], folds.item[i]);
	}
	names_free(&folds);
}

void coverage_of_errors(struct document *d, const struct validation *v,
			enum fold_by by)
{
	static const char *const nominal[N_NOMINAL] = {"nominal 50", "80",
						       "90"};
	struct columns c = {.n_groups = 1, .per_group = 2 + N_NOMINAL};
	columns_row(&c, "coverage");
	columns_cell(&c, 0, 0,
		     by == FOLD_BY_PUBLISHER ? "arm, publishers" : "arm");
	columns_cell(&c, 0, 1, "rows");
	for (size_t i = 0; i < N_NOMINAL; i++)
		columns_cell(&c, 0, 2 + i, "%s", nominal[i]);
	for (size_t k = 0; k < v->n_arms; k++) {
		struct scored scored;
		struct problem p;
		if (validation_scores(v, k, by, &scored, &p) == 0)
			coverage_rows(&c, v->arm[k], &scored, by);
		scored_free(&scored);
	}
	if (c.n_rows > 1) {
		document_heading(d, "Coverage of intervals");
		document_say(d,
			     "Measured figures within the intervals that the "
			     "errors of the other %ss give, percent (half of "
			     "the median width).",
			     fold_by_name[by]);
	}
	document_table(d, &c);
}

void coverage_of_models(struct document *d, const struct validation *v)
{
	static const char *const head[] = {"arm", "rows", "nominal 50",
					   "80",  "90",   "spread"};
	struct columns c = columns_begin(head, 6, "coverage");
	for (size_t k = 0; k < v->n_arms; k++)
		for (int i = 0; i < N_RUN_LATENCIES; i++) {
			enum run_latency latency = validation_shown[i];
			struct own_coverage is =
			    validation_own_coverage(v, k, latency);
			const double share[] = {is.share_50, is.share_80,
						is.share_90};
			if (!is.n)
				continue;
			columns_row(&c, "%s", validation_title[latency]);
			columns_words(&c, 0, 0, "%s", v->arm[k]);
			columns_cell(&c, 0, 1, "%zu", is.n);
			for (size_t s = 0; s < 3; s++)
				columns_cell(&c, 0, 2 + s, "%.1f",
					     100 * share[s]);
			columns_cell(&c, 0, 5, "%.2f", is.spread);
		}
	if (c.n_rows > 1) {
		document_heading(d, "Coverage of the models' own intervals");
		document_say(d, "Measured means within the intervals that a "
				"cost model gives itself, percent. A spread "
				"above 1: it is too sure by that factor.");
	}
	document_table(d, &c);
}
