/* arm/assignment.h -- a setting on the command line, "section.key=value".  A
 * key of an arm may contain a dot.  Refusals name the section that has the
 * key, if only the section is missing.  [main] */
#pragma once
#include <stddef.h>
#include "base/ini.h"
#include "base/problem.h"

/* Returns the position of the dot between section and key in the n characters
 * of "section.key", or 0 if there is none.  "cost_model:x.tables.set" is the
 * key tables.set of [cost_model:x]; the name of an arm has no dot. */
size_t assignment_dot(const char *name, size_t n);
/* Sets a key.  The text is "section.key=value", and messages then name --set;
 * or "--axis section.key=value", and they name that option.  Returns 0, or -1
 * with *p filled in (EXIT_USAGE). */
int assignment_apply(struct ini *c, const char *text, struct problem *p);
/* Refuses text, which begins with n characters that are no "section.key", in
 * the name of an option.  Returns -1 with *p filled in (EXIT_USAGE). */
int assignment_refuse(const char *option, const char *text, size_t n,
		      struct problem *p);
