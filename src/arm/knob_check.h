/* arm/knob_check.h -- checks the keys of an arm's section that only its plugin
 * knows: names, values, ranges, presets. */
#pragma once
#include "arm/arm_list.h"
#include "arm/inert.h"
#include "arm/known_plugins.h"
#include "base/names.h"

/* Checks arms against their plugins' declarations, and that each knob of a
 * section has an effect in the state of its arm.  In a section that the command
 * line makes (--ablate, --leave-one-out) a knob without one is only added to
 * notes.  Returns 0, or -1 with *p filled in: what the user must change in the
 * INI.  An unknown plugin is no error here; its arm fails when it runs. */
int knob_check(const struct ini *c, const struct arm_config *arm, size_t n,
	       const struct known_plugins *known, struct names *notes,
	       struct problem *p);
/* Returns 1 if the section of the arm sets a knob that has no effect in its
 * state; why: "SECTION: KNOB has no effect with STATE".  0 also where nothing
 * is known of the plugin. */
int knob_is_inert(const struct ini *c, const struct arm_config *arm,
		  const struct known_plugins *known, const char *knob,
		  char why[INERT_TEXT]);
