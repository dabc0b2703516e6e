/* plugin/checks_knobs.h -- checks the conditions of a plugin's knobs.  The
 * function is the `run` of a struct check (checks.h). */
#pragma once
#include "plugin/subject.h"

/* A knob changes no bit of any answer where its `when` does not hold.  Notes a
 * knob that changes nothing where it holds, either.  The states are those of
 * s->knobs with each value of each choice, one at a time. */
int check_knobs_act(struct subject *s, struct problem *p);
