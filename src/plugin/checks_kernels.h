/* plugin/checks_kernels.h -- does kernel() price what eval() adds up?  The
 * `run` of a struct check (checks.h). */
#ifndef SC_PLUGIN_CHECKS_KERNELS_H
#define SC_PLUGIN_CHECKS_KERNELS_H
#include "plugin/subject.h"

/* Of an additive model, one dense layer more costs what kernel() says of its
 * GEMMs and of its attention, to 1e-6.  Nothing is asked of other models, of
 * other layers, and of kernels that kernel() refuses.  0, or -1 with *p. */
int check_kernels(struct subject *s, struct problem *p);
#endif
