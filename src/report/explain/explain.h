/* report/explain/explain.h -- writes why arms disagree: as a sentence, as text
 * and as JSON. */
#pragma once
#include <stdio.h>
#include "base/json/json_writer.h"
#include "report/document.h"
#include "study/explain.h"

/* Returns the main reasons as one sentence, and as a second one the key by
 * which the schedules differ, if they do; the caller frees it.  NULL: memory is
 * out.  The first is about TTFT; if both arms have the same TTFT, about the
 * latency that differs most. */
char *explain_sentence(const struct explain *e, const struct explanation *x);
/* The first sentence about one latency (ATTRIBUTION_*). */
char *explain_sentence_of(const struct explain *e, const struct explanation *x,
			  int metric);
/* Returns the name of the part of the difference that the cost model does not
 * explain. */
const char *explain_rest(const struct explanation *x);

void explain_document(const struct explain *e, struct document *d);
/* Draws the bars of the first pair, about latency `about` (ATTRIBUTION_TTFT
 * ...), as a file of its own.  Returns 0, or -1: there are none. */
int explain_plot(FILE *f, const struct explain *e, int about);
/* Writes "attribution", an array, as a member of the open object. */
void explain_json(const struct explain *e, struct jw *j);
