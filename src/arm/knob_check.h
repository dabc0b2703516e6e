/* arm/knob_check.h -- checks the keys of an arm's section that only its plugin
 * knows: names, values, ranges, presets. */
#ifndef SC_ARM_KNOB_CHECK_H
#define SC_ARM_KNOB_CHECK_H
#include "arm/arm_list.h"
#include "arm/known_plugins.h"

/* Checks arms against their plugins' declarations.  Returns 0, or -1 with *p
 * filled in: what the user must change in the INI.  An unknown plugin is no
 * error here; its arm fails when it runs. */
int knob_check(const struct ini *c, const struct arm_config *arm, size_t n,
	       const struct known_plugins *known, struct problem *p);
#endif
