/* plugin/checks_figures.h -- figures of a plugin; a check fails only if there
 * is no answer.  Each function is the `run` of a struct check (checks.h). */
#ifndef SC_PLUGIN_CHECKS_FIGURES_H
#define SC_PLUGIN_CHECKS_FIGURES_H
#include "plugin/subject.h"

/* Notes the provenance of the worst lookup in each step. */
int check_coverage(struct subject *s, struct problem *p);
/* Notes nanoseconds per step, by batch. */
int check_speed(struct subject *s, struct problem *p);
#endif
