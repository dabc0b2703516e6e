/* step.h -- The plugin's eval(). */
#ifndef OPERATORS_STEP_H
#define OPERATORS_STEP_H
#include "inst.h"

int32_t step_eval(void *inst, const sc_step *st, sc_result *out, sc_error *err);
#endif
