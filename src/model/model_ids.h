/* model/model_ids.h -- the names that publishers give the shipped models, from
 * etc/model-ids.csv: "meta-llama/Llama-3.1-8B" is llama-3.1-8b.  A model may
 * have several; the first is the one to download.  [any thread] */
#pragma once
#include "base/problem.h"

/* *id: the publisher's name of a model of etc/models, which the caller frees in
 * either case, or NULL: it is not listed.  *is_quantized: these weights have
 * other formats.  Returns 0, or -1 with *p. */
int model_ids_of(char **id, const char *model, int *is_quantized,
		 struct problem *p);
/* *model: the model of etc/models with that publisher's name, in any case; the
 * caller frees it in either case; NULL: none has it.  Returns 0, or -1 with
 * *p. */
int model_ids_find(char **model, const char *id, struct problem *p);
