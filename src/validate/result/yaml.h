/* validate/result/yaml.h -- YAML (libyaml) as values of jansson, so that a
 * reader of JSON reads YAML too.
 *
 * Plain scalars are what PyYAML makes of them: null, booleans, numbers, else
 * text; .inf and .nan, which JSON has not, are text.  An alias shares the value
 * of its anchor.  Refused are a key that occurs twice or is no scalar,
 * containers within containers beyond YAML_DEEPEST, and aliases that make a
 * document one of more than YAML_MOST_VALUES: a few lines of aliases of aliases
 * stand for more than a reader could ever visit. */
#pragma once
#include <jansson.h>
#include <stdint.h>
#include "base/problem.h"

enum { YAML_DEEPEST = 200, YAML_MOST_VALUES = 1000000 };

/* Receives a document, which the caller frees, and the line of its first value.
 * Returns 0, or -1, which ends the reading. */
typedef int (*yaml_document_fn)(void *user, json_t *document, uint64_t line);
/* Reads all documents of a text.  Returns 0, or -1: the function said so, or
 * with "origin:line: what" in *p (EXIT_INPUT). */
int yaml_read(const char *text, size_t n, const char *origin,
	      yaml_document_fn each, void *user, struct problem *p);
/* Returns 1 if the first line that is neither empty nor a comment is one of
 * YAML: "key: value", "- item", or "---". */
int yaml_begins(const char *text, size_t n);
