/* experiment/template.h -- fills in texts with {expressions} for a row:
 * "64x{batch-1}". */
#pragma once
#include "experiment/scope.h"

/* The caller frees the result; NULL with *p filled in if it fails.  where:
 * "file:line" of the template, for messages.  A '{' without a '}' stays as it
 * is. */
char *template_fill(const char *template, struct scope *at, const char *where,
		    struct problem *p);
