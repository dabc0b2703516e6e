/* validate/fit/arm_knobs.h -- which arms of a configuration have a knob that a
 * measured row asks for.  [main]; asks plugins in child processes. */
#pragma once
#include "arm/arm_list.h"
#include "base/ini.h"
#include "base/names.h"
#include "base/problem.h"
#include "plugin/ask.h"

struct arm_knobs {
	struct ini cfg; /* the configuration, as it is read                  */
	struct arm_list arms;
	struct plugin_query *plugin; /* [arms.n] in their order           */
};

/* set: as config_read() takes it.  0, or -1 with *p; arm_knobs_free() in either
 * case.  A plugin that cannot be asked has no knobs. */
int arm_knobs_open(struct arm_knobs *a, const char *path,
		   const char *const *set, size_t n_set, struct problem *p);
/* Adds "SECTION.KNOB=value" to *set for each arm that has the knob of
 * "KNOB=value" and does not set it itself; "SECTION.engine.KEY=value" for each
 * that prices requests outside of steps (sc_request_costs), unless it sets the
 * key itself or --set does for all.  0, or -1: out of memory. */
int arm_knobs_assign(const struct arm_knobs *a, const char *knob,
		     struct names *set);
void arm_knobs_free(struct arm_knobs *a);
