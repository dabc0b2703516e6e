/* python_class: lets a class of the Python package price the steps.  The package
 * copies this plugin into a folder with bridge.py, and answers through it. */
#define _GNU_SOURCE
#include "stepcost/exec.h"

static const sc_knob *const knobs[] = {SC_EXEC_KNOBS};

SC_EXEC_PLUGIN_WITH("python_class", "1", "a Python class prices the steps",
		    struct sc_exec_knobs, knobs, 0,
		    SC_EXEC_COMMAND("python3", "./bridge.py"),
		    .eval_batch = sc_exec_eval_batch);
