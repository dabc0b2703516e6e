/* report/results/results.h -- writes the results of a study as JSON, CSV or
 * text.  The same study gives the same bytes, on a second run and with any
 * compiler: time of day, paths and host appear only with --provenance. */
#ifndef SC_REPORT_RESULTS_RESULTS_H
#define SC_REPORT_RESULTS_RESULTS_H
#include <stdio.h>
#include "base/json_writer.h"
#include "study/results.h"

/* Writes the document's members into the open object.  doc/results.md explains
 * every field. */
void results_json(const struct results *r, struct jw *j);
/* Writes one row per arm and one column per metric. */
void results_csv(const struct results *r, FILE *f);
/* Writes one row per metric, with value, difference and ratio for each arm. */
void results_text(const struct results *r, FILE *f);
#endif
