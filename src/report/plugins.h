/* report/plugins.h -- writes how cost models describe themselves. */
#pragma once
#include <stdio.h>
#include "plugin/ask.h"

/* Write one cost model with its knobs and presets; the CSV has one line per
 * knob. */
void plugin_text(const struct plugin_description *about, FILE *f);
void plugin_csv(const struct plugin_description *about, FILE *f);
void plugin_json(const struct plugin_description *about, FILE *f);

/* Write one line per cost model.  A plugin that did not answer has no line. */
void plugins_text(const struct plugin_query *q, size_t n, FILE *f);
void plugins_csv(const struct plugin_query *q, size_t n, FILE *f);
void plugins_json(const struct plugin_query *q, size_t n, FILE *f);
