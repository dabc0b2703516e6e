/* steps/fit_knobs.h -- the knobs that a fit was asked for, with their starts
 * and bounds.  [main] */
#pragma once
#include "stepcost/plugin.h"
#include "steps/fit_state.h"

/* Reads "NAME[=START][:LOW..HIGH],...".  block: the arm's knobs as configured.
 * Returns 0, or -1 with *p filled in (EXIT_USAGE). */
int fit_knobs_read(struct fit *f, const char *text, const sc_plugin *plugin,
		   const void *block, struct problem *p);
