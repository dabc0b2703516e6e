/* report/explain/explain.h -- why arms disagree, as a sentence, as text and as
 * JSON. */
#ifndef SC_REPORT_EXPLAIN_EXPLAIN_H
#define SC_REPORT_EXPLAIN_EXPLAIN_H
#include <stdio.h>
#include "base/json_writer.h"
#include "study/explain.h"

/* What a reader would tell a colleague; free() it.  NULL: no memory.  About
 * TTFT; or, where that is the same, about what differs most. */
char *explain_sentence(const struct explain *e, const struct explanation *x);
/* Of one latency, by ATTRIBUTION_*. */
char *explain_sentence_of(const struct explain *e, const struct explanation *x,
			  int metric);
/* How what is left beside the cost model is called. */
const char *explain_rest(const struct explanation *x);

void explain_text(const struct explain *e, FILE *f);
/* "attribution": an array, a member of the open object. */
void explain_json(const struct explain *e, struct jw *j);
#endif
