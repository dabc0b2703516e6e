/* report/help/shipped.h -- lists what `config =` of [model] and [hardware] may
 * name.  [main] */
#ifndef SC_REPORT_HELP_SHIPPED_H
#define SC_REPORT_HELP_SHIPPED_H
#include <stdio.h>

/* One line each: the name of a model, and its publisher's. */
void shipped_models(FILE *f);
/* One line each: the name of a GPU, its architecture, memory and bandwidth. */
void shipped_gpus(FILE *f);
#endif
