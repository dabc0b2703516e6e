/* report/model.h -- writes a model as stepcost understood it: layer groups,
 * parameters, bytes. */
#pragma once
#include <stdio.h>
#include "engine/engine.h"
#include "model/model.h"
#include "plugin/support.h"

/* e: an engine that holds the KV cache.  Without kv_groups the text leaves out
 * the KV cache; without max_model_len it leaves out the capacity. */
/* s[n]: which cost models can price the model. */
void model_text(const struct model *m, const struct engine *e,
		const struct plugin_support *s, size_t n, FILE *f);
void model_csv(const struct model *m, FILE *f);
void model_json(const struct model *m, const struct engine *e,
		const struct plugin_support *s, size_t n, FILE *f);
