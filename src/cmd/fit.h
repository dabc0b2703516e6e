/* cmd/fit.h -- the command `fit`: its options, and the two kinds of
 * measurements that it fits to. */
#pragma once
#include "cmd/pricing.h"

struct fit_command {
	struct pricing_options pricing;
	struct names steps, measured;
	const char *knobs, *steps_of, *folds, *loss, *rows, *aliases;
	int residual; /* 0, or 1 + enum fit_residual */
	int weight;   /* 0, or 1 + enum fit_weight */
	int flags;    /* 0, or 1 + index of "sound", "all" */
	int sigma;
	double max_stage_s;
	int64_t jobs;
};
/* Fit to measured runs, through the simulator.  Returns the exit code. */
int fit_measured(const struct cmdline *line);
