/* report/help/keys.h -- describes a key or knob in words: type, default, unit,
 * allowed values, meaning.  The reference and the list of plugins use it.
 * [main] */
#pragma once
#include <stdio.h>
#include "base/json/json_writer.h"
#include "stepcost/plugin.h"

/* Returns "double", "int", "bool", "choice" or "text". */
const char *key_type(const sc_knob *k);
/* Writes the allowed values to buf, for example "a|b", "[0, 1]" or
 * "true|false", or "" for any text.  Returns buf. */
const char *key_allowed(const sc_knob *k, char *buf, size_t size);
/* Returns the unit, or "" for a count or a share. */
const char *key_unit(const sc_knob *k);
/* Writes two lines or more.  If `more` is not NULL, it follows the meaning. */
void key_text(FILE *f, const sc_knob *k, const char *prefix, const char *more);
/* Writes its members into the open object. */
void key_json(struct jw *j, const sc_knob *k);
