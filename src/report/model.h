/* report/model.h -- a model as it was understood: layer groups, parameters,
 * bytes. */
#ifndef SC_REPORT_MODEL_H
#define SC_REPORT_MODEL_H
#include <stdio.h>
#include "setup/model.h"

void model_text(const struct model *m, FILE *f);
void model_csv(const struct model *m, FILE *f);
void model_json(const struct model *m, FILE *f);
#endif
