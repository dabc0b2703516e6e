/* plugin/checks_effects.h -- does a plugin compute and nothing else?  Each is
 * the `run` of a struct check (checks.h): 0, or -1 with *p. */
#ifndef SC_PLUGIN_CHECKS_EFFECTS_H
#define SC_PLUGIN_CHECKS_EFFECTS_H
#include "plugin/subject.h"

/* Of the C library, eval() calls what computes. */
int check_computes_only(struct subject *s, struct problem *p);
/* No output, no changed modes, nothing overwritten, after each step. */
int check_leaves_alone(struct subject *s, struct problem *p);
/* Instances that come and go leave no memory and no descriptor. */
int check_leaves_nothing(struct subject *s, struct problem *p);
#endif
