/* report/results/results.h -- what a study found, as a document: JSON, CSV, or
 * text to read.  The same study gives the same bytes, on a second run and from
 * any compiler: no time of day, no path, no host; those come only with
 * --provenance. */
#ifndef SC_REPORT_RESULTS_RESULTS_H
#define SC_REPORT_RESULTS_RESULTS_H
#include <stdio.h>
#include "base/json_writer.h"
#include "study/results.h"

/* The document: members of the open object.  See doc/results.md for every
 * field. */
void results_json(const struct results *r, struct jw *j);
/* A row per arm, a column per metric. */
void results_csv(const struct results *r, FILE *f);
/* A row per metric; for each arm its value, difference and ratio. */
void results_text(const struct results *r, FILE *f);
#endif
