/* validate/fit/calibrate.h -- knobs of a cost model refitted to measured runs,
 * through the simulator: each run is simulated, and the logarithms of simulated
 * over measured mean TPOT (weight 1) and TTFT (weight 0.7) are made small in
 * soft L1 (scale 0.05) by Levenberg-Marquardt, with bounds from the knob table
 * and a pull towards the values it starts from.
 *
 * Knobs that the runs do not tell apart (identify.h) are not fitted together:
 * the first of them is, and the others stay.  So the runs of one model at
 * several rates are enough for the knobs that act differently there.
 *
 * A refit is worth something only if it helps on runs it has not seen: every
 * run is left out once and everything fitted anew. */
#pragma once
#include "validate/fit/refit.h"
#include "stepcost/plugin.h"

/* Mean absolute errors over the rows, by enum run_latency; `score` is what
 * a refit is judged by: (TPOT + 0.7 TTFT) / 1.7. */
struct calibration_error {
	double metric[N_RUN_LATENCIES], score;
};
/* A knob that the runs do not tell apart from another: it stays where it was.
 */
struct calibrated_alike {
	const char *name, *like;
	double at;
};
struct calibration {
	struct calibrated_knob *knob; /* [n]                                */
	size_t n;
	struct calibrated_alike *alike; /* [n_alike]                        */
	size_t n_alike;
	size_t n_runs, n_rows; /* that were fitted to                       */
	struct calibration_error before; /* of the values it started from     */
	struct calibration_error after;  /* of the refit, on what it was
					    fitted to                        */
	struct calibration_error left_out; /* of runs left out of the fit     */
	int accepted; /* left_out.score < before.score                      */
};

/* Where a knob starts, and its bounds; NaN: as the arm and the plugin have
 * it. */
struct calibrate_range {
	double start, low, high;
};
struct calibrate_options {
	const struct calibrate_range *range; /* [n] by knob; NULL: none */
	const struct validate_options *validate;
	int by_stage; /* every stage of a run is left out once, not the run  */
	void (*progress)(void *user, const char *what, uint32_t iteration,
			 double cost);
	void *user;
};

/* Returns -1 with *p: names the plugin, the knob nearest to that name, and all
 * knobs that can be fitted. */
int calibrate_no_knob(const sc_plugin *plugin, const char *name,
		      struct problem *p);
/* v: opened on the runs; arm: of v.  start: the knob block as configured.
 * 0, or -1 with *p: EXIT_USAGE where the runs are too few, with the rule
 * that says so.  calibration_free() in either case. */
int calibrate(struct calibration *c, struct validation *v, size_t arm,
	      const sc_plugin *plugin, const void *start,
	      const char *const *knob, size_t n,
	      const struct calibrate_options *o, struct problem *p);
void calibration_free(struct calibration *c);
