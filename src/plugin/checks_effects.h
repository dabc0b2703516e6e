/* plugin/checks_effects.h -- checks that a plugin only computes.  Each function
 * is the `run` of a struct check (checks.h): it returns 0, or -1 with *p filled
 * in. */
#pragma once
#include "plugin/subject.h"

/* eval() calls only functions of the C library that compute. */
int check_computes_only(struct subject *s, struct problem *p);
/* After each step there is no output, no changed mode, nothing overwritten. */
int check_leaves_alone(struct subject *s, struct problem *p);
/* Instances that are created and destroyed leave no memory and no
 * descriptor. */
int check_leaves_nothing(struct subject *s, struct problem *p);
