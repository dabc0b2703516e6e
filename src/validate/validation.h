/* validate/validation.h -- measured runs simulated under every arm: each run
 * and arm is a job of its own, so that one that fails costs only itself. [main]
 */
#pragma once
#include "base/arrays.h"
#include "math/own_coverage.h"
#include "validate/replay/row_replay_run.h"
#include "validate/replay/row_replays.h"

struct validate_options {
	const char *const *set; /* as given with --set                      */
	size_t n_set;
	const char *arms; /* as given with --arms, or NULL                   */
	const struct config *beside; /* as config_load_beside() */
	unsigned jobs;
	int in_process;
	int all_flags;  /* rows with doubtful flags, too                     */
	FILE *requests; /* NULL; else gets a line per request, a measured row's
			   id and what record/recorder.h writes              */
	void (*progress)(void *user, const struct job *job, size_t n);
	void *progress_user;
	/* Returns 1 if v->prediction has the answer already; may be NULL. */
	int (*is_known)(void *user, size_t row_replay, size_t arm);
	void *known_user;
	/* Each job, when all are done; may be NULL. */
	void (*done)(void *user, const struct job *job);
	void *done_user;
};

struct validation {
	const struct measured *file;
	struct row_replays row_replays;
	struct config *config; /* [trials.n]: CONFIG with the run laid over */
	size_t *trial_of; /* [file->n] SIZE_MAX: the row is left out        */
	char **refused;   /* [trials.n] why a run has no configuration;
			     NULL: it has one                          */
	size_t n_arms;
	const char **arm;              /* [n_arms] names                    */
	struct prediction *prediction; /* [n_arms * file->n]                */
	char **why; /* [n_arms * trials.n] why an arm could not; NULL: it did */
	int plugin_failed; /* somewhere: EXIT_PLUGIN, not only a refusal     */
	int interrupted;
	struct arrays arrays;
};

/* Lays each run over the configuration at `path`; nothing is simulated yet.
 * 0, or -1 with *p: no run can be.  validation_free() in either case. */
int validation_open(struct validation *v, const char *path,
		    const struct measured *file, const struct ini *aliases,
		    const struct validate_options *o, struct problem *p);
/* Simulates every run under every arm. */
int validation_run(struct validation *v, const struct validate_options *o,
		   struct problem *p);
void validation_free(struct validation *v);

/* prediction[n_points * file->n], zeroed before; the first failure is *p. */
int validation_ask(struct validation *v, const struct knob_points *k,
		   const struct validate_options *o,
		   struct prediction *prediction, struct problem *p);

const struct prediction *validation_of(const struct validation *v, size_t arm,
				       size_t row);
/* Returns the measured time, ms; NaN: there is none.  The mean is the median
 * where only that was measured. */
double validation_measured(const struct validation *v, size_t row,
			   enum run_latency metric, enum statistic statistic);
/* Returns the predicted time, ms; NaN: there is none. */
double validation_predicted(const struct validation *v, size_t arm, size_t row,
			    enum run_latency metric, enum statistic statistic);
/* predicted / measured - 1; NaN: not both there. */
double validation_error(const struct validation *v, size_t arm, size_t row,
			enum run_latency metric, enum statistic statistic);
/* Returns that error for the output tokens per second of an offline run, which
 * has no latencies. */
double validation_throughput_error(const struct validation *v, size_t arm,
				   size_t row);
/* Returns that error for the output tokens per second that a closed loop of
 * separate prefill and decode pools implies, because its rows have none:
 * clients * output / (TTFT + TPOT * (output - 1)), measured and predicted
 * alike.  Positive: the prediction is faster. */
double validation_implied_error(const struct validation *v, size_t arm,
				size_t row);
/* Whether the means lie within the intervals that the model gives itself at the
 * schedule of each run (record/uncertainty.h); n 0: it gives none, or memory is
 * out. */
struct own_coverage validation_own_coverage(const struct validation *v,
					    size_t arm,
					    enum run_latency metric);
/* The configuration that a row was simulated with; NULL: it was not. */
const struct config *validation_config(const struct validation *v, size_t row);
/* Requests piled up while this was measured: latencies tell the length of the
 * run. */
int validation_saturated(const struct measured_row *r);
/* Every arm prices the row. */
int validation_common(const struct validation *v, size_t row);
