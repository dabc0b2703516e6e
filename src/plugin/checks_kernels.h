/* plugin/checks_kernels.h -- checks that kernel() prices the parts of eval().
 * The `run` of a struct check (checks.h). */
#pragma once
#include "plugin/subject.h"

/* In an additive model, one more dense layer costs what kernel() says about its
 * GEMMs and its attention, to 1e-6.  Other models, other layers and kernels
 * that kernel() refuses are not checked.  Returns 0, or -1 with *p filled
 * in. */
int check_kernels(struct subject *s, struct problem *p);
