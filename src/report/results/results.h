/* report/results/results.h -- writes the results of a study as JSON, CSV or
 * a document.  The same study gives the same bytes, on a second run and with
 * any compiler: time of day, paths and host appear only with --provenance. */
#pragma once
#include <stdio.h>
#include "base/json/json_writer.h"
#include "report/document.h"
#include "study/results.h"

/* The table of more arms has a row for each arm. */
enum { RESULTS_FEW = 3 };

/* Writes the document's members into the open object.  doc/results.md explains
 * every field. */
void results_json(const struct results *r, struct jw *j);
/* Writes one row per arm and one column per metric. */
void results_csv(const struct results *r, FILE *f);

/* Add to a document: the question; the answer, from the mean E2E latency on;
 * a picture of the means; one table with intervals; and all other figures. */
void results_question(const struct results *r, struct document *d);
void results_answer(const struct results *r, struct document *d);
void results_dots(const struct results *r, struct document *d);
void results_table(const struct results *r, struct document *d);
void results_details(const struct results *r, struct document *d);

/* Returns the change of a figure against the first arm in percent; NaN: there
 * is none. */
double results_change(const struct results *r, size_t arm, const char *name);
/* Returns 1 if the figure of an arm and that of the first differ by less than
 * the errors of their cost models, which are two.  0: the rate of a position of
 * drafts has no measured error. */
int results_is_tie(const struct results *r, size_t arm, const char *name);
/* Returns 1 if two arms have the same bits in every metric. */
int results_are_equal(const struct results *r, size_t a, size_t b);
/* Returns the requests that were left out at the beginning, of all arms. */
const struct warm_up *results_warm_up(const struct results *r);
/* Returns 1 if latencies were judged by [slo]. */
int results_has_slo(const struct results *r);
