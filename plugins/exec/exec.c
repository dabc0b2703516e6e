/* exec: lets a program price the steps; exec.py, unless you write another. */
#define _GNU_SOURCE
#include "stepcost/exec.h"

struct knobs {
	struct sc_exec_knobs exec;
	double base_us, bandwidth_share, compute_share;
};

static const sc_knob *const knobs[] = {
    SC_EXEC_KNOBS,
    SC_DOUBLE(struct knobs, base_us, "1000", 0, 1e9, "us",
	      "Time of a step apart from its work; a guess, to be fitted."),
    SC_DOUBLE(struct knobs, bandwidth_share, "0.8", 0.01, 1, "1",
	      "Share of the peak memory bandwidth that is reached; a guess."),
    SC_DOUBLE(struct knobs, compute_share, "0.5", 0.01, 1, "1",
	      "Share of the peak FLOP rate that is reached; a guess."),
};

SC_EXEC_PLUGIN_WITH("exec", "1",
		    "a program prices the steps: exec.py, a roofline",
		    struct knobs, knobs, 0,
		    SC_EXEC_COMMAND("python3", "./exec.py"),
		    .id = "stepcost.exec", .licence = "MIT",
		    .citation = "stepcost, exec: a roofline in Python");
