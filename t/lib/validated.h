/* validated.h -- a validation made by hand: measured rows, and what two arms
 * "a" and "b" predict of them, without any simulation.  The test changes rows
 * and predictions as it likes. */
#ifndef T_VALIDATED_H
#define T_VALIDATED_H
#include "validate/validation.h"
#include "tap.h"

enum { VALIDATED_ROWS = 4, VALIDATED_ARMS = 2 };
static struct measured_row validated_row[VALIDATED_ROWS];
static struct prediction validated_is[VALIDATED_ARMS][VALIDATED_ROWS];
static char *validated_path[] = {(char *)(uintptr_t) "runs.csv"};
static struct measured validated_file = {.path = validated_path,
					 .n_paths = 1,
					 .row = validated_row,
					 .n = VALIDATED_ROWS};
static const char *validated_arm[] = {"a", "b"};
static size_t validated_trial[VALIDATED_ROWS];
static size_t validated_trial_row[VALIDATED_ROWS] = {0, 1, 2, 3};
static char *validated_refused[1], *validated_why[VALIDATED_ARMS];
static struct row_replay validated_run = {
    .name = "run", .row = validated_trial_row, .n_rows = VALIDATED_ROWS};
static struct config validated_config;
static struct validation validated = {
    .file = &validated_file,
    .row_replays = {.row_replay = &validated_run, .n = 1},
    .config = &validated_config,
    .trial_of = validated_trial,
    .refused = validated_refused,
    .n_arms = VALIDATED_ARMS,
    .arm = validated_arm,
    .prediction = validated_is[0],
    .why = validated_why};

#define TEXT(s) (char *)(uintptr_t)(s)

/* A time of a row or of a prediction. */
static struct measured_times validated_times(double mean_ms)
{
	return (struct measured_times){{[STATISTIC_MEAN] = mean_ms,
					[STATISTIC_P50] = .9 * mean_ms,
					[STATISTIC_P90] = 1.5 * mean_ms,
					[STATISTIC_P95] = 1.8 * mean_ms,
					[STATISTIC_P99] = 2 * mean_ms}};
}

/* Rows of 100, 200, 300 and 400 ms E2EL, a tenth of it TTFT, a hundredth TPOT.
 * Arm a predicts 10 % more of everything, arm b 20 % less. */
static void validated_fresh(void)
{
	static const char *const id[] = {"A-1", "A-2", "B-1", "B-2"};
	static const double share[N_RUN_LATENCIES] = {.1, .01, 1};
	static const double factor[VALIDATED_ARMS] = {1.1, .8};
	for (size_t i = 0; i < VALIDATED_ROWS; i++) {
		struct measured_row *r = &validated_row[i];
		double e2el_ms = 100 * ((double)i + 1);
		*r = (struct measured_row){.file = "runs.csv",
					   .line = i + 2,
					   .id = TEXT(id[i]),
					   .model = TEXT("meta/llama"),
					   .gpu = TEXT("H100 (SXM)"),
					   .tensor_parallel_size = 1,
					   .request_rate = 4,
					   .concurrency = NAN,
					   .output_throughput = NAN};
		for (size_t k = 0; k < VALIDATED_ARMS; k++)
			validated_is[k][i] =
			    (struct prediction){.priced = 1,
						.version = "1",
						.computed_share = 1,
						.prefill_share = .25,
						.input_tokens = 500,
						.output_tokens = 100,
						.running = 3,
						.output_throughput = NAN};
		for (int m = 0; m < N_RUN_LATENCIES; m++) {
			double ms = share[m] * e2el_ms;
			r->time[m] = validated_times(ms);
			for (size_t k = 0; k < VALIDATED_ARMS; k++)
				validated_is[k][i].time[m] =
				    validated_times(factor[k] * ms);
		}
	}
}
#endif
