/* report/plugins.h -- cost models as they declare themselves. */
#ifndef SC_REPORT_PLUGINS_H
#define SC_REPORT_PLUGINS_H
#include <stdio.h>
#include "plugin/ask.h"

/* One with its knobs and presets; as CSV, a line a knob. */
void plugin_text(const struct plugin_description *about, FILE *f);
void plugin_csv(const struct plugin_description *about, FILE *f);
void plugin_json(const struct plugin_description *about, FILE *f);

/* A line each; those that could not be asked have none. */
void plugins_text(const struct plugin_question *q, size_t n, FILE *f);
void plugins_csv(const struct plugin_question *q, size_t n, FILE *f);
void plugins_json(const struct plugin_question *q, size_t n, FILE *f);
#endif
