/* plugin/checks_figures.h -- what is noted of a plugin and cannot fail but by
 * having no answer: each is the `run` of a struct check (checks.h). */
#ifndef SC_PLUGIN_CHECKS_FIGURES_H
#define SC_PLUGIN_CHECKS_FIGURES_H
#include "plugin/subject.h"

/* How the worst lookup of each step came about. */
int check_coverage(struct subject *s, struct problem *p);
/* Nanoseconds a step, by batch. */
int check_speed(struct subject *s, struct problem *p);
#endif
