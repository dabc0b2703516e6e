/* validate/measured/measured_json.h -- results of `vllm bench serve` and of
 * inference-perf: one or an array of them, several one after another. */
#ifndef SC_VALIDATE_MEASURED_MEASURED_JSON_H
#define SC_VALIDATE_MEASURED_MEASURED_JSON_H
#include <stdio.h>
#include "validate/measured/measured.h"

/* The rows of f, which is the file measured_path().  0, or -1 with *p. */
int measured_read_json(struct measured *m, FILE *f, struct problem *p);
#endif
