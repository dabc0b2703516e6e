/* api/fields.h -- the fields of a body and their types, as vLLM's models
 * declare them, those that have no effect here too.  Pure.  [any thread] */
#pragma once
#include <jansson.h>
#include "api/error.h"

/* The body that has a field: bits, as one name has two types in two bodies. */
enum fields_of {
	OF_COMPLETION = 1,
	OF_CHAT = 2,
	OF_TOKENIZE_TEXT = 4,
	OF_TOKENIZE_CHAT = 8,
	OF_DETOKENIZE = 16,
};
/* Checks the fields of a body that are in the table; others are left alone.  As
 * vLLM does it takes "true", "no", 1, 0 for a boolean, "3", 3.0, true for a
 * whole number and "0.5" for a number; such values are replaced by what they
 * mean. Returns 0, or -1 with *e filled in: 400, "Bad Request", body.FIELD. */
int fields_check(json_t *body, enum fields_of, struct api_error *e);
