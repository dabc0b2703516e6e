/* arm/known_names.h -- the sections and keys that an INI may have.
 *
 * Sections are those of the manual and those of arms, cost_model:NAME; an arm
 * has one section, others may be continued.  Keys of arms are knobs, which
 * knob_check.h checks.  [any thread] */
#pragma once
#include "base/ini.h"
#include "base/problem.h"

/* Refuses unknown sections and keys.  own: names of sections that a command
 * reads itself, or prefixes that end in ':', up to NULL; NULL: none.  Returns
 * 0, or -1 with *p filled in (EXIT_USAGE). */
int known_names_check(const struct ini *c, const char *const *own,
		      struct problem *p);
