/* report/help/shipped.h -- lists what `config =` of [model] and [hardware] may
 * name.  [main] */
#pragma once
#include <stdio.h>

/* One line each: the name of a model, and its publisher's. */
void shipped_models(FILE *f);
/* One line each: the name of a GPU, its architecture, memory and bandwidth. */
void shipped_gpus(FILE *f);
