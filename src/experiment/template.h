/* experiment/template.h -- texts with {expressions} in them, filled in for a
 * row: "64x{batch-1}". */
#ifndef SC_EXPERIMENT_TEMPLATE_H
#define SC_EXPERIMENT_TEMPLATE_H
#include "experiment/scope.h"

/* To be freed; NULL with *p.  where: "file:line" of the template, for
 * messages.  A '{' without a '}' stands for itself. */
char *template_fill(const char *template, struct scope *at, const char *where,
		    struct problem *p);
#endif
