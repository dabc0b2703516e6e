/* report/model.h -- a model as it was understood: layer groups, parameters,
 * bytes. */
#ifndef SC_REPORT_MODEL_H
#define SC_REPORT_MODEL_H
#include <stdio.h>
#include "engine/engine.h"
#include "model/model.h"

/* e: its KV cache in an engine; without kv_groups nothing is said of it, and
 * without a max_model_len nothing of how much it holds. */
void model_text(const struct model *m, const struct engine *e, FILE *f);
void model_csv(const struct model *m, FILE *f);
void model_json(const struct model *m, const struct engine *e, FILE *f);
#endif
