/* plugin/conformance.h -- does a plugin keep the promises of stepcost/plugin.h?
 * Runs every check of checks.h in a child process, at the default knobs and at
 * each preset, so that a plugin that crashes fails a line and no more.  A step
 * that shows a fault is made as small as it goes.  Prints nothing.  [main] */
#ifndef SC_PLUGIN_CONFORMANCE_H
#define SC_PLUGIN_CONFORMANCE_H
#include "base/problem.h"
#include "plugin/verdict.h"
#include "stepcost/plugin.h"

/* file: NAME.so.  setup: what create() is told.  answer_limit_s: for one call
 * of the plugin.  0: every verdict has been given, which may all be bad; -1
 * with *p: the file is not there, or nothing could be run. */
int conformance_run(const char *file, const sc_setup *setup,
		    double answer_limit_s, verdict_fn say, void *user,
		    struct problem *p);
#endif
