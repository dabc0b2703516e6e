/* validate/measured/measured_json.h -- results of benchmark programs
 * (validate/result/results.h): JSON, one or an array of them, several one after
 * another; YAML, a document a result; CSV of AIPerf and GuideLLM. */
#pragma once
#include <stdio.h>
#include "validate/measured/measured.h"

/* The rows of f, which is the file measured_path().  0, or -1 with *p. */
int measured_read_json(struct measured *m, FILE *f, struct problem *p);
/* Returns 1 if a text begins as YAML (yaml_begins()), or as CSV of AIPerf or
 * GuideLLM. */
int measured_is_text(const char *text, size_t n);
/* Reads the rows of such a text, as measured_read_json() does. */
int measured_read_text(struct measured *m, const char *text, size_t n,
		       struct problem *p);
