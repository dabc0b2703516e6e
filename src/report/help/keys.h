/* report/help/keys.h -- a key or knob in words: type, default, unit, what is
 * allowed, what it means.  Serves the reference and what plugins declare.
 * [main] */
#ifndef SC_REPORT_HELP_KEYS_H
#define SC_REPORT_HELP_KEYS_H
#include <stdio.h>
#include "stepcost/plugin.h"

/* "double", "int", "bool", "choice", "text". */
const char *key_type(const sc_knob *k);
/* "a|b", "[0, 1]", "true|false", "": any text; returns buf. */
const char *key_allowed(const sc_knob *k, char *buf, size_t size);
/* "": a count or a share. */
const char *key_unit(const sc_knob *k);
/* Two lines or more; `more`, if not NULL, stands behind the meaning. */
void key_text(FILE *f, const sc_knob *k, const char *prefix, const char *more);
#endif
