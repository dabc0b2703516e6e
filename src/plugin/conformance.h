/* plugin/conformance.h -- tests whether a plugin keeps the promises of
 * stepcost/plugin.h.  It runs every check of checks.h in a child process, with
 * the default knobs and with each preset, so a plugin that crashes fails only
 * one line.  A step that shows a fault is made as small as possible.  Prints
 * nothing.  [main] */
#pragma once
#include "base/problem.h"
#include "plugin/verdict.h"
#include "stepcost/plugin.h"

/* file: NAME.so.  setup: for create().  knobs: lines "KNOB = VALUE" that count
 * beside the defaults and each preset.  answer_limit_s: for one call of the
 * plugin.  Returns 0 if all verdicts were reported, good or bad; -1 with *p
 * filled in if the file does not exist or nothing could be run. */
int conformance_run(const char *file, const sc_setup *setup, const char *knobs,
		    double answer_limit_s, verdict_fn say, void *user,
		    struct problem *p);
