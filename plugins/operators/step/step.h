/* step.h -- The plugin's eval(). */
#ifndef OPERATORS_STEP_H
#define OPERATORS_STEP_H
#include "stepcost/plugin.h"

struct inst;

/* Room for what it knows of steps; -1: out of memory. */
int step_room(struct inst *s);
void step_free(struct inst *s);
int32_t step_eval(void *inst, const sc_step *st, sc_result *out, sc_error *err);
#endif
