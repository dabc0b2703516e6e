/* validation_coverage.c -- Writes how often measured figures lay in the
 * intervals of scored errors. */
#include <config.h>
#include "report/validation/validation.h"

static void print_head(enum fold_by by, FILE *f)
{
	fprintf(f,
		"\nmeasured figures within the intervals that the errors of "
		"the other %ss give, percent (half of the median width)\n%-25s "
		"%-17s %5s   %14s   %14s   %14s\n",
		fold_by_name[by], "arm", "figure", "rows", "nominal 50", "80",
		"90");
}

/* The head is written before the first line. */
static void print_coverage(const struct validation *v, size_t arm,
			   enum fold_by by, const struct scored *scored,
			   int *headed, FILE *f)
{
	static const char *const metrics[] = {"mean_e2el_ms", "mean_ttft_ms",
					      "mean_tpot_ms", "p99_ttft_ms",
					      "output_throughput"};
	for (size_t k = 0; k < sizeof metrics / sizeof *metrics; k++) {
		struct achieved_coverage a =
		    scores_coverage(scored, metrics[k]);
		if (!a.n)
			continue;
		if (!*headed)
			print_head(by, f);
		*headed = 1;
		fprintf(f, "%-25s %-17s %5zu", v->arm[arm], metrics[k], a.n);
		for (int i = 0; i < N_NOMINAL; i++)
			fprintf(f, "   %5.1f (+-%4.1f)", 100 * a.share[i],
				100 * a.width[i]);
		putc('\n', f);
	}
}

void validation_coverage_text(const struct validation *v, enum fold_by by,
			      FILE *f)
{
	int headed = 0;
	for (size_t k = 0; k < v->n_arms; k++) {
		struct scored scored;
		struct problem p;
		if (validation_scores(v, k, by, &scored, &p) == 0)
			print_coverage(v, k, by, &scored, &headed, f);
		scored_free(&scored);
	}
}
