/* step/layers.h -- The calls of the layers of a model. */
#ifndef OPERATORS_STEP_LAYERS_H
#define OPERATORS_STEP_LAYERS_H
#include "stepcost/plugin.h"

struct inst;

/* The calls of the model's layers. */
int32_t layers_read(struct inst *s, sc_error *err);
#endif
