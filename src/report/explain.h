/* report/explain.h -- why arms disagree, as text and JSON. */
#ifndef SC_REPORT_EXPLAIN_H
#define SC_REPORT_EXPLAIN_H
#include <stdio.h>
#include "base/json_writer.h"
#include "study/explain.h"

void explain_text(const struct explain *e, FILE *f);
/* "attribution": an array, a member of the open object. */
void explain_json(const struct explain *e, struct jw *j);
#endif
