/* validate/replay/row_replay_run.h -- a measured run simulated under one arm,
 * which is a job of its own. */
#pragma once
#include "arm/configuration.h"
#include "cost/coverage.h"
#include "jobs/jobs.h"
#include "sim/saturation.h"
#include "validate/measured/measured.h"
#include "validate/replay/row_replay.h"

/* Figures of energy, by their names among the metrics of a run. */
enum { N_ROW_REPLAY_ENERGY = 4 };
extern const char *const row_replay_energy_name[N_ROW_REPLAY_ENERGY];

/* What an arm says of a row; plain data. */
struct prediction {
	int priced;
	/* About the simulated run, which may have answered other rows, too: */
	enum saturation saturation;
	uint64_t rejected;     /* requests */
	char version[32];      /* of the plugin                           */
	double computed_share; /* of prompt tokens, those not cached      */
	double prefill_share;  /* of the time of steps; NaN: not told     */
	double input_tokens, output_tokens; /* means of a request            */
	double running;           /* mean number of requests in a step       */
	double most;              /* requests that run at once              */
	uint64_t clients;         /* of a closed loop; 0: an open one        */
	double output_throughput; /* tok/s, of all GPUs of the row           */
	double energy[N_ROW_REPLAY_ENERGY]; /* NaN: the power of the GPU is
					       unknown */
	double coverage_us[COVERAGE_CLASSES];
	struct measured_times time[N_RUN_LATENCIES]; /* ms */
	/* How sure the model itself is of the means: its standard deviation as
	 * a share of each; 0: it does not say. */
	double own_deviation[N_RUN_LATENCIES];
};

/* Other values of an arm's knobs, several sets of them at once. */
struct knob_points {
	size_t arm;
	const char *const *name; /* [n_knobs]                               */
	size_t n_knobs, n_points;
	const double *value; /* [n_points * n_knobs]                        */
};

enum { ROW_REPLAY_RUN_REQUESTS }; /* stream of a job */

struct row_replay_run {
	const struct row_replay *row_replay;
	struct config *config;           /* with the run laid over           */
	size_t arm;                      /* of it                            */
	const struct knob_points *knobs; /* NULL: as configured              */
	size_t point;                    /* of them                          */
};

/* The user of the job is its struct row_replay_run; what it shares are
 * predictions of the trial's rows, in their order.  0, or -1 with *p. */
int row_replay_run(struct job *j, struct problem *p);
