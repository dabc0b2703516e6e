/* Sums up the errors of a validation: by metric, by choice of rows, by group.
 */
#include "validate/score/errors.h"
#include "validated.h"

static void summaries(void)
{
	double e[] = {.1, -.3, .2, -.4};
	struct error_summary s = error_summary_of(e, 4);
	near(s.mean, .25, 1e-12, "the mean of absolute errors");
	near(s.bias, -.1, 1e-12, "the mean of signed ones");
	near(s.median, .25, 1e-12, "their median");
	near(s.p90, .37, 1e-12, "their 90th percentile");
	ok(s.n == 4, "how many");
	s = error_summary_of(e, 0);
	ok(s.n == 0 && isnan(s.mean) && isnan(s.bias) && isnan(s.p90),
	   "none has no mean");
}

static double mean(size_t arm, enum row_choice choice)
{
	return validation_summary(&validated, arm, RUN_TTFT, choice).mean;
}

static size_t n(size_t arm, enum row_choice choice)
{
	return validation_summary(&validated, arm, RUN_TTFT, choice).n;
}

static void choices(void)
{
	validated_fresh();
	near(mean(0, ROWS_COMMON), .1, 1e-9, "arm a is 10 %% wrong");
	near(mean(1, ROWS_COMMON), .2, 1e-9, "arm b is 20 %% wrong");
	near(validation_summary(&validated, 1, RUN_E2EL, ROWS_COMMON).bias, -.2,
	     1e-9, "it predicts too little");
	validated_is[1][2].priced = 0;
	ok(n(0, ROWS_COMMON) == 3 && n(0, ROWS_OWN) == 4 && n(1, ROWS_OWN) == 3,
	   "a row that one arm does not price is not common");
	validated_row[0].flags = TEXT("SATURATED");
	validated_row[1].flags = TEXT("X|BURST_4");
	validated_row[3].flags = TEXT("NEAR_KV_SATURATION_90");
	ok(n(0, ROWS_COMMON) == 0 && n(0, ROWS_OWN) == 1 &&
	       n(0, ROWS_SATURATED) == 3,
	   "saturated rows count by themselves");
	ok(validation_chosen(&validated, 2, ROWS_OWN) &&
	       !validation_chosen(&validated, 2, ROWS_COMMON) &&
	       validation_chosen(&validated, 0, ROWS_SATURATED),
	   "row by row");
}

static void statistics(void)
{
	validated_fresh();
	validated_is[0][0].time[RUN_TPOT].of[STATISTIC_P99] *= 2;
	struct error_summary s = validation_summary_of(
	    &validated, 0, RUN_TPOT, STATISTIC_P99, ROWS_OWN, NULL, NULL);
	near(s.mean, (1.2 + .1 + .1 + .1) / 4, 1e-9, "of the 99th percentile");
	validated_row[1].time[RUN_TPOT].of[STATISTIC_P99] = NAN;
	s = validation_summary_of(&validated, 0, RUN_TPOT, STATISTIC_P99,
				  ROWS_OWN, NULL, NULL);
	ok(s.n == 3, "a figure that was not measured has no error");
}

static void groups(void)
{
	const struct grouping *by_model = &grouping[0];
	validated_fresh();
	validated_row[2].model = TEXT("mistral");
	validated_row[3].model = NULL;
	struct error_summary s =
	    validation_summary_of(&validated, 0, RUN_E2EL, STATISTIC_MEAN,
				  ROWS_OWN, by_model, "llama");
	ok(s.n == 2, "the rows of a group");
	struct names all = grouping_values(&validated, 0, by_model);
	char text[100];
	is(names_join(&all, text, sizeof text), "llama, mistral, -",
	   "the groups in the order of the file");
	names_free(&all);
	for (size_t i = 0; i < VALIDATED_ROWS; i++)
		validated_row[i].model = NULL;
	all = grouping_values(&validated, 0, by_model);
	ok(all.n == 0, "none, where no row tells");
	names_free(&all);
}

static void throughput(void)
{
	validated_fresh();
	ok(validation_throughput(&validated, 0, NULL, NULL).n == 0,
	   "a row with latencies is no offline run");
	for (size_t i = 2; i < VALIDATED_ROWS; i++) {
		for (int k = 0; k < N_RUN_LATENCIES; k++)
			validated_row[i].time[k] = measured_no_times;
		validated_row[i].output_throughput = 1000;
		validated_is[0][i].output_throughput = 1300;
	}
	validated_row[3].flags = TEXT("SATURATED");
	struct error_summary s =
	    validation_throughput(&validated, 0, NULL, NULL);
	ok(s.n == 2, "offline runs, saturated or not");
	near(s.bias, .3, 1e-9, "30 %% too fast");
	s = validation_throughput(&validated, 0, &grouping[0], "none such");
	ok(s.n == 0, "of a group");
}

/* Arm a takes 10 % more of both times, so a loop of clients makes 10/11. */
static void pools(void)
{
	validated_fresh();
	ok(validation_apart(&validated, 0, APART_THROUGHPUT, NULL, NULL).n == 0,
	   "rows in one piece are not counted");
	for (size_t i = 0; i < 2; i++)
		validated_row[i].mode = TEXT("disagg");
	validated_row[1].flags = TEXT("SATURATED");
	for (size_t i = 0; i < VALIDATED_ROWS; i++)
		validated_is[0][i].output_tokens = 11;
	struct error_summary s =
	    validation_apart(&validated, 0, APART_THROUGHPUT, NULL, NULL);
	ok(s.n == 2, "rows apart, saturated or not");
	near(s.bias, 1 / 1.1 - 1, 1e-9, "the implied throughput");
	s = validation_apart(&validated, 0, RUN_TPOT, NULL, NULL);
	near(s.mean, .1, 1e-9, "and a time");
	s = validation_apart(&validated, 0, RUN_TPOT, &grouping[0],
			     "none such");
	ok(s.n == 0, "of a group");
}

int main(void)
{
	pools();
	summaries();
	choices();
	statistics();
	groups();
	throughput();
	return done();
}
