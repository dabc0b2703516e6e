/* arm/knob_check.h -- the keys of an arm's section that only its plugin knows:
 * names, values, ranges, presets. */
#ifndef SC_ARM_KNOB_CHECK_H
#define SC_ARM_KNOB_CHECK_H
#include "arm/arm_list.h"
#include "arm/known_plugins.h"

/* Against what the plugins declared.  0, or -1 with *p: what the user must put
 * right in the INI.  A plugin that is not known is its arm's failure when that
 * runs, and none here. */
int knob_check(const struct ini *c, const struct arm_config *arm, size_t n,
	       const struct known_plugins *known, struct problem *p);
#endif
